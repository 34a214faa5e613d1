//! What a leaf of a query is in one part: a list as it is stored, or rows that were gathered for it.

use std::ops::Range;

use crate::bm25::Scorer;
use crate::cursor::Cursor;
use crate::segment::Segment;

#[derive(Debug, Clone)]
pub(crate) enum Source<'a> {
    /// The list of one term.
    Term(Cursor<'a>),
    /// Slots and repetitions, in order of the slots, of a phrase, or of a beginning that several terms have.
    Rows(Vec<(u32, u32)>),
}

impl Source<'_> {
    pub(crate) const NOTHING: Source<'static> = Source::Rows(Vec::new());

    pub(crate) fn is_nothing(&self) -> bool {
        self.rows() == 0
    }

    /// How many rows it has, also outside of the range that is asked for.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Source::Term(cursor) => cursor.rows(),
            Source::Rows(rows) => rows.len(),
        }
    }

    #[inline]
    pub(crate) fn each(&mut self, slots: &Range<usize>, mut then: impl FnMut(u32, u32)) {
        match self {
            Source::Term(cursor) => cursor.each(slots, then),
            Source::Rows(rows) => within(rows, slots).iter().for_each(|(slot, times)| then(*slot, *times)),
        }
    }

    pub(crate) fn times(&mut self, slot: u32) -> u32 {
        match self {
            Source::Term(cursor) => cursor.times(slot),
            Source::Rows(rows) => {
                rows.binary_search_by_key(&slot, |(slot, _)| *slot).map_or(0, |place| rows[place].1)
            }
        }
    }

    /// How many rows of a range it has, of a segment of `len` rows.
    pub(crate) fn count(&mut self, slots: &Range<usize>, len: usize) -> usize {
        match self {
            Source::Term(cursor) => cursor.count(slots, len),
            Source::Rows(rows) => within(rows, slots).len(),
        }
    }

    /// The most that a row of a range may score.
    pub(crate) fn bound(&mut self, slots: &Range<usize>, scorer: &Scorer, segment: &Segment) -> f64 {
        if let Source::Term(cursor) = self
            && let Some(impact) = cursor.impact(slots)
        {
            return scorer.bound(impact, segment.lengths.average());
        }
        let mut best = 0.0f64;
        self.each(slots, |slot, times| {
            best = best.max(scorer.score(times, segment.lengths.get(slot as usize)))
        });
        best
    }
}

fn within<'a>(rows: &'a [(u32, u32)], slots: &Range<usize>) -> &'a [(u32, u32)] {
    let from = rows.partition_point(|(slot, _)| (*slot as usize) < slots.start);
    let rest = &rows[from..];
    &rest[..rest.partition_point(|(slot, _)| (*slot as usize) < slots.end)]
}
