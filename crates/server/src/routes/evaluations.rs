use std::collections::BTreeMap;

use axum::Json;
use axum::extract::Path;
use reflexio_api_types::{
    CancelRegenerationResponse, EvaluationResultView, GetAgentSuccessEvaluationResultsRequest,
    GetEvaluationResultsViewResponse, GetRetrievedLearningEvaluationResultsRequest,
    GetRetrievedLearningEvaluationResultsResponse, GradeOnDemandRequest, GradeOnDemandResponse,
    RegenerateFailure, RegenerateRequest, RegenerateStartResponse, RegenerateStatusResponse,
    RetrievedLearningEvaluationResult,
};
use reflexio_app::{GradeRequest, Graded, Regeneration};
use reflexio_store::EvaluationFilter;
use reflexio_types::{OperationState, SessionId, Timestamp, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

const DEFAULT_LISTED: usize = 100;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_agent_success_evaluation_results))
        .routes(routes!(get_retrieved_learning_evaluation_results))
        .routes(routes!(grade_on_demand))
        .routes(routes!(regenerate))
        .routes(routes!(regeneration_status, cancel_regeneration))
}

/// Judged sessions, latest first
#[utoipa::path(post, path = "/api/get_agent_success_evaluation_results", tag = "evaluation",
    request_body = GetAgentSuccessEvaluationResultsRequest,
    responses((status = 200, body = GetEvaluationResultsViewResponse), Failure))]
async fn get_agent_success_evaluation_results(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetAgentSuccessEvaluationResultsRequest>,
) -> Result<Json<GetEvaluationResultsViewResponse>> {
    let body = body.value();
    let filter = EvaluationFilter {
        time: body.time(),
        user_id: given(body.user_id).map(UserId::new),
        session_id: given(body.session_id).map(SessionId::new),
        agent_version: given(body.agent_version),
    };
    let limit = body.limit.map_or(DEFAULT_LISTED, |limit| limit.as_usize());
    let rows = app.evaluations(&caller, &filter, limit).await?;
    Ok(Json(GetEvaluationResultsViewResponse {
        success: true,
        msg: found(rows.len(), "evaluation result"),
        agent_success_evaluation_results: rows.into_iter().map(EvaluationResultView::from).collect(),
    }))
}

/// Judged learnings that agents were given, latest first
#[utoipa::path(post, path = "/api/get_retrieved_learning_evaluation_results", tag = "evaluation",
    request_body = GetRetrievedLearningEvaluationResultsRequest,
    responses((status = 200, body = GetRetrievedLearningEvaluationResultsResponse), Failure))]
async fn get_retrieved_learning_evaluation_results(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetRetrievedLearningEvaluationResultsRequest>,
) -> Result<Json<GetRetrievedLearningEvaluationResultsResponse>> {
    let body = body.value();
    let filter = EvaluationFilter {
        time: body.time(),
        user_id: given(body.user_id).map(UserId::new),
        session_id: given(body.session_id).map(SessionId::new),
        agent_version: None,
    };
    let limit = body.limit.map_or(DEFAULT_LISTED, |limit| limit.as_usize());
    let rows = app.learning_evaluations(&caller, &filter, limit).await?;
    Ok(Json(GetRetrievedLearningEvaluationResultsResponse {
        success: true,
        msg: found(rows.len(), "retrieved-learning evaluation result"),
        results: rows.into_iter().map(RetrievedLearningEvaluationResult::from).collect(),
    }))
}

/// Judge one session now, unless it was judged within a day
#[utoipa::path(post, path = "/api/evaluations/grade_on_demand", tag = "evaluation",
    request_body = GradeOnDemandRequest,
    responses((status = 200, body = GradeOnDemandResponse), Failure))]
async fn grade_on_demand(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GradeOnDemandRequest>,
) -> Result<Json<GradeOnDemandResponse>> {
    let body = body.value();
    let session_id = body.session_id.into_string();
    let request = GradeRequest {
        session_id: SessionId::new(session_id.clone()),
        agent_version: body.agent_version.into_string(),
        user_id: given(body.user_id).map(UserId::new),
    };
    let answer = GradeOnDemandResponse { session_id, ..GradeOnDemandResponse::default() };
    Ok(Json(match app.grade(&caller, request).await? {
        Graded::Judged { id, cached, learnings } => GradeOnDemandResponse {
            result_id: Some(id.0),
            cached,
            retrieved_learning_status: Some(learnings.as_str().to_owned()),
            ..answer
        },
        Graded::Skipped(reason) => {
            GradeOnDemandResponse { skipped_reason: Some(reason.as_str().to_owned()), ..answer }
        }
    }))
}

/// Judge a sample of past sessions anew, in the background
#[utoipa::path(post, path = "/api/evaluations/regenerate", tag = "evaluation",
    request_body = RegenerateRequest,
    responses((status = 200, body = RegenerateStartResponse), Failure))]
async fn regenerate(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<RegenerateRequest>,
) -> Result<Json<RegenerateStartResponse>> {
    let body = body.value();
    let (from, to) = (Timestamp(body.from_ts.0), Timestamp(body.to_ts.0));
    let started = app.regenerate(&caller, from, to).await?;
    Ok(Json(RegenerateStartResponse { job_id: started.id, total: started.total }))
}

/// How far a regeneration is
#[utoipa::path(get, path = "/api/evaluations/regenerate/{job_id}", tag = "evaluation",
    params(("job_id" = String, Path, description = "as in `job_id` of the answer that started it")),
    responses((status = 200, body = RegenerateStatusResponse), Failure))]
async fn regeneration_status(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(id): Path<String>,
) -> Result<Json<RegenerateStatusResponse>> {
    Ok(Json(status(app.regeneration(&caller, &id).await?)))
}

/// Stop a regeneration; what was judged stays
#[utoipa::path(delete, path = "/api/evaluations/regenerate/{job_id}", tag = "evaluation",
    params(("job_id" = String, Path, description = "as in `job_id` of the answer that started it")),
    responses((status = 200, body = BTreeMap<String, String>), Failure))]
async fn cancel_regeneration(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(id): Path<String>,
) -> Result<Json<CancelRegenerationResponse>> {
    let state = app.cancel_regeneration(&caller, &id).await?.state;
    Ok(Json(BTreeMap::from([("status".to_owned(), word(state).to_owned())])))
}

fn status(regeneration: Regeneration) -> RegenerateStatusResponse {
    let failures = regeneration.failures.into_iter();
    RegenerateStatusResponse {
        job_id: regeneration.id,
        status: word(regeneration.state).to_owned(),
        total: regeneration.total,
        completed: regeneration.completed,
        failed: regeneration.failed,
        failures: failures.map(|(session_id, reason)| RegenerateFailure { session_id, reason }).collect(),
        started_at: regeneration.started_at.0 as f64,
        finished_at: regeneration.finished_at.map(|at| at.0 as f64),
        total_candidates: regeneration.candidates,
        sampled_count: regeneration.total,
        concurrency_limit: regeneration.concurrency,
    }
}

fn word(state: OperationState) -> &'static str {
    match state {
        OperationState::InProgress => "running",
        OperationState::Completed => "completed",
        OperationState::Cancelled => "cancelled",
        OperationState::Failed => "error",
    }
}
