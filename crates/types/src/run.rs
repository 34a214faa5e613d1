use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{JobId, LineageSubject, RunId, Timestamp, UserId};

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Agent playbooks out of user playbooks.
    Aggregation,
    /// Learning anew from all that was published.
    Rerun,
    Upgrade,
    Downgrade,
    Import,
    /// Approved rules of one version of the agent, proposed for another.
    CarryOver,
    /// A better wording of one playbook.
    Optimization,
    /// Takes another run back; undoing it brings that run back.
    Undo,
}

impl RunKind {
    pub const ALL: [RunKind; 8] = [
        RunKind::Aggregation,
        RunKind::Rerun,
        RunKind::Upgrade,
        RunKind::Downgrade,
        RunKind::Import,
        RunKind::CarryOver,
        RunKind::Optimization,
        RunKind::Undo,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            RunKind::Aggregation => "aggregation",
            RunKind::Rerun => "rerun",
            RunKind::Upgrade => "upgrade",
            RunKind::Downgrade => "downgrade",
            RunKind::Import => "import",
            RunKind::CarryOver => "carry_over",
            RunKind::Optimization => "optimization",
            RunKind::Undo => "undo",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Whether what a run did stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Done,
    Undone,
}

impl RunState {
    pub const ALL: [RunState; 2] = [RunState::Done, RunState::Undone];

    pub fn as_str(self) -> &'static str {
        match self {
            RunState::Done => "done",
            RunState::Undone => "undone",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// Why what a run changed is not known any more, so that it cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunLoss {
    /// A user whose rows it changed was erased.
    UserErased,
    /// It is older than such records are kept.
    Expired,
}

impl RunLoss {
    pub const ALL: [RunLoss; 2] = [RunLoss::UserErased, RunLoss::Expired];

    pub fn as_str(self) -> &'static str {
        match self {
            RunLoss::UserErased => "user_erased",
            RunLoss::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|loss| loss.as_str() == text)
    }
}

/// An operation that changed learned rows, with what is needed to undo it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub kind: RunKind,
    pub state: RunState,
    /// The key that started it; nothing for the machine itself or a keyless loopback caller.
    pub actor: Option<String>,
    /// Nobody asked for it.
    pub automatic: bool,
    pub job: Option<JobId>,
    /// What it was about, for people.
    pub scope: String,
    pub started_at: Timestamp,
    /// When it last changed something.
    pub ended_at: Timestamp,
    pub added: u64,
    pub changed: u64,
    /// Rows that it deleted or took out of use.
    pub retired: u64,
    /// The run that this one took back.
    pub undoes: Option<RunId>,
    /// The run that took this one back.
    pub undone_by: Option<RunId>,
    pub loss: Option<RunLoss>,
}

/// What happened to a row in one step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunAction {
    Added,
    Changed,
    Deleted,
}

impl RunAction {
    pub fn as_str(self) -> &'static str {
        match self {
            RunAction::Added => "added",
            RunAction::Changed => "changed",
            RunAction::Deleted => "deleted",
        }
    }
}

/// One change of a run. Of a row that changed, both sides hold only the fields that differ.
#[derive(Debug, Clone, PartialEq)]
pub struct RunChange {
    /// Grows in the order in which things happened.
    pub sequence: i64,
    pub action: RunAction,
    pub row: LineageSubject,
    pub user_id: Option<UserId>,
    /// Missing for a row that was added, or whose text was erased since.
    pub before: Option<Map<String, Value>>,
    /// Missing for a row that was deleted, or that is not any more as the run left it.
    pub after: Option<Map<String, Value>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_read_back() {
        for kind in RunKind::ALL {
            assert_eq!(RunKind::parse(kind.as_str()), Some(kind));
        }
        for state in RunState::ALL {
            assert_eq!(RunState::parse(state.as_str()), Some(state));
        }
        for loss in RunLoss::ALL {
            assert_eq!(RunLoss::parse(loss.as_str()), Some(loss));
        }
    }
}
