use axum::Json;
use reflexio_api_types::{
    AgentPlaybookCountsView, AnalyticsQuery, CountView, DayCountView, HealthCheckView, HealthQuery,
    HealthStatus, PlaybookAnalyticsResponse, PlaybookHealthResponse, PlaybookReviewResponse,
    UserPlaybookCountsView, VersionAnalyticsResponse, VersionAnalyticsView, WaitingPlaybookView,
};
use reflexio_app::{Counted, HealthState, HealthTerms, VersionAnalytics};
use reflexio_store::PlaybookScope;
use reflexio_types::{AgentPlaybook, Timestamp};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given;
use super::impact::{difference, share};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Query, UseCases, Who};

const SECONDS_PER_DAY: i64 = 86_400;
const DEFAULT_DAYS: i64 = 7;
const DEFAULT_LISTED: usize = 50;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(playbook_analytics))
        .routes(routes!(version_analytics))
        .routes(routes!(playbook_review))
        .routes(routes!(playbook_health))
}

/// The scope, and where its time begins.
fn scope(query: &AnalyticsQuery, now: Timestamp) -> (PlaybookScope, Timestamp) {
    let mut time = query.time();
    let days = query.days.map_or(DEFAULT_DAYS, |days| days.0);
    let days_ago = || Timestamp(time.end.unwrap_or(now).0.saturating_sub(days * SECONDS_PER_DAY));
    let since = time.start.unwrap_or_else(days_ago);
    time.start = Some(since);
    let versions = query.agent_version.iter().flat_map(|versions| versions.split(','));
    let scope = PlaybookScope {
        playbook_name: given(query.playbook_name.clone()),
        agent_versions: versions.map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect(),
        time,
    };
    (scope, since)
}

fn counts(rows: Vec<Counted>) -> Vec<CountView> {
    rows.into_iter().map(|row| CountView { key: row.key, total: row.total, recent: row.recent }).collect()
}

/// User and agent playbooks by type, version, status and day
#[utoipa::path(get, path = "/api/analytics/playbooks", tag = "analytics", params(AnalyticsQuery),
    responses((status = 200, body = PlaybookAnalyticsResponse), Failure))]
async fn playbook_analytics(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<AnalyticsQuery>,
) -> Result<Json<PlaybookAnalyticsResponse>> {
    let (scope, since) = scope(&query, app.now());
    let found = app.playbook_analytics(&caller, &scope).await?;
    let day = |day: reflexio_store::DayCount| DayCountView { day: day.day.to_string(), count: day.count };
    Ok(Json(PlaybookAnalyticsResponse {
        success: true,
        since: since.0,
        until: scope.time.end.map(|end| end.0),
        days: found.days,
        user_playbooks: UserPlaybookCountsView {
            total: found.user.total,
            recent: found.user.recent,
            daily_average: found.daily_average,
            by_type: counts(found.user.by_type),
            by_version: counts(found.user.by_version),
            by_status: counts(found.user.by_status),
            by_day: found.user_days.into_iter().map(day).collect(),
        },
        agent_playbooks: AgentPlaybookCountsView {
            total: found.agent.total,
            recent: found.agent.recent,
            by_decision: counts(found.by_decision),
            by_type: counts(found.agent.by_type),
            by_version: counts(found.agent.by_version),
            by_status: counts(found.agent.by_status),
        },
    }))
}

/// Agent versions beside each other: what their requests taught
#[utoipa::path(get, path = "/api/analytics/versions", tag = "analytics", params(AnalyticsQuery),
    responses((status = 200, body = VersionAnalyticsResponse), Failure))]
async fn version_analytics(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<AnalyticsQuery>,
) -> Result<Json<VersionAnalyticsResponse>> {
    let (scope, since) = scope(&query, app.now());
    let versions = app.version_analytics(&caller, &scope).await?;
    Ok(Json(VersionAnalyticsResponse {
        success: true,
        since: since.0,
        versions: versions.into_iter().map(version).collect(),
    }))
}

fn version(row: VersionAnalytics) -> VersionAnalyticsView {
    let counts = row.counts;
    VersionAnalyticsView {
        agent_version: counts.agent_version,
        playbooks: counts.playbooks,
        unique_requests: counts.requests,
        playbooks_per_request: (counts.requests > 0)
            .then(|| counts.playbooks as f64 / counts.requests as f64),
        published_requests: counts.published,
        taught: share(row.taught),
        difference_to_first: row.to_first.map(difference),
    }
}

/// What is new, and which agent playbooks wait longest for a person
#[utoipa::path(get, path = "/api/analytics/review", tag = "analytics", params(AnalyticsQuery),
    responses((status = 200, body = PlaybookReviewResponse), Failure))]
async fn playbook_review(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<AnalyticsQuery>,
) -> Result<Json<PlaybookReviewResponse>> {
    let now = app.now();
    let (scope, since) = scope(&query, now);
    let limit = query.limit.map_or(DEFAULT_LISTED, |limit| limit.as_usize());
    let review = app.playbook_review(&caller, &scope, since, limit).await?;
    let waits = |row: AgentPlaybook| WaitingPlaybookView {
        waiting_days: now.0.saturating_sub(row.created_at.0).max(0) / SECONDS_PER_DAY,
        playbook: row.into(),
    };
    Ok(Json(PlaybookReviewResponse {
        success: true,
        since: review.since.0,
        new_user_playbooks: counts(review.new_user_playbooks),
        new_agent_playbooks: counts(review.new_agent_playbooks),
        waiting: review.waiting,
        longest_waiting: review.longest_waiting.into_iter().map(waits).collect(),
    }))
}

/// Whether playbooks come, are learned and reviewed as they should
#[utoipa::path(get, path = "/api/analytics/health", tag = "analytics", params(HealthQuery),
    responses((status = 200, body = PlaybookHealthResponse), Failure))]
async fn playbook_health(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<HealthQuery>,
) -> Result<Json<PlaybookHealthResponse>> {
    let usual = HealthTerms::default();
    let days = query.pending_days.and_then(|days| u32::try_from(days.0).ok());
    let terms = HealthTerms {
        min_daily: query.min_daily.map(|least| least.0.unsigned_abs()),
        pending_days: days.unwrap_or(usual.pending_days),
    };
    let health = app.playbook_health(&caller, terms).await?;
    let status = |state| match state {
        HealthState::Ok => HealthStatus::Ok,
        HealthState::Attention => HealthStatus::Attention,
    };
    Ok(Json(PlaybookHealthResponse {
        success: true,
        status: status(health.state()),
        checks: health
            .checks
            .into_iter()
            .map(|check| HealthCheckView {
                name: check.name.to_owned(),
                status: status(check.state),
                message: check.message,
                hint: check.hint.map(str::to_owned),
            })
            .collect(),
    }))
}
