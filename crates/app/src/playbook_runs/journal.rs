use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use playbook_run::engine::Entry;
use playbook_run::{Journal, JournalError};
use reflexio_store::{Error, JournalPiece, Lease};
use reflexio_types::PlaybookRunId;

use crate::App;

/// The journal of a run in the store, written by the holder of a job.
pub(super) struct StoreJournal<'a> {
    pub(super) app: &'a App,
    pub(super) lease: &'a Lease,
    pub(super) run: &'a PlaybookRunId,
    /// The next entries hold the event of the job: told once, it is never told again.
    pub(super) tells: AtomicBool,
}

#[async_trait]
impl Journal for StoreJournal<'_> {
    async fn read(&self) -> Result<Vec<Entry>, JournalError> {
        let entries = self.app.entries_of(&self.lease.org, self.run).await;
        entries.map_err(|error| JournalError::Unavailable(error.to_string()))
    }

    async fn append(&self, position: u64, entries: &[Entry]) -> Result<(), JournalError> {
        let written = entries.iter().map(serde_json::to_string).collect::<Result<_, _>>();
        let entries = written.map_err(|error| JournalError::Unavailable(error.to_string()))?;
        let told_by = self.tells.load(Ordering::Relaxed).then_some(self.lease.job);
        let piece = JournalPiece { position, entries, told_by };
        let (store, now) = (&self.app.store, self.app.now());
        let stored = store.extend_playbook_journal(self.lease, self.run, piece, now).await;
        stored.map_err(|error| {
            if matches!(error, Error::Changed { .. }) {
                return JournalError::Moved { expected: position, found: position + 1 };
            }
            JournalError::Unavailable(error.to_string())
        })?;
        self.app.playbooks.note_change();
        Ok(())
    }
}
