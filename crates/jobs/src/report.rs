//! Telling the store, and the metrics, how an attempt went.

use std::time::Duration;

use reflexio_store::{Error, Result, Retry};
use reflexio_types::{JobKind, JobState};
use tokio::time::sleep;

use crate::handler::{Failure, Running};
use crate::shared::Shared;
use crate::work::Outcome;

/// A store that is busy or full for a moment should not cost a finished job another run.
const TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(200);

pub(crate) async fn report(
    shared: &Shared,
    kind: JobKind,
    running: &Running,
    outcome: Outcome,
    took: Duration,
) {
    let state = match told(shared, running, &outcome).await {
        Ok(state) => Some(state),
        Err(Error::LostLease(_)) => None,
        Err(error) => {
            tracing::error!(job = %running.job.id, error = %error, "the end of a job could not be stored");
            None
        }
    };
    count(kind, state, &outcome, took);
    log(running, state, &outcome);
}

async fn told(shared: &Shared, running: &Running, outcome: &Outcome) -> Result<JobState> {
    let mut pause = FIRST_PAUSE;
    for _ in 1..TRIES {
        match tell(shared, running, outcome).await {
            Err(Error::Busy | Error::Full | Error::ReadOnly | Error::Internal(_)) => sleep(pause).await,
            other => return other,
        }
        pause *= 2;
    }
    tell(shared, running, outcome).await
}

async fn tell(shared: &Shared, running: &Running, outcome: &Outcome) -> Result<JobState> {
    let (store, lease, now) = (&shared.store, &running.lease, shared.now());
    match outcome {
        Outcome::Lost => Err(Error::LostLease(lease.job)),
        Outcome::Done => match store.complete(lease, now).await {
            Ok(()) => Ok(JobState::Done),
            Err(Error::LostLease(id)) => {
                completed_by_its_result(shared, running).await.ok_or(Error::LostLease(id))
            }
            Err(error) => Err(error),
        },
        Outcome::Failed(Failure::Retryable { reason, not_before }) => {
            let backoff = shared.settings.backoff.retry_at(lease.job, running.job.attempts, now);
            store.fail(lease, reason, Retry::At(not_before.unwrap_or(backoff)), now).await
        }
        Outcome::Failed(Failure::Permanent { reason }) => store.fail(lease, reason, Retry::Never, now).await,
        Outcome::Failed(Failure::Stalled { reason, until }) => {
            store.release(lease, reason, *until, now).await
        }
        Outcome::Failed(Failure::Stopped) => store.release(lease, "stopped when told to", now, now).await,
    }
}

/// A handler may have finished the job in the transaction that stored its result.
async fn completed_by_its_result(shared: &Shared, running: &Running) -> Option<JobState> {
    let job = shared.store.job(running.org(), running.job.id).await.ok().flatten()?;
    (job.state == JobState::Done && job.attempts == running.job.attempts).then_some(JobState::Done)
}

fn count(kind: JobKind, state: Option<JobState>, outcome: &Outcome, took: Duration) {
    let kind = kind.as_str();
    metrics::histogram!("reflexio_job_seconds", "kind" => kind).record(took.as_secs_f64());
    let word = match (state, outcome) {
        (None, _) => "lost",
        (Some(JobState::Queued), Outcome::Failed(Failure::Stalled { .. } | Failure::Stopped)) => "released",
        (Some(JobState::Queued), _) => "failed",
        (Some(state), _) => state.as_str(),
    };
    metrics::counter!("reflexio_jobs_ended_total", "kind" => kind, "outcome" => word).increment(1);
}

fn log(running: &Running, state: Option<JobState>, outcome: &Outcome) {
    let (job, org, kind, attempt) = (running.job.id, running.org(), &running.job.kind, running.job.attempts);
    match (state, outcome) {
        (None, _) => tracing::warn!(%job, %org, kind, attempt, "job {job} was lost to another worker"),
        (Some(JobState::Dead), Outcome::Failed(failure)) => {
            tracing::error!(%job, %org, kind, attempt, ?failure, "job {job} is given up");
        }
        (Some(_), Outcome::Failed(failure)) => {
            tracing::warn!(%job, %org, kind, attempt, ?failure, "job {job} did not succeed");
        }
        (Some(_), Outcome::Done | Outcome::Lost) => {
            tracing::debug!(%job, %org, kind, attempt, "job {job} is done")
        }
    }
}
