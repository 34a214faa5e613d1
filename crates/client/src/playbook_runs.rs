use reflexio_api_types::{
    DecidePlaybookRunRequest, GetPlaybookJournalQuery, GetPlaybookJournalResponse, GetPlaybookRunsQuery,
    GetPlaybookRunsResponse, GetPlaybookStateQuery, GetPlaybooksResponse, NonNegative, PlaybookRunResponse,
    PlaybookStateResponse, StartPlaybookRunRequest, TellPlaybookRunRequest,
};

use crate::{Client, Result};

impl Client {
    /// Markdown playbooks that can be run.
    pub async fn playbooks(&self) -> Result<GetPlaybooksResponse> {
        self.get("/api/playbooks", &()).await
    }

    pub async fn start_playbook_run(&self, request: &StartPlaybookRunRequest) -> Result<PlaybookRunResponse> {
        self.post("/api/playbook_runs", request).await
    }

    /// The newest first.
    pub async fn playbook_runs(&self, query: &GetPlaybookRunsQuery) -> Result<GetPlaybookRunsResponse> {
        self.get("/api/playbook_runs", query).await
    }

    /// How a run stands.
    pub async fn playbook_run(&self, run_id: &str) -> Result<PlaybookStateResponse> {
        self.get(&format!("/api/playbook_runs/{run_id}"), &GetPlaybookStateQuery::default()).await
    }

    /// What happened after the first entries.
    pub async fn playbook_journal(&self, run_id: &str, after: u64) -> Result<GetPlaybookJournalResponse> {
        let after = Some(NonNegative(i64::try_from(after).unwrap_or(i64::MAX)));
        let query = GetPlaybookJournalQuery { after, limit: None };
        self.get(&format!("/api/playbook_runs/{run_id}/journal"), &query).await
    }

    pub async fn tell_playbook_run(&self, run_id: &str, text: &str) -> Result<PlaybookRunResponse> {
        let request = TellPlaybookRunRequest { text: text.to_owned() };
        self.post(&format!("/api/playbook_runs/{run_id}/messages"), &request).await
    }

    pub async fn decide_playbook_run(
        &self,
        run_id: &str,
        request: &DecidePlaybookRunRequest,
    ) -> Result<PlaybookRunResponse> {
        self.post(&format!("/api/playbook_runs/{run_id}/approval"), request).await
    }

    pub async fn cancel_playbook_run(&self, run_id: &str) -> Result<PlaybookRunResponse> {
        self.post(&format!("/api/playbook_runs/{run_id}/cancel"), &()).await
    }
}
