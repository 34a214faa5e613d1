use reflexio_api_types::{
    ClearUserDataRequest, ClearUserDataResponse, HealthResponse, LearningStatusQuery, LearningStatusResponse,
    NonBlank, StallStateResponse, StorageStatsQuery, StorageStatsResponse, VersionResponse, WhoamiResponse,
};

use crate::{Client, Result};

impl Client {
    pub async fn health(&self) -> Result<HealthResponse> {
        self.get("/health", &()).await
    }

    pub async fn version(&self) -> Result<VersionResponse> {
        self.get("/meta/version", &()).await
    }

    pub async fn whoami(&self) -> Result<WhoamiResponse> {
        self.get("/api/whoami", &()).await
    }

    pub async fn storage_stats(&self, user_id: Option<&str>) -> Result<StorageStatsResponse> {
        let query = StorageStatsQuery { user_id: user_id.map(str::to_owned) };
        self.get("/api/storage_stats", &query).await
    }

    pub async fn stall_state(&self) -> Result<StallStateResponse> {
        self.get("/stall_state", &()).await
    }

    pub async fn learning_status(&self, request_id: &str) -> Result<LearningStatusResponse> {
        self.get("/api/learning_status", &LearningStatusQuery { request_id: request_id.to_owned() }).await
    }

    /// Erases everything of one user.
    pub async fn clear_user_data(&self, user_id: &str) -> Result<ClearUserDataResponse> {
        self.post("/api/clear_user_data", &ClearUserDataRequest { user_id: NonBlank::from(user_id) }).await
    }

    /// The metrics page, in the text format of Prometheus.
    pub async fn metrics(&self) -> Result<String> {
        self.text("/metrics").await
    }
}
