use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{SessionId, Timestamp, UserId};

/// How a session ended, by the word of whoever runs the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    Success,
    Failure,
    Unknown,
}

impl OutcomeKind {
    pub const ALL: [OutcomeKind; 3] = [OutcomeKind::Success, OutcomeKind::Failure, OutcomeKind::Unknown];

    pub fn as_str(self) -> &'static str {
        match self {
            OutcomeKind::Success => "success",
            OutcomeKind::Failure => "failure",
            OutcomeKind::Unknown => "unknown",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The outcome of a session. It is set once: another one for the same session is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionOutcome {
    pub id: String,
    pub user_id: UserId,
    pub session_id: SessionId,
    pub kind: OutcomeKind,
    pub occurred_at: Timestamp,
    /// Of the first request of the session.
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Of what was said about the session; a retry has the same.
    pub contract_digest: String,
    /// Of all that the session held when this was said.
    pub trajectory_digest: String,
    pub created_at: Timestamp,
}
