use reflexio_evaluate::shadow::Policy;
use reflexio_types::{JobKind, Lane, NewJob, RequestId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::learning::{MODEL_ATTEMPTS, to_payload};

/// The payload of a job that compares the answers of one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) request_id: RequestId,
    /// The configuration as it was when the conversation came in.
    #[serde(default)]
    pub(super) policy: Policy,
    /// Answers that were compared before are compared again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Timestamp>,
}

/// Comparisons do not depend on each other, so they wait for nobody.
pub(super) fn job(
    request_id: &RequestId,
    user_id: &UserId,
    policy: &Policy,
    since: Option<Timestamp>,
) -> Result<NewJob> {
    let task = Task { request_id: request_id.clone(), policy: policy.clone(), since };
    let payload = to_payload(&task)?;
    let again = if since.is_some() { ":again" } else { "" };
    Ok(NewJob {
        dedup_key: Some(format!("{}:{request_id}{again}", JobKind::CompareShadow.as_str())),
        lane: Lane::Free,
        max_attempts: MODEL_ATTEMPTS,
        ..NewJob::of_user(JobKind::CompareShadow, user_id.clone(), payload)
    })
}
