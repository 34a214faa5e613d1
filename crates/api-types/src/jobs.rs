use reflexio_types::{Attempt, Job, JobProgress, JobState as DomainState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::{NonNegative, Positive};

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    Queued,
    Running,
    Done,
    /// Given up; `retry` gives it new attempts.
    Dead,
    Cancelled,
}

impl From<DomainState> for JobState {
    fn from(state: DomainState) -> Self {
        match state {
            DomainState::Queued => JobState::Queued,
            DomainState::Running => JobState::Running,
            DomainState::Done => JobState::Done,
            DomainState::Dead => JobState::Dead,
            DomainState::Cancelled => JobState::Cancelled,
        }
    }
}

impl From<JobState> for DomainState {
    fn from(state: JobState) -> Self {
        match state {
            JobState::Queued => DomainState::Queued,
            JobState::Running => DomainState::Running,
            JobState::Done => DomainState::Done,
            JobState::Dead => DomainState::Dead,
            JobState::Cancelled => DomainState::Cancelled,
        }
    }
}

/// How far a job says it is.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobProgressView {
    pub done: u64,
    pub total: Option<u64>,
    pub message: Option<String>,
}

impl From<JobProgress> for JobProgressView {
    fn from(progress: JobProgress) -> Self {
        Self { done: progress.done, total: progress.total, message: progress.message }
    }
}

/// How an attempt ended, or what else happened to the job.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobAttemptView {
    pub at: i64,
    /// Which attempt it was; 0 before the first.
    pub attempt: u32,
    /// `done`, `failed`, `expired` (its worker was not heard of), `released` (not counted), `cancelled`, `retried`.
    pub outcome: String,
    pub reason: Option<String>,
}

impl From<Attempt> for JobAttemptView {
    fn from(attempt: Attempt) -> Self {
        Self {
            at: attempt.at.0,
            attempt: attempt.number,
            outcome: attempt.outcome.as_str().to_owned(),
            reason: attempt.reason,
        }
    }
}

/// A unit of background work.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    pub job_id: i64,
    pub user_id: Option<String>,
    /// `learn`, `embed`, or what another version of the server calls it.
    pub kind: String,
    /// Jobs of one lane run one at a time, in the order of arrival.
    pub lane: Option<String>,
    pub state: JobState,
    pub payload: Value,
    pub attempts: u32,
    pub max_attempts: u32,
    pub created_at: i64,
    /// It does not run before.
    pub run_after: i64,
    pub started_at: Option<i64>,
    pub finished_at: Option<i64>,
    /// Until when its worker has to be heard of.
    pub lease_until: Option<i64>,
    pub worker: Option<String>,
    /// It runs, and somebody wants it to stop.
    pub cancel_asked: bool,
    pub progress: Option<JobProgressView>,
    pub last_error: Option<String>,
    /// The latest 20 attempts, oldest first.
    pub history: Vec<JobAttemptView>,
}

impl From<Job> for JobView {
    fn from(job: Job) -> Self {
        Self {
            job_id: job.id.0,
            user_id: job.user_id.map(|user| user.into_string()),
            kind: job.kind,
            lane: job.lane,
            state: job.state.into(),
            payload: job.payload,
            attempts: job.attempts,
            max_attempts: job.max_attempts,
            created_at: job.created_at.0,
            run_after: job.run_after.0,
            started_at: job.started_at.map(|at| at.0),
            finished_at: job.finished_at.map(|at| at.0),
            lease_until: job.lease_until.map(|at| at.0),
            worker: job.worker,
            cancel_asked: job.cancel_asked,
            progress: job.progress.map(JobProgressView::from),
            last_error: job.last_error,
            history: job.history.into_iter().map(JobAttemptView::from).collect(),
        }
    }
}

/// Which jobs to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetJobsQuery {
    pub state: Option<JobState>,
    pub kind: Option<String>,
    pub user_id: Option<String>,
    /// How many: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
    /// How many to pass over.
    pub offset: Option<NonNegative>,
}

impl WireRequest for GetJobsQuery {}

/// How many jobs of the org are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobCountsView {
    pub queued: u64,
    pub running: u64,
    pub dead: u64,
}

/// A page of jobs, latest arrival first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetJobsResponse {
    pub success: bool,
    pub jobs: Vec<JobView>,
    pub has_more: bool,
    /// Of all jobs, whatever the filter.
    pub counts: JobCountsView,
    pub msg: Option<String>,
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobResponse {
    pub success: bool,
    pub job: JobView,
    pub msg: Option<String>,
}
