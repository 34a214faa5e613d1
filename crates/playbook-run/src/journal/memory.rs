use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use playbook_engine::Entry;

use super::{Journal, JournalError};

/// A journal that lives as long as its process.
#[derive(Debug, Default)]
pub struct MemoryJournal(Mutex<Vec<Entry>>);

impl MemoryJournal {
    #[must_use]
    pub fn new(entries: Vec<Entry>) -> Self {
        Self(Mutex::new(entries))
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Journal for MemoryJournal {
    async fn read(&self) -> Result<Vec<Entry>, JournalError> {
        Ok(self.entries())
    }

    async fn append(&self, position: u64, entries: &[Entry]) -> Result<(), JournalError> {
        let mut stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = stored.len() as u64;
        if found != position {
            return Err(JournalError::Moved { expected: position, found });
        }
        stored.extend_from_slice(entries);
        Ok(())
    }
}
