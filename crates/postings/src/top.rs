//! The best rows so far.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::bm25::{STEP, ranked};
use crate::index::Hit;
use crate::part::Part;

/// A row in the order of answers: better, then newer, then with the smaller id.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    score: f64,
    time: i64,
    id: u64,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        self.score.total_cmp(&other.score).then(self.time.cmp(&other.time)).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

#[derive(Debug)]
pub(crate) struct Top {
    k: usize,
    heap: BinaryHeap<Reverse<Ranked>>,
    /// A row with a smaller sum cannot be among the best; one with more may still lose.
    pub(crate) needed: f64,
}

impl Top {
    /// For at least one row.
    pub(crate) fn new(k: usize) -> Top {
        Top { k, heap: BinaryHeap::new(), needed: f64::NEG_INFINITY }
    }

    pub(crate) fn offer(&mut self, score: f64, part: &Part, slot: usize) {
        if score < self.needed {
            return;
        }
        let row =
            Ranked { score: ranked(score), time: part.labels.time(slot), id: part.segment.ids.get(slot) };
        if self.heap.len() < self.k {
            self.heap.push(Reverse(row));
        } else if self.heap.peek().is_some_and(|worst| worst.0 < row) {
            self.heap.pop();
            self.heap.push(Reverse(row));
        } else {
            return;
        }
        if self.heap.len() == self.k {
            self.needed = self.heap.peek().map_or(self.needed, |worst| worst.0.score - STEP);
        }
    }

    pub(crate) fn into_hits(self) -> Vec<Hit> {
        let rows = self.heap.into_sorted_vec();
        rows.into_iter().map(|Reverse(row)| Hit { id: row.id, score: row.score }).collect()
    }
}
