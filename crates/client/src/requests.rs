use reflexio_api_types::{
    DeleteRequestRequest, DeleteSessionRequest, DeleteSessionResponse, Done, GetRequestsRequest,
    GetRequestsViewResponse, NonBlank,
};

use crate::{Client, Result};

impl Client {
    /// Sessions with their requests and interactions.
    pub async fn requests(&self, request: &GetRequestsRequest) -> Result<GetRequestsViewResponse> {
        self.post("/api/get_requests", request).await
    }

    pub async fn delete_request(&self, id: &str) -> Result<Done> {
        self.delete("/api/delete_request", Some(&DeleteRequestRequest { request_id: NonBlank::from(id) }))
            .await
    }

    pub async fn delete_session(&self, id: &str) -> Result<DeleteSessionResponse> {
        self.delete("/api/delete_session", Some(&DeleteSessionRequest { session_id: NonBlank::from(id) }))
            .await
    }
}
