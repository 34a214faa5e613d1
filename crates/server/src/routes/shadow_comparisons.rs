use axum::Json;
use reflexio_api_types::{
    GetRecentShadowComparisonsResponse, GetShadowComparisonsQuery, GetShadowComparisonsResponse,
    RecentShadowComparisonsQuery, RegularVsShadow, RunShadowComparisonsRequest, RunShadowComparisonsResponse,
    ShadowComparisonVerdict, ShadowComparisonView, ShadowRateView,
};
use reflexio_app::Compare;
use reflexio_store::{Page, ShadowComparisonFilter, ShadowTurnFilter};
use reflexio_types::{SessionId, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

const DEFAULT_COMPARISONS: usize = 100;
const DEFAULT_RECENT: usize = 10;
const MOST_COMPARISONS: usize = 1000;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_shadow_comparisons))
        .routes(routes!(run_shadow_comparisons))
        .routes(routes!(recent_shadow_comparisons))
}

/// Answers compared with their alternatives, and how often which won
#[utoipa::path(get, path = "/api/shadow_comparisons", tag = "evaluation", params(GetShadowComparisonsQuery),
    responses((status = 200, body = GetShadowComparisonsResponse), Failure))]
async fn get_shadow_comparisons(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetShadowComparisonsQuery>,
) -> Result<Json<GetShadowComparisonsResponse>> {
    let page = Page {
        limit: query.limit.map_or(DEFAULT_COMPARISONS, |limit| limit.as_usize()).min(MOST_COMPARISONS),
        offset: query.offset.map_or(0, |offset| offset.as_usize()),
    };
    let filter = ShadowComparisonFilter {
        time: query.time(),
        user_id: given(query.user_id).map(UserId::new),
        session_id: given(query.session_id).map(SessionId::new),
        request_id: None,
        agent_version: given(query.agent_version),
        verdict: query.verdict.map(RegularVsShadow::into),
    };
    let page = app.shadow_comparisons(&caller, &filter, page).await?;
    Ok(Json(GetShadowComparisonsResponse {
        success: true,
        msg: found(page.comparisons.len(), "comparison"),
        comparisons: page.comparisons.into_iter().map(ShadowComparisonView::from).collect(),
        has_more: page.has_more,
        rates: page.tallies.into_iter().map(ShadowRateView::from).collect(),
    }))
}

/// Compare answers that were published before
#[utoipa::path(post, path = "/api/shadow_comparisons/run", tag = "evaluation",
    request_body = RunShadowComparisonsRequest,
    responses((status = 200, body = RunShadowComparisonsResponse), Failure))]
async fn run_shadow_comparisons(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<RunShadowComparisonsRequest>,
) -> Result<Json<RunShadowComparisonsResponse>> {
    let request = body.value();
    let which = ShadowTurnFilter {
        time: request.time(),
        user_id: given(request.user_id).map(UserId::new),
        session_id: given(request.session_id).map(SessionId::new),
        agent_version: given(request.agent_version),
        judged_too: false,
    };
    let compare = if request.again { Compare::Again } else { Compare::Missing };
    let queued = app.compare_shadows(&caller, &which, compare).await?;
    let msg = Some(format!("Queued the answers of {queued} request(s)"));
    Ok(Json(RunShadowComparisonsResponse { success: true, queued, msg }))
}

/// The latest comparisons, as the public contract shows them
#[utoipa::path(get, path = "/api/evaluations/shadow_comparisons/recent", tag = "evaluation",
    params(RecentShadowComparisonsQuery),
    responses((status = 200, body = GetRecentShadowComparisonsResponse), Failure))]
async fn recent_shadow_comparisons(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<RecentShadowComparisonsQuery>,
) -> Result<Json<GetRecentShadowComparisonsResponse>> {
    let limit = query.limit.map_or(DEFAULT_RECENT, |limit| limit.as_usize()).min(MOST_COMPARISONS);
    let page =
        app.shadow_comparisons(&caller, &ShadowComparisonFilter::default(), Page::first(limit)).await?;
    let verdicts = page.comparisons.into_iter().map(ShadowComparisonVerdict::from).collect();
    Ok(Json(GetRecentShadowComparisonsResponse { verdicts }))
}
