//! A segment with the labels of its rows and those rows that were deleted since.

use std::ops::Range;
use std::sync::Arc;

use reflexio_vectors::Labels;

use crate::labels::LabelColumns;
use crate::segment::Segment;

/// Cheap to clone; labels and the set of dead rows are copied when they change, so that snapshots keep theirs.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) segment: Arc<Segment>,
    pub(crate) labels: Arc<LabelColumns>,
    dead: Option<Arc<[u64]>>,
    dead_rows: usize,
}

impl Part {
    pub(crate) fn new(segment: Segment, labels: LabelColumns) -> Part {
        Part { segment: Arc::new(segment), labels: Arc::new(labels), dead: None, dead_rows: 0 }
    }

    pub(crate) fn live_rows(&self) -> usize {
        self.segment.len() - self.dead_rows
    }

    pub(crate) fn dead_rows(&self) -> usize {
        self.dead_rows
    }

    pub(crate) fn is_live(&self, slot: usize) -> bool {
        self.dead.as_ref().is_none_or(|dead| dead[slot / 64] >> (slot % 64) & 1 == 0)
    }

    /// The dead rows among 64 slots.
    pub(crate) fn dead_word(&self, word: usize) -> u64 {
        self.dead.as_ref().and_then(|dead| dead.get(word)).copied().unwrap_or_default()
    }

    pub(crate) fn dead_slots(&self, slots: &Range<usize>) -> impl Iterator<Item = usize> {
        let words = if self.dead.is_some() { slots.start / 64..slots.end.div_ceil(64) } else { 0..0 };
        let of_word = |word: usize| {
            let bits = self.dead_word(word);
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
        };
        let slots = slots.clone();
        words
            .filter(|word| self.dead_word(*word) != 0)
            .flat_map(of_word)
            .filter(move |slot| slots.contains(slot))
    }

    /// The live slot of an id.
    pub(crate) fn find(&self, id: u64) -> Option<usize> {
        self.segment.find(id).filter(|slot| self.is_live(*slot))
    }

    /// Marks rows as deleted and returns how many were not yet.
    pub(crate) fn kill(&mut self, slots: &[usize]) -> usize {
        if slots.is_empty() {
            return 0;
        }
        let mut dead = match &self.dead {
            Some(dead) => dead.to_vec(),
            None => vec![0; self.segment.len().div_ceil(64)],
        };
        for slot in slots {
            dead[slot / 64] |= 1 << (slot % 64);
        }
        let before = self.dead_rows;
        self.dead_rows = dead.iter().map(|word| word.count_ones() as usize).sum();
        self.dead = Some(dead.into());
        self.dead_rows - before
    }

    /// Gives rows labels that keep their users.
    pub(crate) fn relabel(&mut self, changes: &[(usize, Labels)]) {
        if !changes.is_empty() {
            self.labels = Arc::new(self.labels.with(changes));
        }
    }

    pub(crate) fn dead_bytes(&self) -> usize {
        self.dead.as_ref().map_or(0, |dead| dead.len() * 8)
    }
}
