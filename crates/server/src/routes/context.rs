use axum::Json;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use reflexio_api_types::{ContextLearning, ContextQuery, ContextResponse};
use reflexio_app::ContextRequest;
use reflexio_types::{LearningKind, SessionId, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Query, UseCases, Who};

const DEFAULT_TOKENS: usize = 1500;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(context))
}

/// The block to put into an agent's prompt: rules and what is known about the user
#[utoipa::path(get, path = "/api/context", tag = "search", params(ContextQuery),
    responses((status = 200, body = ContextResponse), (status = 304, description = "the block is still the same"), Failure))]
async fn context(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<ContextQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let request = ContextRequest {
        user_id: given(query.user_id.map(|id| id.into_string())).map(UserId::new),
        query: given(query.query),
        agent_version: given(query.agent_version),
        playbook_name: given(query.playbook_name),
        token_budget: query.token_budget.map_or(DEFAULT_TOKENS, |budget| budget.as_usize()),
        session_id: given(query.session_id.map(|id| id.into_string())).map(SessionId::new),
        include_covered: query.include_covered == Some(true),
    };
    let block = app.context(&caller, &request).await?;
    let tag = format!("\"{}\"", block.version);
    let tags = [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, "private, no-cache".to_owned())];
    if knows(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, tags).into_response());
    }
    let learning = |(kind, learning_id): (LearningKind, String)| ContextLearning {
        kind: kind.as_str().to_owned(),
        learning_id,
    };
    let body = ContextResponse {
        success: true,
        tokens: block.tokens as u64,
        version: block.version,
        learnings: block.learnings.into_iter().map(learning).collect(),
        left_out: block.left_out as u64,
        covered: block.covered as u64,
        degraded: block.degraded,
        context: block.text,
    };
    Ok((tags, Json(body)).into_response())
}

/// Whether the caller has the block of this tag already.
fn knows(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known
        .flat_map(|value| value.split(','))
        .map(|one| one.trim().trim_start_matches("W/"))
        .any(|one| one == tag || one == "*")
}
