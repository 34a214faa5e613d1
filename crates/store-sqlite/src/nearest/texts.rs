use std::collections::HashMap;

use reflexio_postings::Row;
use reflexio_vectors::Labels;

use super::changes::Change;
use super::live::{id_of, key_of};
use super::names::Names;
use super::tracker::Tracker;
use crate::fts::Index;

/// The words of all rows, in memory: the same that the FTS5 tables hold, found much faster.
#[derive(Debug)]
pub(crate) struct Texts {
    indexes: HashMap<Index, reflexio_postings::Index>,
    pub(super) tracker: Tracker,
}

impl Texts {
    /// An empty index that has to be loaded.
    pub(crate) fn new() -> Self {
        let indexes = Index::ALL.map(|index| (index, reflexio_postings::Index::new()));
        Self { indexes: indexes.into_iter().collect(), tracker: Tracker::loading() }
    }

    /// Indexes as they were saved; nothing if one of them is damaged.
    pub(super) fn restored(parts: &[&[u8]]) -> Option<Self> {
        let load =
            |(index, bytes): (Index, &&[u8])| Some((index, reflexio_postings::Index::load(bytes).ok()?.0));
        let indexes = Index::ALL.into_iter().zip(parts).map(load).collect::<Option<_>>()?;
        let restored = Self { indexes, tracker: Tracker::loading() };
        restored.tracker.finish();
        Some(restored)
    }

    /// The indexes as bytes; nothing until all of them are there.
    pub(super) fn save(&self) -> Option<Vec<Vec<u8>>> {
        Index::ALL.iter().map(|index| Some(self.ready(*index)?.save(0))).collect()
    }

    /// The words of a table; none until all of them are there.
    pub(crate) fn ready(&self, index: Index) -> Option<&reflexio_postings::Index> {
        self.indexes.get(&index).filter(|_| !self.tracker.is_loading())
    }

    /// Adds rows as they were read from the database, unless they changed since.
    pub(super) fn add_loaded<'a>(&self, index: Index, org: u32, rows: &'a [(i64, Labels, String)]) {
        let changed = self.tracker.changed();
        let Some(newer) = changed.as_ref() else { return };
        let renewed = |(key, labels, terms): &'a (i64, Labels, String)| {
            Some(Row { id: id_of(*key), labels: newer.renew(index, *key, labels)?, terms })
        };
        let fresh: Vec<Row<'_>> = rows.iter().filter_map(renewed).collect();
        if let Some(texts) = self.indexes.get(&index) {
            texts.apply(org, &fresh, &[]);
        }
    }

    pub(super) fn clear(&self, index: Index) {
        if let Some(changed) = self.tracker.changed().as_mut() {
            changed.clear(index);
        }
        if let Some(texts) = self.indexes.get(&index) {
            texts.clear();
        }
    }

    pub(super) fn change(&self, names: &Names, index: Index, org: u32, rows: &[(i64, Change<String>)]) {
        let mut changed = self.tracker.changed();
        if let Some(changed) = changed.as_mut() {
            changed.note(names, index, rows);
        }
        let Some(texts) = self.indexes.get(&index) else { return };
        let mut added = Vec::new();
        let mut removed = Vec::new();
        let mut relabelled: Vec<(u64, Labels)> = Vec::new();
        for (key, change) in rows {
            let id = id_of(*key);
            match change {
                Change::Remove => removed.push(id),
                Change::Relabel(facts) => relabelled.push((id, facts.labels(names))),
                Change::Put(facts, terms) => added.push(Row { id, labels: facts.labels(names), terms }),
            }
        }
        texts.apply(org, &added, &removed);
        if !relabelled.is_empty() {
            texts.relabel(org, &relabelled);
        }
    }
}

/// The keys of found rows with their scores.
pub(super) fn keys(hits: Vec<reflexio_postings::Hit>) -> Vec<(i64, f64)> {
    hits.into_iter().map(|hit| (key_of(hit.id), hit.score)).collect()
}
