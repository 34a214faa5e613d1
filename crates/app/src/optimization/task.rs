use reflexio_types::{JobKind, Lane, NewJob, OptimizationTarget, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::learning::to_payload;

/// A run that cannot reach its assistant comes back some times, hours apart.
const ATTEMPTS: u32 = 5;
const NIGHTLY: &str = "optimize:nightly";

/// The payload of a job of the optimiser. The run itself is found by its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub(super) enum Task {
    Playbook {
        target: OptimizationTarget,
    },
    /// Measure how much it helps.
    Lift {
        target: OptimizationTarget,
    },
    /// Start runs for the playbooks that are due.
    Nightly,
}

pub(super) fn job(target: OptimizationTarget) -> Result<NewJob> {
    of(target, Task::Playbook { target })
}

pub(super) fn lift(target: OptimizationTarget) -> Result<NewJob> {
    of(target, Task::Lift { target })
}

fn of(target: OptimizationTarget, task: Task) -> Result<NewJob> {
    let lane = Lane::Named(format!("optimize:{}:{}", target.kind(), target.id()));
    let job = NewJob::new(JobKind::Optimize, to_payload(&task)?);
    Ok(NewJob { lane, max_attempts: ATTEMPTS, ..job })
}

/// The timer of an org; set anew, it rings at the new time.
pub(super) fn nightly(at: Timestamp) -> Result<NewJob> {
    Ok(NewJob { rearms: true, ..nightly_if_missing(at)? })
}

/// The timer of an org that has none; one that is set stays as it is.
pub(super) fn nightly_if_missing(at: Timestamp) -> Result<NewJob> {
    Ok(NewJob {
        dedup_key: Some(NIGHTLY.to_owned()),
        lane: Lane::Named(NIGHTLY.to_owned()),
        run_after: Some(at),
        ..NewJob::new(JobKind::Optimize, to_payload(&Task::Nightly)?)
    })
}
