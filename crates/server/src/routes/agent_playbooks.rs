use axum::Json;
use reflexio_api_types::{
    AddAgentPlaybookRequest, Added, AgentPlaybook, AgentPlaybooksViewResponse, BulkDeleteResponse,
    DeleteAgentPlaybookRequest, DeleteAgentPlaybooksByIdsRequest, Done, GetAgentPlaybooksRequest,
    PlaybookStatuses, SearchAgentPlaybookRequest, UpdateAgentPlaybookRequest, UpdatePlaybookStatusRequest,
    Updated, statuses,
};
use reflexio_app::{NewAgentPlaybook, SearchMode, SearchOptions};
use reflexio_store::{AgentPlaybookChange, AgentPlaybookFilter};
use reflexio_types::{AgentPlaybookBody, AgentPlaybookId, Status, Timestamp};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::search::Explain;
use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

const DEFAULT_LISTED: usize = 100;
const DEFAULT_FOUND: usize = 10;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_agent_playbooks))
        .routes(routes!(search_agent_playbooks))
        .routes(routes!(add_agent_playbook))
        .routes(routes!(update_agent_playbook))
        .routes(routes!(update_agent_playbook_status))
        .routes(routes!(delete_agent_playbook))
        .routes(routes!(delete_agent_playbooks_by_ids))
        .routes(routes!(delete_all_agent_playbooks))
        .routes(routes!(delete_all_playbooks))
}

/// `["pending"]` is the review list: rows that wait for a person. Anything else is about the lifecycle.
fn lifecycle(asked: Vec<Status>) -> (Vec<Status>, bool) {
    match asked.as_slice() {
        [] => (vec![Status::Current], false),
        [Status::Pending] => (Vec::new(), true),
        _ => (asked, false),
    }
}

/// Agent playbooks, newest first
#[utoipa::path(post, path = "/api/get_agent_playbooks", tag = "agent playbooks",
    request_body(content = GetAgentPlaybooksRequest, example = json!({"status_filter": ["pending"]})), responses((status = 200, body = AgentPlaybooksViewResponse), Failure))]
async fn get_agent_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetAgentPlaybooksRequest>,
) -> Result<Json<AgentPlaybooksViewResponse>> {
    let request = body.value();
    let (status, awaiting_review) = lifecycle(statuses(request.status_filter.clone()));
    let filter = AgentPlaybookFilter {
        time: request.time(),
        id: request.agent_playbook_id.map(|id| AgentPlaybookId(id.0)),
        playbook_name: given(request.playbook_name),
        agent_version: given(request.agent_version),
        status,
        awaiting_review,
        playbook_status: PlaybookStatuses::into_domain(request.playbook_status_filter),
        tags: request.tags.unwrap_or_default(),
    };
    let options = SearchOptions {
        query: given(request.query),
        mode: SearchMode::Fts,
        top_k: request.limit.map_or(DEFAULT_LISTED, |limit| limit.as_usize()),
        ..SearchOptions::default()
    };
    let result = app.search_agent_playbooks(&caller, &filter, &options).await?;
    let msg = found(result.rows.len(), "agent playbook");
    let agent_playbooks = super::search::agent_playbooks(result, Explain::No);
    Ok(Json(AgentPlaybooksViewResponse {
        success: true,
        agent_playbooks,
        msg,
        hidden_unapproved: None,
        degraded: None,
    }))
}

/// Agent playbooks that fit a query: approved ones, unless others are asked for
#[utoipa::path(post, path = "/api/search_agent_playbooks", tag = "agent playbooks",
    request_body = SearchAgentPlaybookRequest, responses((status = 200, body = AgentPlaybooksViewResponse), Failure))]
async fn search_agent_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<SearchAgentPlaybookRequest>,
) -> Result<Json<AgentPlaybooksViewResponse>> {
    let request = body.value();
    let (status, awaiting_review) = lifecycle(statuses(request.status_filter.clone()));
    let filter = AgentPlaybookFilter {
        time: request.time(),
        playbook_name: given(request.playbook_name),
        agent_version: given(request.agent_version),
        status,
        awaiting_review,
        playbook_status: PlaybookStatuses::into_domain(request.playbook_status_filter),
        tags: request.tags.unwrap_or_default(),
        ..AgentPlaybookFilter::default()
    };
    let options = SearchOptions {
        query: given(request.query),
        mode: super::search::mode(request.search_mode),
        top_k: request.top_k.map_or(DEFAULT_FOUND, |k| k.as_usize()),
        threshold: request.threshold.map(|share| share.0),
        recency: request.recency.map_or(0.0, |share| share.0),
        reformulate: super::search::reformulate(request.enable_reformulation, None),
    };
    let explain = Explain::asked(request.explain);
    let (result, hidden) = app.retrieve_agent_playbooks(&caller, filter, &options).await?;
    let msg = super::search::found_and_hidden(result.rows.len(), hidden);
    let degraded = result.degraded.then_some(true);
    let agent_playbooks = super::search::agent_playbooks(result, explain);
    let hidden_unapproved = (hidden > 0).then_some(hidden);
    Ok(Json(AgentPlaybooksViewResponse { success: true, agent_playbooks, msg, hidden_unapproved, degraded }))
}

/// Add agent playbooks by hand
#[utoipa::path(post, path = "/api/add_agent_playbook", tag = "agent playbooks",
    request_body = AddAgentPlaybookRequest, responses((status = 200, body = Added), Failure))]
async fn add_agent_playbook(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<AddAgentPlaybookRequest>,
) -> Result<Json<Added>> {
    let new = body.value().agent_playbooks.into_iter().map(read).collect();
    let ids = app.add_agent_playbooks(&caller, new).await?;
    Ok(Json(super::added(ids.into_iter().map(|id| id.0).collect())))
}

fn read(playbook: AgentPlaybook) -> NewAgentPlaybook {
    NewAgentPlaybook {
        playbook_name: playbook.playbook_name.unwrap_or_default(),
        agent_version: playbook.agent_version,
        created_at: playbook.created_at.map(|at| Timestamp(at.0)),
        playbook_status: playbook.playbook_status.unwrap_or_default().into(),
        status: playbook.status.map_or(Status::Current, |name| name.0),
        body: AgentPlaybookBody {
            content: playbook.content,
            trigger: playbook.trigger,
            instruction: playbook.instruction,
            pitfall: playbook.pitfall,
            rationale: playbook.rationale,
            playbook_metadata: playbook.playbook_metadata.unwrap_or_default(),
            blocking_issue: playbook.blocking_issue.map(Into::into),
            expanded_terms: playbook.expanded_terms,
            tags: playbook.tags,
            successor_of: playbook.successor_of.map(|id| AgentPlaybookId(id.0)),
            ..AgentPlaybookBody::default()
        },
    }
}

/// Edit an agent playbook
#[utoipa::path(put, path = "/api/update_agent_playbook", tag = "agent playbooks",
    request_body = UpdateAgentPlaybookRequest, responses((status = 200, body = Updated), Failure))]
async fn update_agent_playbook(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<UpdateAgentPlaybookRequest>,
) -> Result<Json<Updated>> {
    let request = body.value();
    let change = AgentPlaybookChange {
        playbook_name: request.playbook_name,
        content: request.content,
        trigger: request.trigger,
        instruction: request.instruction,
        pitfall: request.pitfall,
        rationale: request.rationale,
        playbook_status: request.playbook_status.map(Into::into),
        reason: given(request.reason),
        expected: None,
    };
    app.update_agent_playbook(&caller, AgentPlaybookId(request.agent_playbook_id.0), &change).await?;
    Ok(Json(Updated { success: true, msg: Some("Agent playbook updated successfully".to_owned()) }))
}

/// Approve, reject, or put back to the review list
#[utoipa::path(put, path = "/api/update_agent_playbook_status", tag = "agent playbooks",
    request_body = UpdatePlaybookStatusRequest, responses((status = 200, body = Updated), Failure))]
async fn update_agent_playbook_status(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<UpdatePlaybookStatusRequest>,
) -> Result<Json<Updated>> {
    let request = body.value();
    let change = AgentPlaybookChange {
        playbook_status: Some(request.playbook_status.into()),
        reason: given(request.reason),
        ..AgentPlaybookChange::default()
    };
    app.update_agent_playbook(&caller, AgentPlaybookId(request.agent_playbook_id.0), &change).await?;
    Ok(Json(Updated { success: true, msg: Some("Playbook status updated successfully".to_owned()) }))
}

/// Delete an agent playbook
#[utoipa::path(delete, path = "/api/delete_agent_playbook", tag = "agent playbooks",
    request_body = DeleteAgentPlaybookRequest, responses((status = 200, body = Done), Failure))]
async fn delete_agent_playbook(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteAgentPlaybookRequest>,
) -> Result<Json<Done>> {
    app.delete_agent_playbook(&caller, AgentPlaybookId(body.value().agent_playbook_id.0)).await?;
    Ok(Json(Done { success: true, message: "Deleted successfully".to_owned() }))
}

/// Delete several agent playbooks
#[utoipa::path(delete, path = "/api/delete_agent_playbooks_by_ids", tag = "agent playbooks",
    request_body = DeleteAgentPlaybooksByIdsRequest, responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_agent_playbooks_by_ids(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteAgentPlaybooksByIdsRequest>,
) -> Result<Json<BulkDeleteResponse>> {
    let ids = body.value().agent_playbook_ids.into_iter().map(AgentPlaybookId).collect();
    Ok(Json(BulkDeleteResponse::new(app.delete_agent_playbooks(&caller, ids).await?)))
}

/// Delete every agent playbook of the org
#[utoipa::path(delete, path = "/api/delete_all_agent_playbooks", tag = "agent playbooks",
    responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_all_agent_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
) -> Result<Json<BulkDeleteResponse>> {
    Ok(Json(BulkDeleteResponse::new(app.delete_all_agent_playbooks(&caller).await?)))
}

/// Delete every user and agent playbook of the org
#[utoipa::path(delete, path = "/api/delete_all_playbooks", tag = "agent playbooks",
    responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_all_playbooks(UseCases(app): UseCases, Who(caller): Who) -> Result<Json<BulkDeleteResponse>> {
    let user = app.delete_all_user_playbooks(&caller).await?;
    let agent = app.delete_all_agent_playbooks(&caller).await?;
    Ok(Json(BulkDeleteResponse::new(user + agent)))
}
