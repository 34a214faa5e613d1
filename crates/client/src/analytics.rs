use reflexio_api_types::{
    AnalyticsQuery, HealthQuery, PlaybookAnalyticsResponse, PlaybookHealthResponse, PlaybookReviewResponse,
    VersionAnalyticsResponse,
};

use crate::{Client, Result};

impl Client {
    /// User and agent playbooks by type, version, status and day.
    pub async fn playbook_analytics(&self, query: &AnalyticsQuery) -> Result<PlaybookAnalyticsResponse> {
        self.get("/api/analytics/playbooks", query).await
    }

    /// Agent versions beside each other.
    pub async fn version_analytics(&self, query: &AnalyticsQuery) -> Result<VersionAnalyticsResponse> {
        self.get("/api/analytics/versions", query).await
    }

    /// What is new, and what waits for a person.
    pub async fn playbook_review(&self, query: &AnalyticsQuery) -> Result<PlaybookReviewResponse> {
        self.get("/api/analytics/review", query).await
    }

    /// Whether all is well.
    pub async fn playbook_health(&self, query: &HealthQuery) -> Result<PlaybookHealthResponse> {
        self.get("/api/analytics/health", query).await
    }
}
