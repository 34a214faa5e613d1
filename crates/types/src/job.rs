use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{JobId, Timestamp};

/// The kinds of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Learn from the interactions of one user that are not covered yet.
    Learn,
}

impl JobKind {
    pub fn as_str(self) -> &'static str {
        match self {
            JobKind::Learn => "learn",
        }
    }
}

/// Work to be queued in the transaction that makes it necessary.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    pub kind: JobKind,
    /// A queued job with the same key already covers this one.
    pub dedup_key: String,
    pub payload: Value,
}

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    Queued,
    Running,
    Done,
    Dead,
}

impl JobState {
    pub const ALL: [JobState; 4] = [JobState::Queued, JobState::Running, JobState::Done, JobState::Dead];

    pub fn as_str(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Done => "done",
            JobState::Dead => "dead",
        }
    }
}

/// A stored job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub kind: String,
    pub dedup_key: String,
    pub payload: Value,
    pub state: JobState,
    pub created_at: Timestamp,
}
