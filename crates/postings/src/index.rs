//! The index: orgs and writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use reflexio_vectors::Labels;

use crate::partition::Partition;

/// A row to add: an id that is unique within its org, what filters look at, and its terms in order, with spaces
/// between them, as `reflexio_search::terms` gives them.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    pub id: u64,
    pub labels: Labels,
    pub terms: &'a str,
}

/// A row that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub id: u64,
    pub score: f64,
}

/// How large an index is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub rows: usize,
    /// Rows that were deleted or replaced and wait to be merged away.
    pub dead_rows: usize,
    pub parts: usize,
    /// The lists: which rows hold a term, how often and where.
    pub posting_bytes: usize,
    pub dictionary_bytes: usize,
    /// Ids, times, labels, users, lengths and what else there is.
    pub column_bytes: usize,
}

impl Size {
    pub fn bytes(&self) -> usize {
        self.posting_bytes + self.dictionary_bytes + self.column_bytes
    }
}

/// An inverted index in memory, kept beside the database that holds the text.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) orgs: RwLock<HashMap<u32, Arc<Partition>>>,
}

impl Index {
    /// An empty index.
    pub fn new() -> Index {
        Index::default()
    }

    /// Adds and removes rows in one step; a row in both lists is added, one with a known id replaces it, and the
    /// last of equal ids counts. The next search sees all of it, none sees some. Returns how many old rows are gone.
    pub fn apply(&self, org: u32, puts: &[Row<'_>], removes: &[u64]) -> usize {
        let last: BTreeMap<u64, &Row<'_>> = puts.iter().map(|row| (row.id, row)).collect();
        let gone: BTreeSet<u64> = last.keys().chain(removes).copied().collect();
        let rows: Vec<&Row<'_>> = last.into_values().collect();
        if rows.is_empty() {
            self.partition(org).map_or(0, |partition| partition.replace(&gone, &rows))
        } else {
            self.partition_or_new(org).replace(&gone, &rows)
        }
    }

    /// Gives rows new labels and leaves their terms; the last of equal ids counts. Returns how many of the rows are
    /// here. A row that changes its user costs the reading of a whole part.
    pub fn relabel(&self, org: u32, rows: &[(u64, Labels)]) -> usize {
        let rows: BTreeMap<u64, &Labels> = rows.iter().map(|(id, labels)| (*id, labels)).collect();
        self.partition(org).map_or(0, |partition| partition.relabel(&rows))
    }

    /// Forgets all rows of an org.
    pub fn remove_org(&self, org: u32) {
        let gone = self.orgs.write().unwrap_or_else(PoisonError::into_inner).remove(&org);
        drop(gone);
    }

    /// Forgets all rows.
    pub fn clear(&self) {
        let gone = std::mem::take(&mut *self.orgs.write().unwrap_or_else(PoisonError::into_inner));
        drop(gone);
    }

    pub fn size(&self) -> Size {
        let mut size = Size::default();
        for (_, partition) in self.partitions() {
            for part in &partition.snapshot().parts {
                size.rows += part.live_rows();
                size.dead_rows += part.dead_rows();
                size.parts += 1;
                size.posting_bytes += part.segment.lists.bytes();
                size.dictionary_bytes += part.segment.dictionary.bytes();
                size.column_bytes += part.segment.column_bytes() + part.labels.bytes() + part.dead_bytes();
            }
        }
        size
    }

    pub(crate) fn partition(&self, org: u32) -> Option<Arc<Partition>> {
        self.orgs.read().unwrap_or_else(PoisonError::into_inner).get(&org).cloned()
    }

    fn partition_or_new(&self, org: u32) -> Arc<Partition> {
        if let Some(partition) = self.partition(org) {
            return partition;
        }
        let mut orgs = self.orgs.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(orgs.entry(org).or_default())
    }

    /// All orgs, in order.
    pub(crate) fn partitions(&self) -> Vec<(u32, Arc<Partition>)> {
        let orgs = self.orgs.read().unwrap_or_else(PoisonError::into_inner);
        let mut partitions: Vec<_> =
            orgs.iter().map(|(org, partition)| (*org, Arc::clone(partition))).collect();
        partitions.sort_unstable_by_key(|(org, _)| *org);
        partitions
    }
}
