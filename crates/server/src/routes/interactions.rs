use axum::Json;
use axum::extract::Path;
use axum::http::header;
use axum::response::IntoResponse;
use reflexio_api_types::{
    BulkDeleteResponse, DeleteUserInteractionRequest, Done, GetAllInteractionsQuery, GetInteractionsRequest,
    InteractionView, InteractionsViewResponse, SearchInteractionRequest, SimilarQuery,
};
use reflexio_app::{Among, Found, Hit, SearchOptions};
use reflexio_store::{InteractionFilter, InteractionOrder};
use reflexio_types::{ImageId, Interaction, InteractionId, RequestId, SessionId, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::search::Explain;
use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

const DEFAULT_LISTED: usize = 30;
const DEFAULT_ALL: usize = 100;
const DEFAULT_FOUND: usize = 10;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_interactions))
        .routes(routes!(get_all_interactions))
        .routes(routes!(search_interactions))
        .routes(routes!(similar_interactions))
        .routes(routes!(delete_interaction))
        .routes(routes!(delete_all_interactions))
        .routes(routes!(get_image))
}

/// Interactions of one user, newest first
#[utoipa::path(post, path = "/api/get_interactions", tag = "interactions", request_body(content = GetInteractionsRequest, example = json!({"user_id": "user_123"})),
    responses((status = 200, body = InteractionsViewResponse), Failure))]
async fn get_interactions(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetInteractionsRequest>,
) -> Result<Json<InteractionsViewResponse>> {
    let request = body.value();
    let filter = InteractionFilter {
        time: request.time(),
        user_id: Some(UserId::new(request.user_id.into_string())),
        ..InteractionFilter::default()
    };
    let limit = request.top_k.map_or(DEFAULT_LISTED, |k| k.as_usize());
    let rows = app.interactions(&caller, &filter, InteractionOrder::NewestFirst, limit).await?;
    Ok(Json(listed(rows)))
}

/// Interactions of everybody, newest first
#[utoipa::path(get, path = "/api/get_all_interactions", tag = "interactions", params(GetAllInteractionsQuery),
    responses((status = 200, body = InteractionsViewResponse), Failure))]
async fn get_all_interactions(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetAllInteractionsQuery>,
) -> Result<Json<InteractionsViewResponse>> {
    let limit = query.limit.map_or(DEFAULT_ALL, |limit| limit.as_usize());
    let order = InteractionOrder::LatestArrivalFirst;
    let rows = app.interactions(&caller, &InteractionFilter::default(), order, limit).await?;
    Ok(Json(listed(rows)))
}

/// Interactions of one user that fit a query
#[utoipa::path(post, path = "/api/search_interactions", tag = "interactions",
    request_body(content = SearchInteractionRequest, example = json!({"user_id": "user_123", "query": "password"})), responses((status = 200, body = InteractionsViewResponse), Failure))]
async fn search_interactions(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<SearchInteractionRequest>,
) -> Result<Json<InteractionsViewResponse>> {
    let request = body.value();
    let filter = InteractionFilter {
        time: request.time(),
        user_id: Some(UserId::new(request.user_id.into_string())),
        request_id: given(request.request_id).map(RequestId::new),
        session_id: given(request.session_id).map(SessionId::new),
    };
    let query = given(request.query);
    if let (None, Some(count)) = (&query, request.most_recent_k) {
        return Ok(Json(listed(app.recent_interactions(&caller, &filter, count.as_usize()).await?)));
    }
    let top_k = request.top_k.or(request.most_recent_k).map_or(DEFAULT_FOUND, |k| k.as_usize());
    let options = SearchOptions {
        query,
        mode: super::search::mode(request.search_mode),
        top_k,
        threshold: request.threshold.map(|share| share.0),
        recency: request.recency.map_or(0.0, |share| share.0),
        reformulate: None,
    };
    let explain = Explain::asked(request.explain);
    Ok(Json(matched(app.search_interactions(&caller, &filter, &options).await?, explain)))
}

/// Interactions that are like a given one
#[utoipa::path(get, path = "/api/interactions/{interaction_id}/similar", tag = "interactions",
    params(("interaction_id" = i64, Path, description = "the interaction to compare with"), SimilarQuery),
    responses((status = 200, body = InteractionsViewResponse), Failure))]
async fn similar_interactions(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(id): Path<String>,
    Query(query): Query<SimilarQuery>,
) -> Result<Json<InteractionsViewResponse>> {
    let Ok(number) = id.parse() else {
        return Err(reflexio_app::Error::NotFound { what: "interaction", id }.into());
    };
    let among = if query.everybody == Some(true) { Among::Everybody } else { Among::SameUser };
    let options = SearchOptions {
        top_k: query.top_k.map_or(DEFAULT_FOUND, |k| k.as_usize()),
        threshold: query.threshold.map(|share| share.0),
        ..SearchOptions::default()
    };
    let found = app.similar_interactions(&caller, InteractionId(number), among, &options).await?;
    Ok(Json(matched(found, Explain::No)))
}

/// Delete one interaction of a user
#[utoipa::path(delete, path = "/api/delete_interaction", tag = "interactions",
    request_body = DeleteUserInteractionRequest, responses((status = 200, body = Done), Failure))]
async fn delete_interaction(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteUserInteractionRequest>,
) -> Result<Json<Done>> {
    let request = body.value();
    let user_id = UserId::new(request.user_id.into_string());
    app.delete_interaction(&caller, user_id, InteractionId(request.interaction_id.0)).await?;
    Ok(Json(Done { success: true, message: "Deleted successfully".to_owned() }))
}

/// Delete every interaction of the org
#[utoipa::path(delete, path = "/api/delete_all_interactions", tag = "interactions",
    responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_all_interactions(
    UseCases(app): UseCases,
    Who(caller): Who,
) -> Result<Json<BulkDeleteResponse>> {
    Ok(Json(BulkDeleteResponse::new(app.delete_all_interactions(&caller).await?)))
}

/// A published picture
#[utoipa::path(get, path = "/api/images/{image_id}", tag = "interactions",
    params(("image_id" = String, Path, description = "as in `image_id` of an interaction")),
    responses((status = 200, body = Vec<u8>, content_type = "image/*"), Failure))]
async fn get_image(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(image_id): Path<String>,
) -> Result<impl IntoResponse> {
    let image = app.image(&caller, &ImageId::new(image_id)).await?;
    let headers = [
        (header::CONTENT_TYPE, image.media_type.as_str()),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
    ];
    Ok((headers, image.bytes))
}

fn listed(rows: Vec<Interaction>) -> InteractionsViewResponse {
    let msg = found(rows.len(), "interaction");
    let interactions = rows.into_iter().map(InteractionView::from).collect();
    InteractionsViewResponse { success: true, interactions, msg, degraded: None }
}

fn matched(result: Found<Interaction>, explain: Explain) -> InteractionsViewResponse {
    let msg = found(result.rows.len(), "matching interaction");
    let show = |hit: Hit<Interaction>| {
        let (score, score_parts) = explain.show(&hit);
        InteractionView { score, score_parts, ..InteractionView::from(hit.row) }
    };
    InteractionsViewResponse {
        success: true,
        interactions: result.rows.into_iter().map(show).collect(),
        msg,
        degraded: result.degraded.then_some(true),
    }
}
