use std::fmt;

use crate::{JobId, LineageAction, LineageSubject, Run, RunId, RunLoss, Timestamp, UserId};

/// More rows make no sentence better.
const MOST_TOLD: usize = 10;

/// What undoing a run would do, or why it cannot be undone.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoPlan {
    pub run: Run,
    /// Rows that would be put back as they were.
    pub rows: u64,
    /// Some of them are approved agent playbooks, or were: production would change.
    pub touches_approved: bool,
    pub refusal: Option<UndoRefusal>,
}

/// Why a run cannot be undone. Nothing was changed.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoRefusal {
    AlreadyUndone(RunId),
    StillRunning(JobId),
    Lost(RunLoss),
    /// These rows are not as the run left them; in all there are so many.
    RowsChanged {
        rows: Vec<BlockedRow>,
        total: u64,
    },
}

/// A row that is not as the run left it.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockedRow {
    pub row: LineageSubject,
    pub user_id: Option<UserId>,
    pub reason: BlockReason,
}

/// What happened to it since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockReason {
    /// A later run changed it; undo that one first.
    LaterRun(RunId),
    Deleted,
    /// The run deleted it, and a row of this id was stored again.
    StoredAgain,
    /// The last that is known of it.
    Changed {
        action: Option<LineageAction>,
        actor: Option<String>,
        at: Option<Timestamp>,
    },
    /// What it was before is not kept any more.
    Forgotten,
}

impl fmt::Display for BlockReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockReason::LaterRun(run) => write!(f, "changed by the later run `{run}`: undo that one first"),
            BlockReason::Deleted => f.write_str("deleted since"),
            BlockReason::StoredAgain => f.write_str("stored again since"),
            BlockReason::Forgotten => f.write_str("deleted for good in between"),
            BlockReason::Changed { action, actor, at } => {
                f.write_str(action.map_or("changed", LineageAction::as_str))?;
                if let Some(actor) = actor {
                    write!(f, " by key `{actor}`")?;
                }
                match at {
                    Some(at) => write!(f, " at {}", at.to_iso()),
                    None => f.write_str(" since"),
                }
            }
        }
    }
}

impl fmt::Display for BlockedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`: {}", self.row.kind().replace('_', " "), self.row.id_text(), self.reason)
    }
}

impl fmt::Display for UndoRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UndoRefusal::AlreadyUndone(by) => {
                write!(f, "it was undone already by `{by}`; undo that one to bring it back")
            }
            UndoRefusal::StillRunning(job) => write!(f, "its job {job} is not over yet; cancel it or wait"),
            UndoRefusal::Lost(RunLoss::UserErased) => {
                f.write_str("a user whose rows it changed was erased, and their text with it")
            }
            UndoRefusal::Lost(RunLoss::Expired) => {
                f.write_str("it is older than the changes of runs are kept")
            }
            UndoRefusal::RowsChanged { rows, total } => {
                write!(f, "{total} row(s) are not as it left them")?;
                for row in rows.iter().take(MOST_TOLD) {
                    write!(f, "; {row}")?;
                }
                let more = total.saturating_sub(rows.len().min(MOST_TOLD) as u64);
                if more > 0 { write!(f, "; and {more} more") } else { Ok(()) }
            }
        }
    }
}
