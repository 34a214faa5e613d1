use axum::Json;
use reflexio_api_types::{
    BulkDeleteResponse, DeleteRequestRequest, DeleteRequestsByIdsRequest, DeleteSessionRequest,
    DeleteSessionResponse, Done, GetRequestsRequest, GetRequestsViewResponse, InteractionView,
    RequestDataView, RequestView, SessionView,
};
use reflexio_store::{Page, RequestDetail, RequestFilter, SessionGroup};
use reflexio_types::{RequestId, SessionId, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

const DEFAULT_SESSIONS: usize = 30;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_requests))
        .routes(routes!(delete_request))
        .routes(routes!(delete_session))
        .routes(routes!(delete_requests_by_ids))
}

/// Sessions with their requests and interactions, newest first
#[utoipa::path(post, path = "/api/get_requests", tag = "requests", request_body = GetRequestsRequest,
    responses((status = 200, body = GetRequestsViewResponse), Failure))]
async fn get_requests(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetRequestsRequest>,
) -> Result<Json<GetRequestsViewResponse>> {
    let request = body.value();
    let page = Page {
        limit: request.top_k.map_or(DEFAULT_SESSIONS, |k| k.as_usize()),
        offset: request.offset.map_or(0, |offset| offset.as_usize()),
    };
    let filter = RequestFilter {
        time: request.time(),
        user_id: given(request.user_id).map(UserId::new),
        request_id: given(request.request_id).map(RequestId::new),
        session_id: given(request.session_id).map(SessionId::new),
        source: request.source.map(|source| source.into_string()).filter(|source| !source.is_empty()),
    };
    let (sessions, has_more) = app.sessions(&caller, &filter, page).await?;
    let msg = found(sessions.len(), "session");
    let sessions = sessions.into_iter().map(shown).collect();
    Ok(Json(GetRequestsViewResponse { success: true, sessions, has_more, msg }))
}

fn shown(group: SessionGroup) -> SessionView {
    let requests =
        group.requests.into_iter().map(|RequestDetail { request, interactions }| RequestDataView {
            request: RequestView::from(request),
            interactions: interactions.into_iter().map(InteractionView::from).collect(),
        });
    SessionView { session_id: group.session_id.into_string(), requests: requests.collect() }
}

/// Delete a request with its interactions
#[utoipa::path(delete, path = "/api/delete_request", tag = "requests", request_body = DeleteRequestRequest,
    responses((status = 200, body = Done), Failure))]
async fn delete_request(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteRequestRequest>,
) -> Result<Json<Done>> {
    app.delete_request(&caller, RequestId::new(body.value().request_id.into_string())).await?;
    Ok(Json(Done { success: true, message: "Deleted successfully".to_owned() }))
}

/// Delete a session with its requests and interactions
#[utoipa::path(delete, path = "/api/delete_session", tag = "requests", request_body = DeleteSessionRequest,
    responses((status = 200, body = DeleteSessionResponse), Failure))]
async fn delete_session(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteSessionRequest>,
) -> Result<Json<DeleteSessionResponse>> {
    let count = app.delete_session(&caller, SessionId::new(body.value().session_id.into_string())).await?;
    let message = format!("Deleted {count} request(s)");
    Ok(Json(DeleteSessionResponse { success: true, message, deleted_requests_count: count }))
}

/// Delete several requests with their interactions
#[utoipa::path(delete, path = "/api/delete_requests_by_ids", tag = "requests",
    request_body = DeleteRequestsByIdsRequest, responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_requests_by_ids(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteRequestsByIdsRequest>,
) -> Result<Json<BulkDeleteResponse>> {
    let ids = body.value().request_ids.into_iter().map(RequestId::new).collect();
    Ok(Json(BulkDeleteResponse::new(app.delete_requests(&caller, ids).await?)))
}
