use reflexio_api_types::{AgentPlaybookDiffResponse, AgentPlaybookHistoryResponse};

use crate::{Client, Result};

impl Client {
    /// What approving a rule would change, word by word.
    pub async fn agent_playbook_diff(&self, id: i64) -> Result<AgentPlaybookDiffResponse> {
        self.get(&format!("/api/agent_playbooks/{id}/diff"), &()).await
    }

    /// What happened to a rule, oldest first.
    pub async fn agent_playbook_history(&self, id: i64) -> Result<AgentPlaybookHistoryResponse> {
        self.get(&format!("/api/agent_playbooks/{id}/history"), &()).await
    }
}
