use axum::Json;
use reflexio_api_types::{
    AddUserPlaybookRequest, Added, BulkDeleteResponse, DeleteUserPlaybookRequest,
    DeleteUserPlaybooksByIdsRequest, Done, DowngradeUserPlaybooksRequest, DowngradeUserPlaybooksResponse,
    GetUserPlaybooksRequest, SearchUserPlaybookRequest, UpdateUserPlaybookRequest, Updated,
    UpgradeUserPlaybooksRequest, UpgradeUserPlaybooksResponse, UserPlaybook, UserPlaybooksViewResponse,
    statuses,
};
use reflexio_app::{AsRun, NewUserPlaybook, Prompt, SearchMode, SearchOptions};
use reflexio_store::{UserPlaybookChange, UserPlaybookFilter};
use reflexio_types::{
    InteractionId, RequestId, RunId, SessionId, Status, Timestamp, UserId, UserPlaybookBody, UserPlaybookId,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::search::Explain;
use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

const DEFAULT_LISTED: usize = 100;
const DEFAULT_FOUND: usize = 10;
/// What a listing shows when no status is asked for: rows that live on in another row are left out.
const NOT_REPLACED: [Status; 5] =
    [Status::Current, Status::Pending, Status::Archived, Status::ArchiveInProgress, Status::Expired];

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_user_playbooks))
        .routes(routes!(search_user_playbooks))
        .routes(routes!(add_user_playbook))
        .routes(routes!(update_user_playbook))
        .routes(routes!(delete_user_playbook))
        .routes(routes!(delete_user_playbooks_by_ids))
        .routes(routes!(delete_all_user_playbooks))
        .routes(routes!(upgrade_all_user_playbooks))
        .routes(routes!(downgrade_all_user_playbooks))
}

/// User playbooks, newest first
#[utoipa::path(post, path = "/api/get_user_playbooks", tag = "user playbooks",
    request_body(content = GetUserPlaybooksRequest, example = json!({"limit": 20})), responses((status = 200, body = UserPlaybooksViewResponse), Failure))]
async fn get_user_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetUserPlaybooksRequest>,
) -> Result<Json<UserPlaybooksViewResponse>> {
    let request = body.value();
    let asked = statuses(request.status_filter.clone());
    let filter = UserPlaybookFilter {
        time: request.time(),
        id: request.user_playbook_id.map(|id| UserPlaybookId(id.0)),
        user_id: given(request.user_id).map(UserId::new),
        request_id: given(request.request_id).map(RequestId::new),
        playbook_name: given(request.playbook_name),
        agent_version: given(request.agent_version),
        source: None,
        status: if asked.is_empty() { NOT_REPLACED.to_vec() } else { asked },
        tags: request.tags.unwrap_or_default(),
    };
    let options = SearchOptions {
        query: given(request.query),
        mode: SearchMode::Fts,
        top_k: request.limit.map_or(DEFAULT_LISTED, |limit| limit.as_usize()),
        ..SearchOptions::default()
    };
    let result = app.search_user_playbooks(&caller, &filter, &options).await?;
    let msg = found(result.rows.len(), "user playbook");
    let user_playbooks = super::search::user_playbooks(result, Explain::No);
    Ok(Json(UserPlaybooksViewResponse { success: true, user_playbooks, msg, degraded: None }))
}

/// User playbooks that fit a query
#[utoipa::path(post, path = "/api/search_user_playbooks", tag = "user playbooks",
    request_body = SearchUserPlaybookRequest, responses((status = 200, body = UserPlaybooksViewResponse), Failure))]
async fn search_user_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<SearchUserPlaybookRequest>,
) -> Result<Json<UserPlaybooksViewResponse>> {
    let request = body.value();
    let asked = statuses(request.status_filter.clone());
    let filter = UserPlaybookFilter {
        time: request.time(),
        user_id: given(request.user_id.map(|id| id.into_string())).map(UserId::new),
        playbook_name: given(request.playbook_name),
        agent_version: given(request.agent_version),
        source: given(request.source.map(|source| source.into_string())),
        status: if asked.is_empty() { vec![Status::Current] } else { asked },
        tags: request.tags.unwrap_or_default(),
        ..UserPlaybookFilter::default()
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
    let prompt = Prompt {
        session_id: given(request.session_id.map(|id| id.into_string())).map(SessionId::new),
        user_id: filter.user_id.clone(),
        agent_version: filter.agent_version.clone(),
        request_id: given(request.request_id.map(|id| id.into_string())).map(RequestId::new),
    };
    let result = app.retrieve_user_playbooks(&caller, &filter, &options, &prompt).await?;
    let msg = found(result.rows.len(), "matching user playbook");
    let degraded = result.degraded.then_some(true);
    let user_playbooks = super::search::user_playbooks(result, explain);
    Ok(Json(UserPlaybooksViewResponse { success: true, user_playbooks, msg, degraded }))
}

/// Add user playbooks by hand
#[utoipa::path(post, path = "/api/add_user_playbook", tag = "user playbooks",
    request_body = AddUserPlaybookRequest, responses((status = 200, body = Added), Failure))]
async fn add_user_playbook(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<AddUserPlaybookRequest>,
) -> Result<Json<Added>> {
    let new = body.value().user_playbooks.into_iter().map(read).collect();
    let ids = app.add_user_playbooks(&caller, new).await?;
    Ok(Json(super::added(ids.into_iter().map(|id| id.0).collect())))
}

fn read(playbook: UserPlaybook) -> NewUserPlaybook {
    NewUserPlaybook {
        user_id: given(playbook.user_id).map(UserId::new),
        request_id: RequestId::new(playbook.request_id),
        playbook_name: playbook.playbook_name.unwrap_or_default(),
        agent_version: playbook.agent_version,
        created_at: playbook.created_at.map(|at| Timestamp(at.0)),
        source: playbook.source,
        status: playbook.status.map_or(Status::Current, |name| name.0),
        body: UserPlaybookBody {
            content: playbook.content.unwrap_or_default(),
            trigger: playbook.trigger,
            instruction: playbook.instruction,
            pitfall: playbook.pitfall,
            rationale: playbook.rationale,
            playbook_metadata: playbook.playbook_metadata.unwrap_or_default(),
            blocking_issue: playbook.blocking_issue.map(Into::into),
            source_interaction_ids: playbook
                .source_interaction_ids
                .unwrap_or_default()
                .into_iter()
                .map(InteractionId)
                .collect(),
            expanded_terms: playbook.expanded_terms,
            tags: playbook.tags,
            source_span: playbook.source_span,
            notes: playbook.notes,
            reader_angle: playbook.reader_angle,
            ..UserPlaybookBody::default()
        },
    }
}

/// Edit a user playbook
#[utoipa::path(put, path = "/api/update_user_playbook", tag = "user playbooks",
    request_body = UpdateUserPlaybookRequest, responses((status = 200, body = Updated), Failure))]
async fn update_user_playbook(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<UpdateUserPlaybookRequest>,
) -> Result<Json<Updated>> {
    let request = body.value();
    let change = UserPlaybookChange {
        playbook_name: request.playbook_name,
        content: request.content,
        trigger: request.trigger,
        rationale: request.rationale,
    };
    app.update_user_playbook(&caller, UserPlaybookId(request.user_playbook_id.0), &change).await?;
    Ok(Json(Updated { success: true, msg: Some("User playbook updated successfully".to_owned()) }))
}

/// Delete a user playbook
#[utoipa::path(delete, path = "/api/delete_user_playbook", tag = "user playbooks",
    request_body = DeleteUserPlaybookRequest, responses((status = 200, body = Done), Failure))]
async fn delete_user_playbook(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteUserPlaybookRequest>,
) -> Result<Json<Done>> {
    app.delete_user_playbook(&caller, UserPlaybookId(body.value().user_playbook_id.0)).await?;
    Ok(Json(Done { success: true, message: "Deleted successfully".to_owned() }))
}

/// Delete several user playbooks
#[utoipa::path(delete, path = "/api/delete_user_playbooks_by_ids", tag = "user playbooks",
    request_body = DeleteUserPlaybooksByIdsRequest, responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_user_playbooks_by_ids(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteUserPlaybooksByIdsRequest>,
) -> Result<Json<BulkDeleteResponse>> {
    let ids = body.value().user_playbook_ids.into_iter().map(UserPlaybookId).collect();
    Ok(Json(BulkDeleteResponse::new(app.delete_user_playbooks(&caller, ids).await?)))
}

/// Delete every user playbook of the org
#[utoipa::path(delete, path = "/api/delete_all_user_playbooks", tag = "user playbooks",
    responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_all_user_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
) -> Result<Json<BulkDeleteResponse>> {
    Ok(Json(BulkDeleteResponse::new(app.delete_all_user_playbooks(&caller).await?)))
}

/// Put a rerun's pending playbooks into use
#[utoipa::path(post, path = "/api/upgrade_all_user_playbooks", tag = "user playbooks",
    request_body = UpgradeUserPlaybooksRequest,
    responses((status = 200, body = UpgradeUserPlaybooksResponse), Failure))]
async fn upgrade_all_user_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<UpgradeUserPlaybooksRequest>,
) -> Result<Json<UpgradeUserPlaybooksResponse>> {
    let request = body.value();
    let (version, name) = (given(request.agent_version), given(request.playbook_name));
    let archive = request.archive_current.unwrap_or(true);
    let (version, name) = (version.as_deref(), name.as_deref());
    let AsRun { done, run } = app.upgrade_user_playbooks(&caller, version, name, archive).await?;
    Ok(Json(UpgradeUserPlaybooksResponse {
        success: done.promoted > 0,
        user_playbooks_deleted: done.deleted,
        user_playbooks_archived: done.archived,
        user_playbooks_promoted: done.promoted,
        message: super::upgraded(done),
        run_id: run.map(RunId::into_string),
    }))
}

/// Take an upgrade back: archived and current playbooks change places
#[utoipa::path(post, path = "/api/downgrade_all_user_playbooks", tag = "user playbooks",
    request_body = DowngradeUserPlaybooksRequest,
    responses((status = 200, body = DowngradeUserPlaybooksResponse), Failure))]
async fn downgrade_all_user_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DowngradeUserPlaybooksRequest>,
) -> Result<Json<DowngradeUserPlaybooksResponse>> {
    let request = body.value();
    let (version, name) = (given(request.agent_version), given(request.playbook_name));
    let (version, name) = (version.as_deref(), name.as_deref());
    let AsRun { done, run } = app.downgrade_user_playbooks(&caller, version, name).await?;
    Ok(Json(DowngradeUserPlaybooksResponse {
        success: done.restored > 0,
        user_playbooks_demoted: done.demoted,
        user_playbooks_restored: done.restored,
        message: super::downgraded(done),
        run_id: run.map(RunId::into_string),
    }))
}
