use reflexio_learn::engine::Selection;
use reflexio_learn::{Policy, Wanted};
use reflexio_types::{Job, JobKind, Lane, NewJob, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, Result};

/// A provider that is down for an afternoon should not kill a job.
pub(crate) const MODEL_ATTEMPTS: u32 = 10;
const IDLE_LANE: &str = "learn-idle:";

/// The payload of a job that learns from one user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) user_id: UserId,
    /// The configuration as it was when the job was queued; the one in force if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<Policy>,
    #[serde(default, skip_serializing_if = "Run::is_due")]
    pub(super) run: Run,
}

/// What to learn from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub(super) enum Run {
    /// Windows that are due.
    #[default]
    Due,
    /// All that waits, if the user has been silent for long enough.
    Idle,
    /// The last window.
    Last { wanted: Wanted, which: Selection },
}

impl Run {
    fn is_due(&self) -> bool {
        *self == Run::Due
    }
}

/// The payload of a job that learns anew from many users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RerunTask {
    pub(super) operation_id: String,
    pub(super) wanted: Wanted,
    #[serde(default)]
    pub(super) user_id: Option<UserId>,
    pub(super) which: Selection,
    pub(super) policy: Policy,
    /// The key of who asked for it, if there is one.
    #[serde(default)]
    pub(super) asked_by: Option<String>,
}

/// Learns from what a publish made due. One that waits under the same configuration covers it.
pub(crate) fn due(user_id: &UserId, policy: Policy) -> Result<NewJob> {
    let task = Task { user_id: user_id.clone(), policy: Some(policy), run: Run::Due };
    let payload = to_payload(&task)?;
    let digest = blake3::hash(payload.to_string().as_bytes()).to_hex();
    let job = NewJob::of_user(JobKind::Learn, user_id.clone(), payload);
    let dedup_key = job.lane_name().map(|lane| format!("{lane}:{}", &digest.as_str()[..16]));
    Ok(NewJob { dedup_key, max_attempts: MODEL_ATTEMPTS, ..job })
}

/// Learns from what a silent user left. It has a lane of its own: a job that waits holds up its lane.
pub(super) fn idle(user_id: &UserId, policy: &Policy, at: Timestamp) -> Result<NewJob> {
    let task = Task { user_id: user_id.clone(), policy: Some(policy.clone()), run: Run::Idle };
    let name = format!("{IDLE_LANE}{user_id}");
    Ok(NewJob {
        dedup_key: Some(name.clone()),
        lane: Lane::Named(name),
        run_after: Some(at),
        max_attempts: MODEL_ATTEMPTS,
        ..NewJob::of_user(JobKind::Learn, user_id.clone(), to_payload(&task)?)
    })
}

/// Whether a job only waits for its user to fall silent.
pub(super) fn is_idle(job: &Job) -> bool {
    job.lane.as_deref().is_some_and(|lane| lane.starts_with(IDLE_LANE))
}

pub(super) fn last(user_id: &UserId, policy: &Policy, wanted: Wanted, which: &Selection) -> Result<NewJob> {
    let run = Run::Last { wanted, which: which.clone() };
    let task = Task { user_id: user_id.clone(), policy: Some(policy.clone()), run };
    Ok(NewJob::of_user(JobKind::Learn, user_id.clone(), to_payload(&task)?))
}

pub(super) fn rerun(task: &RerunTask, service: &str) -> Result<NewJob> {
    let lane = Lane::Named(format!("rerun:{service}"));
    let user_id = task.user_id.clone();
    let job = NewJob::new(JobKind::Rerun, to_payload(task)?);
    Ok(NewJob { user_id, lane, max_attempts: MODEL_ATTEMPTS, ..job })
}

/// People read payloads: what was not set is left out of them.
pub(crate) fn to_payload(task: &impl Serialize) -> Result<Value> {
    let mut value = serde_json::to_value(task).map_err(|error| Error::Internal(Box::new(error)))?;
    leave_out_nulls(&mut value);
    Ok(value)
}

fn leave_out_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(leave_out_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
