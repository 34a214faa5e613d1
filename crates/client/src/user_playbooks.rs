use reflexio_api_types::{
    AddUserPlaybookRequest, Added, BulkDeleteResponse, DeleteUserPlaybooksByIdsRequest,
    DowngradeUserPlaybooksRequest, DowngradeUserPlaybooksResponse, GetUserPlaybooksRequest,
    UpdateUserPlaybookRequest, Updated, UpgradeUserPlaybooksRequest, UpgradeUserPlaybooksResponse,
    UserPlaybook, UserPlaybookView, UserPlaybooksViewResponse,
};

use crate::transport::NOTHING;
use crate::{Client, Result};

impl Client {
    pub async fn user_playbooks(&self, request: &GetUserPlaybooksRequest) -> Result<Vec<UserPlaybookView>> {
        let answer: UserPlaybooksViewResponse = self.post("/api/get_user_playbooks", request).await?;
        Ok(answer.user_playbooks)
    }

    pub async fn add_user_playbooks(&self, user_playbooks: Vec<UserPlaybook>) -> Result<Added> {
        self.post("/api/add_user_playbook", &AddUserPlaybookRequest { user_playbooks }).await
    }

    pub async fn update_user_playbook(&self, request: &UpdateUserPlaybookRequest) -> Result<Updated> {
        self.put("/api/update_user_playbook", request).await
    }

    pub async fn delete_user_playbooks(&self, user_playbook_ids: Vec<i64>) -> Result<BulkDeleteResponse> {
        let request = DeleteUserPlaybooksByIdsRequest { user_playbook_ids };
        self.delete("/api/delete_user_playbooks_by_ids", Some(&request)).await
    }

    pub async fn delete_all_user_playbooks(&self) -> Result<BulkDeleteResponse> {
        self.delete("/api/delete_all_user_playbooks", NOTHING).await
    }

    pub async fn upgrade_user_playbooks(
        &self,
        request: &UpgradeUserPlaybooksRequest,
    ) -> Result<UpgradeUserPlaybooksResponse> {
        self.post("/api/upgrade_all_user_playbooks", request).await
    }

    pub async fn downgrade_user_playbooks(
        &self,
        request: &DowngradeUserPlaybooksRequest,
    ) -> Result<DowngradeUserPlaybooksResponse> {
        self.post("/api/downgrade_all_user_playbooks", request).await
    }
}
