use reflexio_api_types::{
    BulkDeleteResponse, DeleteUserInteractionRequest, Done, GetAllInteractionsQuery, GetInteractionsRequest,
    InteractionView, InteractionsViewResponse, NonBlank, Positive, PublishQuery,
    PublishUserInteractionRequest, PublishUserInteractionResponse, SearchInteractionRequest,
};
use reqwest::Method;

use crate::transport::NOTHING;
use crate::{Client, Result};

/// Whether a publish waits until the conversation was learned from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wait {
    UntilLearned,
    #[default]
    No,
}

impl Client {
    /// An answer with `duplicate` means that a request of this id was stored before: nothing was stored now.
    pub async fn publish(
        &self,
        request: &PublishUserInteractionRequest,
        wait: Wait,
    ) -> Result<PublishUserInteractionResponse> {
        let path = "/api/publish_interaction";
        let mut call = self.call(Method::POST, path).json(request);
        if wait == Wait::UntilLearned {
            call = call.query(&PublishQuery { wait_for_response: true });
        }
        self.answer(path, call).await
    }

    pub async fn interactions(&self, request: &GetInteractionsRequest) -> Result<Vec<InteractionView>> {
        let answer: InteractionsViewResponse = self.post("/api/get_interactions", request).await?;
        Ok(answer.interactions)
    }

    pub async fn all_interactions(&self, limit: Option<i64>) -> Result<Vec<InteractionView>> {
        let query = GetAllInteractionsQuery { limit: limit.map(Positive) };
        let answer: InteractionsViewResponse = self.get("/api/get_all_interactions", &query).await?;
        Ok(answer.interactions)
    }

    pub async fn search_interactions(
        &self,
        request: &SearchInteractionRequest,
    ) -> Result<InteractionsViewResponse> {
        self.post("/api/search_interactions", request).await
    }

    pub async fn delete_interaction(&self, user_id: &str, id: i64) -> Result<Done> {
        let request =
            DeleteUserInteractionRequest { user_id: NonBlank::from(user_id), interaction_id: Positive(id) };
        self.delete("/api/delete_interaction", Some(&request)).await
    }

    pub async fn delete_all_interactions(&self) -> Result<BulkDeleteResponse> {
        self.delete("/api/delete_all_interactions", NOTHING).await
    }
}
