use reflexio_api_types::{RunPlaybookAggregationRequest, RunPlaybookAggregationResponse};

use crate::{Client, Result};

impl Client {
    /// Makes agent playbooks of user playbooks now.
    pub async fn run_playbook_aggregation(
        &self,
        request: &RunPlaybookAggregationRequest,
    ) -> Result<RunPlaybookAggregationResponse> {
        self.post("/api/run_playbook_aggregation", request).await
    }
}
