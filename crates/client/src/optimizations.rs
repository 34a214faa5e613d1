use reflexio_api_types::{
    GetOptimizationsQuery, GetOptimizationsResponse, LiftResponse, OptimizationResponse,
    StartOptimizationRequest, StartOptimizationResponse,
};
use reqwest::Method;

use crate::{Client, Result};

impl Client {
    /// Starts a run, or says what it would cost.
    pub async fn start_optimization(
        &self,
        request: &StartOptimizationRequest,
    ) -> Result<StartOptimizationResponse> {
        self.post("/api/optimizations", request).await
    }

    /// The newest first.
    pub async fn optimizations(&self, query: &GetOptimizationsQuery) -> Result<GetOptimizationsResponse> {
        self.get("/api/optimizations", query).await
    }

    pub async fn optimization(&self, id: i64) -> Result<OptimizationResponse> {
        self.get(&format!("/api/optimizations/{id}"), &()).await
    }

    pub async fn cancel_optimization(&self, id: i64) -> Result<OptimizationResponse> {
        let path = format!("/api/optimizations/{id}/cancel");
        self.answer(&path, self.call(Method::POST, &path)).await
    }

    /// Begins to measure how much an agent playbook helps.
    pub async fn measure_lift(&self, agent_playbook_id: i64) -> Result<LiftResponse> {
        let path = format!("/api/agent_playbooks/{agent_playbook_id}/lift");
        self.answer(&path, self.call(Method::POST, &path)).await
    }

    /// The latest measurement.
    pub async fn lift(&self, agent_playbook_id: i64) -> Result<LiftResponse> {
        self.get(&format!("/api/agent_playbooks/{agent_playbook_id}/lift"), &()).await
    }
}
