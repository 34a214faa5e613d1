use reflexio_api_types::{
    GetShadowComparisonsQuery, GetShadowComparisonsResponse, RunShadowComparisonsRequest,
    RunShadowComparisonsResponse,
};

use crate::{Client, Result};

impl Client {
    /// Answers compared with their alternatives, the newest first, and how often which won.
    pub async fn shadow_comparisons(
        &self,
        query: &GetShadowComparisonsQuery,
    ) -> Result<GetShadowComparisonsResponse> {
        self.get("/api/shadow_comparisons", query).await
    }

    /// Has answers compared that were published before.
    pub async fn run_shadow_comparisons(
        &self,
        request: &RunShadowComparisonsRequest,
    ) -> Result<RunShadowComparisonsResponse> {
        self.post("/api/shadow_comparisons/run", request).await
    }
}
