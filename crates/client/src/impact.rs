use reflexio_api_types::{AgentPlaybookImpactResponse, ImpactQuery};

use crate::{Client, Result};

impl Client {
    /// How often agents got a rule, and how sessions with it ended beside sessions without it.
    pub async fn agent_playbook_impact(
        &self,
        id: i64,
        query: ImpactQuery,
    ) -> Result<AgentPlaybookImpactResponse> {
        self.get(&format!("/api/agent_playbooks/{id}/impact"), &query).await
    }
}
