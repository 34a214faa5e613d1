use reflexio_evaluate::Policy;
use reflexio_evaluate::sampling::{Asked, Draw, asked};
use reflexio_types::{JobKind, Lane, NewJob, OrgId, Request, SessionId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::learning::{MODEL_ATTEMPTS, to_payload};

/// What the draw of a session is for.
const PURPOSE: &str = "evaluation";

/// The payload of a job that judges one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) user_id: UserId,
    pub(super) session_id: SessionId,
    pub(super) asked: Asked,
    /// The configuration as it was when the last turn came in.
    pub(super) policy: Policy,
}

/// The payload of a job that judges past sessions anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RegenerateTask {
    pub(super) operation_id: String,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
    pub(super) most_per_stratum: usize,
    pub(super) concurrency: usize,
    pub(super) policy: Policy,
}

pub(super) fn draw(org: &OrgId, user: &UserId, session: &SessionId) -> Draw {
    Draw::of(PURPOSE, org, user, session)
}

/// The timer that a publish sets: its session is judged when it has been silent for a while, if it is one of those
/// that are judged. The next publish sets it anew.
pub(crate) fn timer(org: &OrgId, request: &Request, policy: Policy) -> Result<Option<NewJob>> {
    let (user_id, session_id) = (request.user_id.clone(), request.session_id.clone());
    let asked = asked(&policy, draw(org, &user_id, &session_id), request.intent.evaluation_only);
    if asked.is_nothing() || !policy.takes(&request.source) {
        return Ok(None);
    }
    let delay = i64::from(policy.success.evaluation_delay_seconds);
    // With the length, since either name may hold a colon.
    let name = format!("evaluate:{}:{user_id}:{session_id}", user_id.as_str().len());
    let task = Task { user_id: user_id.clone(), session_id, asked, policy };
    Ok(Some(NewJob {
        dedup_key: Some(name.clone()),
        rearms: true,
        lane: Lane::Named(name),
        run_after: Some(Timestamp(request.created_at.0.saturating_add(delay))),
        max_attempts: MODEL_ATTEMPTS,
        ..NewJob::of_user(JobKind::Evaluate, user_id, to_payload(&task)?)
    }))
}

pub(super) fn regenerate(task: &RegenerateTask) -> Result<NewJob> {
    let job = NewJob::new(JobKind::Regenerate, to_payload(task)?);
    Ok(NewJob { max_attempts: MODEL_ATTEMPTS, ..job })
}
