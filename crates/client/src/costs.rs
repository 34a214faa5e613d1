use reflexio_api_types::{GetCostsQuery, GetCostsResponse};

use crate::{Client, Result};

impl Client {
    /// What models cost, and how the day's budget stands.
    pub async fn costs(&self, query: &GetCostsQuery) -> Result<GetCostsResponse> {
        self.get("/api/costs", query).await
    }
}
