use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use reflexio_store::{VectorIndex, VectorModel};
use reflexio_vectors::{Labels, Options, Row, is_unit};

use super::changes::{Change, Changes};
use super::names::Names;
use super::texts::Texts;
use super::tracker::Tracker;
use crate::fts::Index;

/// What searches look at, in memory: the words of all rows, and the vectors of the model in use.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(crate) names: Names,
    texts: OnceLock<Arc<Texts>>,
    model: RwLock<Option<Arc<Model>>>,
    /// A file beside the database holds just this.
    saved: AtomicBool,
    /// Somebody was erased: deleted rows leave traces here until they are merged away, which no file may show.
    erased: AtomicBool,
}

pub(crate) type Indexes = HashMap<Index, reflexio_vectors::Index>;

/// Empty indexes for vectors of a model, if it can be searched at all.
pub(crate) fn empty(model: &VectorModel) -> Result<Indexes, reflexio_vectors::Error> {
    let options = Options::new(model.dimension);
    Index::ALL.into_iter().map(|index| Ok((index, reflexio_vectors::Index::new(options)?))).collect()
}

/// The index of one model.
#[derive(Debug)]
pub(crate) struct Model {
    /// How the tables name it.
    pub(crate) key: i64,
    pub(crate) model: VectorModel,
    indexes: Indexes,
    tracker: Tracker,
    /// Indexes that are being coded anew.
    recentred: Mutex<HashSet<Index>>,
    loaded: AtomicU64,
    total: AtomicU64,
}

impl Live {
    pub(crate) fn model(&self) -> Option<Arc<Model>> {
        self.model.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts with an empty index, or none at all.
    pub(crate) fn switch(&self, model: Option<Arc<Model>>) {
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = model;
    }

    pub(crate) fn texts(&self) -> Option<&Arc<Texts>> {
        self.texts.get()
    }

    /// From now on words are kept in memory; nothing if they already are.
    pub(crate) fn keep_texts(&self) -> Option<Arc<Texts>> {
        let texts = Arc::new(Texts::new());
        self.texts.set(Arc::clone(&texts)).ok().map(|()| texts)
    }

    /// Words as they were saved.
    pub(super) fn restore_texts(&self, texts: Arc<Texts>) {
        // Only a fresh index is restored, so nobody set it before.
        let _ = self.texts.set(texts);
    }

    pub(crate) fn note_erasure(&self) {
        self.erased.store(true, Ordering::Relaxed);
    }

    pub(super) fn may_be_saved(&self) -> bool {
        !self.erased.load(Ordering::Relaxed)
    }

    pub(crate) fn is_saved(&self) -> bool {
        self.saved.load(Ordering::Relaxed)
    }

    pub(crate) fn set_saved(&self, saved: bool) {
        self.saved.store(saved, Ordering::Relaxed);
    }

    /// What a committed transaction changed. Only the writer thread calls this, in the order of commits.
    pub(crate) fn apply(&self, changes: Changes) {
        if changes.is_empty() {
            return;
        }
        let Changes { cleared, words, vectors } = changes;
        if let Some(texts) = self.texts() {
            cleared.iter().for_each(|index| texts.clear(*index));
            for ((index, org), rows) in words.by_org() {
                texts.change(&self.names, index, self.names.number(org.as_str()), &rows);
            }
        }
        if let Some(model) = self.model() {
            cleared.iter().for_each(|index| model.clear(*index));
            for ((index, org), rows) in vectors.by_org() {
                model.change(&self.names, index, self.names.number(org.as_str()), &rows);
            }
        }
    }

    pub(crate) fn state(&self) -> VectorIndex {
        let Some(model) = self.model() else { return VectorIndex::Off };
        if model.is_loading() {
            let [done, total] = [&model.loaded, &model.total].map(|count| count.load(Ordering::Relaxed));
            return VectorIndex::Loading { done, total };
        }
        let sizes = model.indexes.values().map(reflexio_vectors::Index::size);
        let (rows, bytes) = sizes.fold((0, 0), |(rows, bytes), size| {
            (rows + size.rows, bytes + size.code_bytes + size.column_bytes)
        });
        VectorIndex::Ready { rows: rows as u64, bytes: bytes as u64 }
    }
}

impl Model {
    /// Empty indexes that have to be loaded.
    pub(crate) fn new(key: i64, model: VectorModel, indexes: Indexes) -> Self {
        let [loaded, total] = [AtomicU64::new(0), AtomicU64::new(0)];
        let tracker = Tracker::loading();
        Self { key, model, indexes, tracker, recentred: Mutex::default(), loaded, total }
    }

    /// Indexes as they were saved.
    pub(super) fn restored(key: i64, model: VectorModel, indexes: Indexes) -> Self {
        let restored = Self::new(key, model, indexes);
        restored.tracker.finish();
        restored
    }

    /// The indexes as bytes.
    pub(super) fn save(&self) -> Vec<Vec<u8>> {
        Index::ALL.iter().filter_map(|index| self.index(*index)).map(|index| index.save(0)).collect()
    }

    pub(crate) fn index(&self, index: Index) -> Option<&reflexio_vectors::Index> {
        self.indexes.get(&index)
    }

    /// Whether the index has to be coded anew, and nobody does it yet.
    pub(crate) fn begin_recentring(&self, index: Index) -> bool {
        self.index(index).is_some_and(reflexio_vectors::Index::needs_recentring)
            && self.recentred.lock().unwrap_or_else(PoisonError::into_inner).insert(index)
    }

    pub(crate) fn end_recentring(&self, index: Index) {
        self.recentred.lock().unwrap_or_else(PoisonError::into_inner).remove(&index);
    }

    pub(crate) fn is_loading(&self) -> bool {
        self.tracker.is_loading()
    }

    pub(super) fn expect(&self, rows: u64) {
        self.total.store(rows, Ordering::Relaxed);
    }

    /// Adds rows as they were read from the database, unless they changed since.
    pub(super) fn add_loaded<'a>(&self, index: Index, org: u32, rows: &[Row<'a>], threads: usize) {
        let Some(vectors) = self.index(index) else { return };
        let (whole, damaged): (Vec<&Row<'a>>, _) = rows.iter().partition(|row| self.fits(row.vector));
        if !damaged.is_empty() {
            let rows = damaged.len();
            tracing::error!(
                rows,
                ?index,
                "stored vectors are damaged; `reflexio embeddings rebuild` makes them anew"
            );
        }
        let changed = self.tracker.changed();
        let Some(newer) = changed.as_ref() else { return };
        let renewed = |row: &Row<'a>| {
            let labels = newer.renew(index, key_of(row.id), &row.labels)?;
            Some(Row { labels, ..*row })
        };
        let fresh: Vec<Row<'_>> = whole.into_iter().filter_map(renewed).collect();
        if let Err(error) = vectors.upsert(org, &fresh, threads) {
            tracing::error!(%error, "stored vectors do not fit the index");
        }
        self.loaded.fetch_add(rows.len() as u64, Ordering::Relaxed);
    }

    /// Whether a vector can be searched at all.
    pub(crate) fn fits(&self, vector: &[f32]) -> bool {
        vector.len() == self.model.dimension && is_unit(vector)
    }

    pub(super) fn finish_loading(&self) {
        self.tracker.finish();
    }

    fn clear(&self, index: Index) {
        if let Some(changed) = self.tracker.changed().as_mut() {
            changed.clear(index);
        }
        if let Some(vectors) = self.index(index) {
            vectors.clear();
        }
    }

    fn change(&self, names: &Names, index: Index, org: u32, rows: &[(i64, Change<Vec<f32>>)]) {
        let mut changed = self.tracker.changed();
        if let Some(changed) = changed.as_mut() {
            changed.note(names, index, rows);
        }
        let Some(vectors) = self.index(index) else { return };
        let mut added = Vec::new();
        let mut removed = Vec::new();
        let mut relabelled: Vec<(u64, Labels)> = Vec::new();
        for (key, change) in rows {
            let id = id_of(*key);
            match change {
                Change::Remove => removed.push(id),
                Change::Relabel(facts) => relabelled.push((id, facts.labels(names))),
                Change::Put(facts, vector) => added.push(Row { id, vector, labels: facts.labels(names) }),
            }
        }
        if let Err(error) = vectors.apply(org, &added, &removed, 1) {
            tracing::error!(%error, "a vector does not fit the index");
        }
        vectors.relabel(org, &relabelled);
    }
}

/// Keys of rows are positive.
pub(super) fn id_of(key: i64) -> u64 {
    key.unsigned_abs()
}

pub(super) fn key_of(id: u64) -> i64 {
    i64::try_from(id).unwrap_or(i64::MAX)
}
