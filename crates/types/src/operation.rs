use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Timestamp;

/// How a long operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    InProgress,
    Completed,
    Failed,
    Cancelled,
}

impl OperationState {
    pub const ALL: [OperationState; 4] = [
        OperationState::InProgress,
        OperationState::Completed,
        OperationState::Failed,
        OperationState::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            OperationState::InProgress => "in_progress",
            OperationState::Completed => "completed",
            OperationState::Failed => "failed",
            OperationState::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// A rerun or another operation that outlives its request, and how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    pub id: String,
    /// `profile_generation` or `playbook_generation`.
    pub service_name: String,
    pub state: OperationState,
    pub started_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    pub total_users: u64,
    pub processed_user_ids: Vec<String>,
    pub failed_user_ids: Vec<Map<String, Value>>,
    pub current_user_id: Option<String>,
    pub request_params: Map<String, Value>,
    pub stats: Map<String, Value>,
    pub error_message: Option<String>,
}
