use axum::Json;
use axum::extract::Path;
use reflexio_api_types::{GetJobsQuery, GetJobsResponse, JobCountsView, JobResponse, JobState, JobView};
use reflexio_store::{JobFilter, Page};
use reflexio_types::{Job, JobId, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Query, UseCases, Who};

const DEFAULT_JOBS: usize = 100;
/// Payloads and histories are of any size; a page should not be.
const MOST_JOBS: usize = 1000;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_jobs))
        .routes(routes!(get_job))
        .routes(routes!(retry_job))
        .routes(routes!(cancel_job))
}

/// Background work, latest arrival first
#[utoipa::path(get, path = "/api/jobs", tag = "jobs", params(GetJobsQuery),
    responses((status = 200, body = GetJobsResponse), Failure))]
async fn get_jobs(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetJobsQuery>,
) -> Result<Json<GetJobsResponse>> {
    let page = Page {
        limit: query.limit.map_or(DEFAULT_JOBS, |limit| limit.as_usize()).min(MOST_JOBS),
        offset: query.offset.map_or(0, |offset| offset.as_usize()),
    };
    let filter = JobFilter {
        state: query.state.map(JobState::into),
        kind: given(query.kind),
        user_id: given(query.user_id).map(UserId::new),
    };
    let found_jobs = app.jobs(&caller, &filter, page).await?;
    let counts = found_jobs.counts;
    Ok(Json(GetJobsResponse {
        success: true,
        msg: found(found_jobs.jobs.len(), "job"),
        jobs: found_jobs.jobs.into_iter().map(JobView::from).collect(),
        has_more: found_jobs.has_more,
        counts: JobCountsView { queued: counts.queued, running: counts.running, dead: counts.dead },
    }))
}

/// One job with its history
#[utoipa::path(get, path = "/api/jobs/{job_id}", tag = "jobs",
    params(("job_id" = i64, Path, description = "as in `job_id` of a job")),
    responses((status = 200, body = JobResponse), Failure))]
async fn get_job(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(job_id): Path<String>,
) -> Result<Json<JobResponse>> {
    Ok(shown(app.job(&caller, id(&job_id)?).await?, None))
}

/// Give a dead or cancelled job new attempts
#[utoipa::path(post, path = "/api/jobs/{job_id}/retry", tag = "jobs",
    params(("job_id" = i64, Path, description = "as in `job_id` of a job")),
    responses((status = 200, body = JobResponse), Failure))]
async fn retry_job(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(job_id): Path<String>,
) -> Result<Json<JobResponse>> {
    Ok(shown(app.retry_job(&caller, id(&job_id)?).await?, Some("Queued")))
}

/// Cancel a queued job, or ask a running one to stop
#[utoipa::path(post, path = "/api/jobs/{job_id}/cancel", tag = "jobs",
    params(("job_id" = i64, Path, description = "as in `job_id` of a job")),
    responses((status = 200, body = JobResponse), Failure))]
async fn cancel_job(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(job_id): Path<String>,
) -> Result<Json<JobResponse>> {
    let job = app.cancel_job(&caller, id(&job_id)?).await?;
    let msg = if job.cancel_asked { "Asked to stop" } else { "Cancelled" };
    Ok(shown(job, Some(msg)))
}

fn shown(job: Job, msg: Option<&str>) -> Json<JobResponse> {
    Json(JobResponse { success: true, job: job.into(), msg: msg.map(str::to_owned) })
}

/// What is no number names no job.
fn id(text: &str) -> Result<JobId> {
    let missing = || reflexio_app::Error::NotFound { what: "job", id: text.to_owned() };
    Ok(JobId(text.parse().map_err(|_| missing())?))
}
