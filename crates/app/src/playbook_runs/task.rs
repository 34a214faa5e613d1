use reflexio_types::{JobKind, Lane, NewJob, PlaybookRun, PlaybookRunId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::learning::{MODEL_ATTEMPTS, to_payload};

/// The payload of a job that lets a run go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) run: PlaybookRunId,
    pub(super) tell: Tell,
}

/// What the run is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tell {
    Nothing,
    Message { text: String },
    Approval { is_granted: bool, by: String },
}

/// What is told to one run is told in the order in which it came.
pub(super) fn job(run: &PlaybookRun, tell: Tell) -> Result<NewJob> {
    let task = Task { run: run.id.clone(), tell };
    Ok(NewJob {
        lane: Lane::Named(format!("playbook_run:{}", run.id)),
        max_attempts: MODEL_ATTEMPTS,
        ..NewJob::of_user(JobKind::PlaybookRun, run.user_id.clone(), to_payload(&task)?)
    })
}

/// Wakes a run at a time. It waits in no lane, since it would hold up what is told meanwhile.
pub(super) fn wake(run: &PlaybookRun, at: Timestamp) -> Result<NewJob> {
    let task = Task { run: run.id.clone(), tell: Tell::Nothing };
    Ok(NewJob {
        lane: Lane::Free,
        dedup_key: Some(format!("playbook_run:{}:wake", run.id)),
        rearms: true,
        run_after: Some(at),
        max_attempts: MODEL_ATTEMPTS,
        ..NewJob::of_user(JobKind::PlaybookRun, run.user_id.clone(), to_payload(&task)?)
    })
}
