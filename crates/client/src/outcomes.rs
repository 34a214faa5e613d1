use reflexio_api_types::{
    GetSessionOutcomesRequest, GetSessionOutcomesResponse, SetSessionOutcomeRequest,
    SetSessionOutcomeResponse,
};

use crate::{Client, Result};

impl Client {
    /// Says how a session ended; the first word stays.
    pub async fn set_outcome(&self, request: &SetSessionOutcomeRequest) -> Result<SetSessionOutcomeResponse> {
        self.post("/api/session_outcome", request).await
    }

    /// Latest occurrence first.
    pub async fn outcomes(&self, request: &GetSessionOutcomesRequest) -> Result<GetSessionOutcomesResponse> {
        self.post("/api/get_session_outcomes", request).await
    }
}
