use axum::Json;
use reflexio_api_types::{
    CancelOperationRequest, CancelOperationResponse, GetOperationStatusResponse, LearningStatusQuery,
    LearningStatusResponse, ManualPlaybookGenerationRequest, ManualProfileGenerationRequest,
    MarkNotifiedResponse, OperationStatusInfo, OperationStatusQuery, RerunPlaybookGenerationRequest,
    RerunPlaybookGenerationResponse, RerunProfileGenerationRequest, RerunProfileGenerationResponse,
    RunPlaybookAggregationRequest, RunPlaybookAggregationResponse, SourceLabel, StallStateResponse, When,
};
use reflexio_app::{Selection, Started, Wanted};
use reflexio_types::{RequestId, RunId, UserId};
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
        .routes(routes!(cancel_operation))
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
    let msg = Some(match &operation {
        Some(_) => "Retrieved operation status successfully".to_owned(),
        None => format!("No operation found for service: {service}"),
    });
    let operation_status = operation.map(OperationStatusInfo::from);
    Ok(Json(GetOperationStatusResponse { success: operation_status.is_some(), operation_status, msg }))
}

/// Stop reruns that go on
#[utoipa::path(post, path = "/api/cancel_operation", tag = "learning", request_body = CancelOperationRequest,
    responses((status = 200, body = CancelOperationResponse), Failure))]
async fn cancel_operation(
    UseCases(app): UseCases,
    Who(caller): Who,
    Body(body): Body<CancelOperationRequest>,
) -> Result<Json<CancelOperationResponse>> {
    let service = super::given(body.value.service_name);
    let cancelled_services = app.cancel_operations(&caller, service.as_deref()).await?;
    let msg = match cancelled_services.as_slice() {
        [] => "No operation is in progress".to_owned(),
        services => format!("Cancelling {}", services.join(", ")),
    };
    Ok(Json(CancelOperationResponse { success: true, cancelled_services, msg: Some(msg) }))
}

/// Learn profiles again from all interactions, as PENDING
#[utoipa::path(post, path = "/api/rerun_profile_generation", tag = "learning",
    request_body = RerunProfileGenerationRequest,
    responses((status = 200, body = RerunProfileGenerationResponse), Failure))]
async fn rerun_profile_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    Body(body): Body<RerunProfileGenerationRequest>,
) -> Result<Json<RerunProfileGenerationResponse>> {
    let body = body.value;
    let which = selection(None, body.source, body.start_time, body.end_time);
    let user_id = super::given(body.user_id).map(UserId::new);
    Ok(Json(profile_run(app.rerun(&caller, Wanted::Profiles, user_id, which).await?)))
}

/// Learn profiles now from the last window, as CURRENT
#[utoipa::path(post, path = "/api/manual_profile_generation", tag = "learning",
    request_body = ManualProfileGenerationRequest,
    responses((status = 200, body = RerunProfileGenerationResponse), Failure))]
async fn manual_profile_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    Body(body): Body<ManualProfileGenerationRequest>,
) -> Result<Json<RerunProfileGenerationResponse>> {
    let which = selection(None, body.value.source, None, None);
    let user_id = super::given(body.value.user_id).map(UserId::new);
    Ok(Json(profile_run(app.learn_now(&caller, Wanted::Profiles, user_id, which).await?)))
}

fn profile_run(started: Started) -> RerunProfileGenerationResponse {
    let Answered { success, msg, operation_id, run_id } = answered(started, "Profile");
    RerunProfileGenerationResponse { success, msg, profiles_generated: None, operation_id, run_id }
}

/// Learn playbooks again from all interactions, as PENDING
#[utoipa::path(post, path = "/api/rerun_playbook_generation", tag = "learning",
    request_body = RerunPlaybookGenerationRequest,
    responses((status = 200, body = RerunPlaybookGenerationResponse), Failure))]
async fn rerun_playbook_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    Body(body): Body<RerunPlaybookGenerationRequest>,
) -> Result<Json<RerunPlaybookGenerationResponse>> {
    let body = body.value;
    let which = selection(body.agent_version, body.source, body.start_time, body.end_time);
    Ok(Json(playbook_run(app.rerun(&caller, Wanted::Playbooks, None, which).await?)))
}

/// Learn playbooks now from the last window, as CURRENT
#[utoipa::path(post, path = "/api/manual_playbook_generation", tag = "learning",
    request_body = ManualPlaybookGenerationRequest,
    responses((status = 200, body = RerunPlaybookGenerationResponse), Failure))]
async fn manual_playbook_generation(
    UseCases(app): UseCases,
    Who(caller): Who,
    Body(body): Body<ManualPlaybookGenerationRequest>,
) -> Result<Json<RerunPlaybookGenerationResponse>> {
    let which = selection(body.value.agent_version, body.value.source, None, None);
    Ok(Json(playbook_run(app.learn_now(&caller, Wanted::Playbooks, None, which).await?)))
}

fn playbook_run(started: Started) -> RerunPlaybookGenerationResponse {
    let Answered { success, msg, operation_id, run_id } = answered(started, "Playbook");
    RerunPlaybookGenerationResponse { success, msg, playbooks_generated: None, operation_id, run_id }
}

fn selection(
    agent_version: Option<String>,
    source: Option<SourceLabel>,
    start: Option<When>,
    end: Option<When>,
) -> Selection {
    Selection {
        source: super::given(source.map(SourceLabel::into_string)),
        agent_version: super::given(agent_version),
        start: start.map(|when| when.0),
        end: end.map(|when| when.0),
    }
}

#[derive(Default)]
struct Answered {
    success: bool,
    msg: Option<String>,
    operation_id: Option<String>,
    run_id: Option<String>,
}

/// A run that cannot start is answered in the shape of the contract: not successful, and why.
fn answered(started: Started, what: &str) -> Answered {
    match started {
        Started::Refused(msg) => Answered { msg: Some(msg), ..Answered::default() },
        Started::Operation { id, run } => {
            let msg = format!("{what} generation started");
            let run_id = run.map(RunId::into_string);
            Answered { success: true, msg: Some(msg), operation_id: Some(id), run_id }
        }
        Started::Users(count) => {
            let msg = format!("{what} generation started for {count} user(s)");
            Answered { success: true, msg: Some(msg), ..Answered::default() }
        }
    }
}

/// Make agent playbooks of user playbooks now
#[utoipa::path(post, path = "/api/run_playbook_aggregation", tag = "learning",
    request_body = RunPlaybookAggregationRequest,
    responses((status = 200, body = RunPlaybookAggregationResponse), Failure))]
async fn run_playbook_aggregation(
    UseCases(app): UseCases,
    Who(caller): Who,
    Body(request): Body<RunPlaybookAggregationRequest>,
) -> Result<Json<RunPlaybookAggregationResponse>> {
    let name = request.value.playbook_name.as_ref().map(|name| name.0.as_str());
    let outcome = app.aggregate(&caller, request.value.agent_version.as_deref(), name).await?;
    Ok(Json(RunPlaybookAggregationResponse {
        success: outcome.finished,
        message: outcome.message,
        clusters_found: outcome.clusters_found,
        playbooks_generated: outcome.playbooks_generated,
        run_ids: outcome.runs.into_iter().map(RunId::into_string).collect(),
    }))
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
