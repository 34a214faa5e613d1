use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reflexio_vectors::Labels;

use super::changes::Change;
use super::names::Names;
use crate::fts::Index;

/// What changes while an index is read from the database. Whoever reads holds an old state of the rows that
/// changed since; those must not be added over the new one.
#[derive(Debug)]
pub(super) struct Tracker(Mutex<Option<Changed>>);

/// Rows that are newer than what was read of them.
#[derive(Debug, Default)]
pub(super) struct Changed {
    rows: HashSet<(Index, i64)>,
    tables: HashSet<Index>,
    /// Of these only the labels changed.
    labels: HashMap<(Index, i64), Labels>,
}

impl Tracker {
    /// For an index that is yet to be read.
    pub(super) fn loading() -> Self {
        Self(Mutex::new(Some(Changed::default())))
    }

    pub(super) fn is_loading(&self) -> bool {
        self.changed().is_some()
    }

    pub(super) fn finish(&self) {
        *self.changed() = None;
    }

    /// Held while rows are added or changed, so that the two do not overtake each other.
    pub(super) fn changed(&self) -> MutexGuard<'_, Option<Changed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Changed {
    pub(super) fn clear(&mut self, index: Index) {
        self.tables.insert(index);
    }

    pub(super) fn note<T>(&mut self, names: &Names, index: Index, rows: &[(i64, Change<T>)]) {
        for (key, change) in rows {
            match change {
                Change::Relabel(facts) => drop(self.labels.insert((index, *key), facts.labels(names))),
                Change::Remove | Change::Put(..) => drop(self.rows.insert((index, *key))),
            }
        }
    }

    /// The labels of a row as they are now, if what was read of it still counts.
    pub(super) fn renew(&self, index: Index, key: i64, read: &Labels) -> Option<Labels> {
        if self.tables.contains(&index) || self.rows.contains(&(index, key)) {
            return None;
        }
        Some(self.labels.get(&(index, key)).unwrap_or(read).clone())
    }
}
