//! Rows that hold terms next to each other.

use std::ops::Range;

use crate::cursor::{Cursor, ROWS_PER_LOOKUP};
use crate::segment::Segment;
use crate::source::Source;

/// The rows of a range with the phrase, and how often they hold it.
pub(crate) fn phrase<'a>(segment: &'a Segment, terms: &[String], slots: &Range<usize>) -> Source<'a> {
    let found: Option<Vec<usize>> = terms.iter().map(|term| segment.dictionary.find(term)).collect();
    let Some(terms) = found else { return Source::NOTHING };
    let mut cursors: Vec<Cursor<'_>> = terms.iter().map(|term| Cursor::new(&segment.lists, *term)).collect();
    let mut candidates = common(&mut cursors, slots);
    let mut scratch = Scratch::default();
    let rows = candidates.drain(..).filter_map(|slot| {
        let times = scratch.times(segment, &mut cursors, slot);
        (times > 0).then_some((slot, times))
    });
    Source::Rows(rows.collect())
}

/// The rows of a range that hold all terms.
fn common(cursors: &mut [Cursor<'_>], slots: &Range<usize>) -> Vec<u32> {
    let mut order: Vec<usize> = (0..cursors.len()).collect();
    order.sort_by_key(|cursor| cursors[*cursor].rows());
    let mut candidates = Vec::new();
    if let Some(rarest) = order.first() {
        cursors[*rarest].each(slots, |slot, _| candidates.push(slot));
    }
    for cursor in order.into_iter().skip(1) {
        let cursor = &mut cursors[cursor];
        if candidates.len() * ROWS_PER_LOOKUP < cursor.rows() {
            candidates.retain(|slot| cursor.times(*slot) > 0);
        } else {
            candidates = both(&candidates, cursor, slots);
        }
    }
    candidates
}

/// The candidates that a list has too, by reading all of it.
fn both(candidates: &[u32], cursor: &mut Cursor<'_>, slots: &Range<usize>) -> Vec<u32> {
    let mut found = Vec::new();
    let mut next = 0;
    cursor.each(slots, |slot, _| {
        while candidates.get(next).is_some_and(|candidate| *candidate < slot) {
            next += 1;
        }
        if candidates.get(next) == Some(&slot) {
            found.push(slot);
        }
    });
    found
}

#[derive(Default)]
struct Scratch {
    /// Positions at which a phrase may begin, given the terms seen so far.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl Scratch {
    /// How often a row that holds all terms holds them next to each other.
    fn times(&mut self, segment: &Segment, cursors: &mut [Cursor<'_>], slot: u32) -> u32 {
        for (offset, cursor) in (0..).zip(cursors) {
            let own = if offset == 0 { &mut self.starts } else { &mut self.positions };
            own.clear();
            cursor.push_positions(&segment.lengths, slot, own);
            if offset > 0 {
                let positions = &self.positions;
                self.starts.retain(|start| positions.binary_search(&(start + offset)).is_ok());
            }
            if self.starts.is_empty() {
                return 0;
            }
        }
        self.starts.len() as u32
    }
}
