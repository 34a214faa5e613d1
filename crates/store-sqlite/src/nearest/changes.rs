use std::collections::HashMap;

use reflexio_types::OrgId;

use super::facts::Facts;
use crate::fts::Index;

/// What happened to what an index holds of a row: its words, or its vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change<T> {
    /// The row is gone, or what the index holds does not fit it any more.
    Remove,
    Relabel(Facts),
    Put(Facts, T),
}

/// What a transaction changed, one change per row and index.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(super) cleared: Vec<Index>,
    pub(super) words: Rows<String>,
    pub(super) vectors: Rows<Vec<f32>>,
}

/// Changes under the keys of their rows.
pub(super) type ByOrg<T> = HashMap<(Index, OrgId), Vec<(i64, Change<T>)>>;

#[derive(Debug)]
pub(super) struct Rows<T>(HashMap<(Index, OrgId, i64), Change<T>>);

impl Changes {
    /// The text of a row is new.
    pub(crate) fn put_words(&mut self, index: Index, org: OrgId, key: i64, facts: Facts, terms: String) {
        self.words.push(index, org, key, Change::Put(facts, terms));
    }

    /// The row has no vector that fits its text.
    pub(crate) fn drop_vector(&mut self, index: Index, org: OrgId, key: i64) {
        self.vectors.push(index, org, key, Change::Remove);
    }

    pub(crate) fn put_vector(&mut self, index: Index, org: OrgId, key: i64, facts: Facts, vector: Vec<f32>) {
        self.vectors.push(index, org, key, Change::Put(facts, vector));
    }

    pub(crate) fn relabel(&mut self, index: Index, org: OrgId, key: i64, facts: Facts) {
        self.words.push(index, org.clone(), key, Change::Relabel(facts.clone()));
        self.vectors.push(index, org, key, Change::Relabel(facts));
    }

    /// The row is gone.
    pub(crate) fn remove(&mut self, index: Index, org: OrgId, key: i64) {
        self.words.push(index, org.clone(), key, Change::Remove);
        self.vectors.push(index, org, key, Change::Remove);
    }

    /// All rows of the table are gone.
    pub(crate) fn clear(&mut self, index: Index) {
        self.words.0.retain(|(other, _, _), _| *other != index);
        self.vectors.0.retain(|(other, _, _), _| *other != index);
        self.cleared.push(index);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cleared.is_empty() && self.words.0.is_empty() && self.vectors.0.is_empty()
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Clone> Rows<T> {
    fn push(&mut self, index: Index, org: OrgId, key: i64, change: Change<T>) {
        match self.0.get_mut(&(index, org.clone(), key)) {
            Some(earlier) => earlier.follow(change),
            None => drop(self.0.insert((index, org, key), change)),
        }
    }

    /// The changes of rows, those of an index and org together.
    pub(super) fn by_org(self) -> ByOrg<T> {
        let mut groups: ByOrg<T> = HashMap::new();
        for ((index, org, key), change) in self.0 {
            groups.entry((index, org)).or_default().push((key, change));
        }
        groups
    }
}

impl<T> Change<T> {
    /// This change and then the next one.
    fn follow(&mut self, next: Change<T>) {
        match (&mut *self, next) {
            (Change::Remove, Change::Relabel(_)) => {}
            (Change::Put(facts, _), Change::Relabel(new)) => *facts = new,
            (_, next) => *self = next,
        }
    }
}
