use reflexio_api_types::{UnifiedSearchRequest, UnifiedSearchViewResponse};

use crate::{Client, Result};

impl Client {
    /// One question to everything that was learned.
    pub async fn search(&self, request: &UnifiedSearchRequest) -> Result<UnifiedSearchViewResponse> {
        self.post("/api/search", request).await
    }
}
