use reflexio_api_types::{
    CancelRegenerationResponse, GetAgentSuccessEvaluationResultsRequest, GetEvaluationResultsViewResponse,
    GetRetrievedLearningEvaluationResultsRequest, GetRetrievedLearningEvaluationResultsResponse,
    GradeOnDemandRequest, GradeOnDemandResponse, RegenerateRequest, RegenerateStartResponse,
    RegenerateStatusResponse,
};

use crate::transport::NOTHING;
use crate::{Client, Result};

impl Client {
    /// Judged sessions, latest first.
    pub async fn evaluations(
        &self,
        request: &GetAgentSuccessEvaluationResultsRequest,
    ) -> Result<GetEvaluationResultsViewResponse> {
        self.post("/api/get_agent_success_evaluation_results", request).await
    }

    /// Judged learnings, latest first.
    pub async fn learning_evaluations(
        &self,
        request: &GetRetrievedLearningEvaluationResultsRequest,
    ) -> Result<GetRetrievedLearningEvaluationResultsResponse> {
        self.post("/api/get_retrieved_learning_evaluation_results", request).await
    }

    /// Judges one session now.
    pub async fn grade(&self, request: &GradeOnDemandRequest) -> Result<GradeOnDemandResponse> {
        self.post("/api/evaluations/grade_on_demand", request).await
    }

    /// Begins to judge past sessions anew.
    pub async fn regenerate_evaluations(
        &self,
        request: &RegenerateRequest,
    ) -> Result<RegenerateStartResponse> {
        self.post("/api/evaluations/regenerate", request).await
    }

    pub async fn regeneration(&self, id: &str) -> Result<RegenerateStatusResponse> {
        self.get(&regeneration(id), &()).await
    }

    pub async fn cancel_regeneration(&self, id: &str) -> Result<CancelRegenerationResponse> {
        self.delete(&regeneration(id), NOTHING).await
    }
}

fn regeneration(id: &str) -> String {
    format!("/api/evaluations/regenerate/{id}")
}
