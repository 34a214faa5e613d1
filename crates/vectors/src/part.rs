//! A segment with the rows that were deleted from it since.

use std::sync::Arc;

use crate::segment::Segment;

/// Cheap to clone; the set of dead rows is copied when it changes, so that snapshots keep theirs.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) segment: Arc<Segment>,
    dead: Option<Arc<[u64]>>,
    dead_rows: usize,
}

impl Part {
    pub(crate) fn new(segment: Segment) -> Part {
        Part { segment: Arc::new(segment), dead: None, dead_rows: 0 }
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

    pub(crate) fn live_slots(&self) -> impl Iterator<Item = usize> {
        (0..self.segment.len()).filter(|slot| self.is_live(*slot))
    }

    /// Marks rows as deleted and returns how many were not yet.
    pub(crate) fn kill(&mut self, slots: &[usize]) -> usize {
        let fresh: Vec<usize> = slots.iter().copied().filter(|slot| self.is_live(*slot)).collect();
        if fresh.is_empty() {
            return 0;
        }
        let mut dead = match &self.dead {
            Some(dead) => dead.to_vec(),
            None => vec![0; self.segment.len().div_ceil(64)],
        };
        for slot in &fresh {
            dead[slot / 64] |= 1 << (slot % 64);
        }
        self.dead_rows = dead.iter().map(|word| word.count_ones() as usize).sum();
        self.dead = Some(dead.into());
        fresh.len()
    }

    pub(crate) fn dead_slots(&self) -> Vec<usize> {
        (0..self.segment.len()).filter(|slot| !self.is_live(*slot)).collect()
    }

    pub(crate) fn dead_bytes(&self) -> usize {
        self.dead.as_ref().map_or(0, |dead| dead.len() * 8)
    }
}
