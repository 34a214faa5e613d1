//! Where the entries of a run are kept.

mod file;
mod memory;

use async_trait::async_trait;
use playbook_engine::Entry;

pub use file::{FileJournal, Header};
pub use memory::MemoryJournal;

/// The journal of one run.
#[async_trait]
pub trait Journal: Send + Sync {
    /// All entries, from the first on.
    async fn read(&self) -> Result<Vec<Entry>, JournalError>;

    /// Adds entries after the first `position` ones. When it returns, they survive a crash; a crash before that may
    /// leave some of them, from the first on. Fails without a change if somebody else has added entries.
    async fn append(&self, position: u64, entries: &[Entry]) -> Result<(), JournalError>;
}

/// Why entries could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Somebody else runs the same run: read the journal again.
    #[error("the journal has {found} entries and not {expected}: somebody else goes on with this run")]
    Moved { expected: u64, found: u64 },
    /// The journal cannot be used any more.
    #[error("the journal is damaged: {0}")]
    Damaged(String),
    /// Another process works with it.
    #[error("the run is going on in another process")]
    Busy,
    /// It may work later.
    #[error("the journal cannot be used: {0}")]
    Unavailable(String),
}
