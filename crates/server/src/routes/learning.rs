use axum::Json;
use reflexio_api_types::{
    Done, GetOperationStatusResponse, LearningStatusQuery, LearningStatusResponse,
    ManualPlaybookGenerationRequest, ManualProfileGenerationRequest, MarkNotifiedResponse,
    OperationStatusInfo, OperationStatusQuery, RerunPlaybookGenerationRequest,
    RerunPlaybookGenerationResponse, RerunProfileGenerationRequest, RerunProfileGenerationResponse,
    RunPlaybookAggregationRequest, StallStateResponse,
};
use reflexio_app::Error;
use reflexio_types::RequestId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

const PROFILE_GENERATION: &str = "profile_generation";

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(learning_status))
        .routes(routes!(get_operation_status))
        .routes(routes!(rerun_profile_generation))
        .routes(routes!(manual_profile_generation))
        .routes(routes!(rerun_playbook_generation))
        .routes(routes!(manual_playbook_generation))
        .routes(routes!(run_playbook_aggregation))
        .routes(routes!(stall_state))
        .routes(routes!(stall_notified))
}

/// How far learning from a request is
#[utoipa::path(get, path = "/api/learning_status", tag = "learning", params(LearningStatusQuery),
    responses((status = 200, body = LearningStatusResponse), Failure))]
async fn learning_status(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<LearningStatusQuery>,
) -> Result<Json<LearningStatusResponse>> {
    let state = app.learning_status(&caller, &RequestId::new(query.request_id)).await?;
    Ok(Json(LearningStatusResponse {
        status: state.status.as_str().to_owned(),
        reason: state.reason.to_owned(),
    }))
}

/// How far the newest rerun is
#[utoipa::path(get, path = "/api/get_operation_status", tag = "learning", params(OperationStatusQuery),
    responses((status = 200, body = GetOperationStatusResponse), Failure))]
async fn get_operation_status(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<OperationStatusQuery>,
) -> Result<Json<GetOperationStatusResponse>> {
    let service = super::given(query.service_name).unwrap_or_else(|| PROFILE_GENERATION.to_owned());
    let operation = app.operation(&caller, &service).await?;
    let msg = operation.is_none().then(|| format!("No operation found for service: {service}"));
    let operation_status = operation.map(OperationStatusInfo::from);
    Ok(Json(GetOperationStatusResponse { success: operation_status.is_some(), operation_status, msg }))
}

/// A run that cannot start is answered in the shape of the contract: not successful, and why.
fn refusal(started: reflexio_app::Result<()>) -> Result<Option<String>> {
    match started {
        Ok(()) => Ok(None),
        Err(error @ Error::LearningUnavailable(_)) => Ok(Some(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Learn profiles again from all interactions, as PENDING
#[utoipa::path(post, path = "/api/rerun_profile_generation", tag = "learning",
    request_body = RerunProfileGenerationRequest,
    responses((status = 200, body = RerunProfileGenerationResponse), Failure))]
async fn rerun_profile_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    _body: Body<RerunProfileGenerationRequest>,
) -> Result<Json<RerunProfileGenerationResponse>> {
    let msg = refusal(app.start_learning_run(&caller, "rerun_profile_generation"))?;
    let operation_id = Some("rerun_profile_generation".to_owned());
    Ok(Json(RerunProfileGenerationResponse { operation_id, ..profile_run(msg) }))
}

/// Learn profiles now from the last window, as CURRENT
#[utoipa::path(post, path = "/api/manual_profile_generation", tag = "learning",
    request_body = ManualProfileGenerationRequest,
    responses((status = 200, body = RerunProfileGenerationResponse), Failure))]
async fn manual_profile_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    _body: Body<ManualProfileGenerationRequest>,
) -> Result<Json<RerunProfileGenerationResponse>> {
    let msg = refusal(app.start_learning_run(&caller, "manual_profile_generation"))?;
    Ok(Json(profile_run(msg)))
}

fn profile_run(msg: Option<String>) -> RerunProfileGenerationResponse {
    RerunProfileGenerationResponse {
        success: msg.is_none(),
        msg,
        profiles_generated: None,
        operation_id: None,
    }
}

/// Learn playbooks again from all interactions, as PENDING
#[utoipa::path(post, path = "/api/rerun_playbook_generation", tag = "learning",
    request_body = RerunPlaybookGenerationRequest,
    responses((status = 200, body = RerunPlaybookGenerationResponse), Failure))]
async fn rerun_playbook_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    _body: Body<RerunPlaybookGenerationRequest>,
) -> Result<Json<RerunPlaybookGenerationResponse>> {
    let msg = refusal(app.start_learning_run(&caller, "rerun_playbook_generation"))?;
    let operation_id = Some("rerun_playbook_generation".to_owned());
    Ok(Json(RerunPlaybookGenerationResponse { operation_id, ..playbook_run(msg) }))
}

/// Learn playbooks now from the last window, as CURRENT
#[utoipa::path(post, path = "/api/manual_playbook_generation", tag = "learning",
    request_body = ManualPlaybookGenerationRequest,
    responses((status = 200, body = RerunPlaybookGenerationResponse), Failure))]
async fn manual_playbook_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    _body: Body<ManualPlaybookGenerationRequest>,
) -> Result<Json<RerunPlaybookGenerationResponse>> {
    let msg = refusal(app.start_learning_run(&caller, "manual_playbook_generation"))?;
    Ok(Json(playbook_run(msg)))
}

fn playbook_run(msg: Option<String>) -> RerunPlaybookGenerationResponse {
    RerunPlaybookGenerationResponse {
        success: msg.is_none(),
        msg,
        playbooks_generated: None,
        operation_id: None,
    }
}

/// Make agent playbooks of user playbooks now
#[utoipa::path(post, path = "/api/run_playbook_aggregation", tag = "learning",
    request_body = RunPlaybookAggregationRequest, responses((status = 200, body = Done), Failure))]
async fn run_playbook_aggregation(
    UseCases(app): UseCases,
    Who(caller): Who,
    _body: Body<RunPlaybookAggregationRequest>,
) -> Result<Json<Done>> {
    let message = refusal(app.start_learning_run(&caller, "run_playbook_aggregation"))?;
    Ok(Json(Done { success: message.is_none(), message: message.unwrap_or_default() }))
}

/// Whether learning is paused, and why
#[utoipa::path(get, path = "/stall_state", tag = "learning",
    responses((status = 200, body = StallStateResponse), Failure))]
async fn stall_state(UseCases(app): UseCases, Who(caller): Who) -> Result<Json<StallStateResponse>> {
    Ok(Json(app.stall(&caller).await?.into()))
}

/// Remember that the user was told about the stall
#[utoipa::path(post, path = "/stall_state/notified", tag = "learning",
    responses((status = 200, body = MarkNotifiedResponse), Failure))]
async fn stall_notified(UseCases(app): UseCases, Who(caller): Who) -> Result<Json<MarkNotifiedResponse>> {
    Ok(Json(MarkNotifiedResponse { notified_in_cc: app.mark_stall_notified(&caller).await? }))
}
