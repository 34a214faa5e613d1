use std::collections::HashMap;

use reflexio_types::OrgId;

use super::facts::Facts;
use crate::fts::Index;

/// What happened to a row, as far as its meaning is concerned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// It is gone, or its vector does not fit its text any more.
    Remove,
    Relabel(Facts),
    Put(Facts, Vec<f32>),
}

/// What a transaction changed, one change per row.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    cleared: Vec<Index>,
    rows: HashMap<(Index, OrgId, i64), Change>,
}

impl Changes {
    pub(crate) fn push(&mut self, index: Index, org: OrgId, key: i64, change: Change) {
        let place = self.rows.entry((index, org, key));
        place.and_modify(|earlier| earlier.follow(&change)).or_insert(change);
    }

    /// All rows of the table are gone.
    pub(crate) fn clear(&mut self, index: Index) {
        self.rows.retain(|(other, _, _), _| *other != index);
        self.cleared.push(index);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cleared.is_empty() && self.rows.is_empty()
    }

    pub(crate) fn cleared(&self) -> &[Index] {
        &self.cleared
    }

    /// The changes of rows, those of an index and org together.
    pub(crate) fn by_org(self) -> HashMap<(Index, OrgId), Vec<(i64, Change)>> {
        let mut groups: HashMap<(Index, OrgId), Vec<(i64, Change)>> = HashMap::new();
        for ((index, org, key), change) in self.rows {
            groups.entry((index, org)).or_default().push((key, change));
        }
        groups
    }
}

impl Change {
    /// This change and then the next one.
    fn follow(&mut self, next: &Change) {
        match (&mut *self, next) {
            (Change::Remove, Change::Relabel(_)) => {}
            (Change::Put(facts, _), Change::Relabel(new)) => *facts = new.clone(),
            (_, next) => *self = next.clone(),
        }
    }
}
