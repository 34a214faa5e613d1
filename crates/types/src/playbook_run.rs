use serde::{Deserialize, Serialize};

use crate::{PlaybookRunId, Timestamp, UserId};

/// How a run of a Markdown playbook stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaybookRunStatus {
    /// It goes on by itself.
    Running,
    /// For the user, for an approval, or for a time to come.
    Waiting,
    /// A step needs a model, and there is none or it cannot be asked.
    NeedsModel,
    Done,
    /// A step ended the program.
    Ended,
    /// A budget was reached.
    Partial,
    /// A person takes over.
    HandedOff,
    Failed,
    Cancelled,
}

impl PlaybookRunStatus {
    pub const ALL: [Self; 9] = [
        Self::Running,
        Self::Waiting,
        Self::NeedsModel,
        Self::Done,
        Self::Ended,
        Self::Partial,
        Self::HandedOff,
        Self::Failed,
        Self::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::NeedsModel => "needs_model",
            Self::Done => "done",
            Self::Ended => "ended",
            Self::Partial => "partial",
            Self::HandedOff => "handed_off",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Nothing more happens.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Running | Self::Waiting | Self::NeedsModel)
    }
}

/// A run of a Markdown playbook. What happened in it is in its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookRun {
    pub id: PlaybookRunId,
    pub user_id: UserId,
    /// The name of the program.
    pub program: String,
    /// The fingerprint of its text.
    pub version: String,
    pub status: PlaybookRunStatus,
    /// Why it stands like this, where that says something.
    pub reason: Option<String>,
    /// Entries of its journal.
    pub entries: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
