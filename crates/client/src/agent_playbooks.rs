use reflexio_api_types::{
    AddAgentPlaybookRequest, Added, AgentPlaybook, AgentPlaybookView, AgentPlaybooksViewResponse,
    BulkDeleteResponse, DeleteAgentPlaybooksByIdsRequest, GetAgentPlaybooksRequest, PlaybookStatus, Positive,
    UpdateAgentPlaybookRequest, UpdatePlaybookStatusRequest, Updated,
};

use crate::transport::NOTHING;
use crate::{Client, Result};

impl Client {
    pub async fn agent_playbooks(
        &self,
        request: &GetAgentPlaybooksRequest,
    ) -> Result<Vec<AgentPlaybookView>> {
        let answer: AgentPlaybooksViewResponse = self.post("/api/get_agent_playbooks", request).await?;
        Ok(answer.agent_playbooks)
    }

    pub async fn add_agent_playbooks(&self, agent_playbooks: Vec<AgentPlaybook>) -> Result<Added> {
        self.post("/api/add_agent_playbook", &AddAgentPlaybookRequest { agent_playbooks }).await
    }

    pub async fn update_agent_playbook(&self, request: &UpdateAgentPlaybookRequest) -> Result<Updated> {
        self.put("/api/update_agent_playbook", request).await
    }

    /// Approve, reject, or put back to the review list.
    pub async fn decide_agent_playbook(
        &self,
        id: i64,
        playbook_status: PlaybookStatus,
        reason: Option<String>,
    ) -> Result<Updated> {
        let agent_playbook_id = Positive(id);
        let request = UpdatePlaybookStatusRequest { agent_playbook_id, playbook_status, reason };
        self.put("/api/update_agent_playbook_status", &request).await
    }

    pub async fn delete_agent_playbooks(&self, agent_playbook_ids: Vec<i64>) -> Result<BulkDeleteResponse> {
        let request = DeleteAgentPlaybooksByIdsRequest { agent_playbook_ids };
        self.delete("/api/delete_agent_playbooks_by_ids", Some(&request)).await
    }

    pub async fn delete_all_agent_playbooks(&self) -> Result<BulkDeleteResponse> {
        self.delete("/api/delete_all_agent_playbooks", NOTHING).await
    }
}
