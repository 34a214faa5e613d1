use reflexio_api_types::{ImportAgentPlaybooksRequest, ImportAgentPlaybooksResponse};

use crate::{Client, Result};

impl Client {
    /// Brings rules back from files: all of them, or none if one is refused.
    pub async fn import_agent_playbooks(
        &self,
        request: &ImportAgentPlaybooksRequest,
    ) -> Result<ImportAgentPlaybooksResponse> {
        self.post("/api/agent_playbooks/import", request).await
    }
}
