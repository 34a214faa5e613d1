//! Which rows of which parts a filter leaves to a search.

use std::ops::Range;

use reflexio_vectors::{Filter, time_key};

use crate::part::Part;
use crate::window::{Bits, WINDOW};

/// One part's share of a search.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    pub(crate) part: &'a Part,
    /// The rows of the scope: the org's, or the user's. What is rare is told by them.
    pub(crate) slots: Range<usize>,
    /// Which facets match; `None` if all do.
    facets: Option<Vec<bool>>,
    /// The time keys that match; `None` if all rows lie within.
    times: Option<(u64, u64)>,
    /// Whether the filter refuses all of its rows.
    pub(crate) is_refused: bool,
}

/// The parts with rows in the scope of the filter.
pub(crate) fn shares<'a>(parts: &'a [Part], filter: &Filter) -> Vec<Share<'a>> {
    parts.iter().map(|part| share(part, filter)).filter(|share| !share.slots.is_empty()).collect()
}

fn share<'a>(part: &'a Part, filter: &Filter) -> Share<'a> {
    let slots = filter.user.map_or(0..part.segment.len(), |user| part.segment.slots_of(user));
    let (from, to) = (time_key(filter.from), time_key(filter.to));
    let (first, last) = part.labels.time_span;
    let times = (from > first || to < last).then_some((from, to));
    let facets = if slots.is_empty() { None } else { part.labels.admitted(filter) };
    let no_facet = facets.as_ref().is_some_and(|facets| !facets.contains(&true));
    let is_refused = no_facet || from > last || to < first;
    Share { part, slots, facets, times, is_refused }
}

impl Share<'_> {
    /// The rows of a window that may be returned; `None` if all of them may.
    pub(crate) fn mask(&self, base: usize, slots: &Range<usize>) -> Option<Bits> {
        if self.facets.is_none() && self.times.is_none() && self.part.dead_rows() == 0 {
            return None;
        }
        let mut bits = Bits::range(slots.start - base..slots.end - base);
        for (word, own) in bits.0.iter_mut().enumerate() {
            *own &= !self.part.dead_word(base / 64 + word);
        }
        let labels = &self.part.labels;
        if let Some(facets) = &self.facets {
            retain(&mut bits, base, slots, |slot| facets[labels.facet_of.get(slot) as usize]);
        }
        if let Some((from, to)) = self.times {
            retain(&mut bits, base, slots, |slot| (from..=to).contains(&labels.times.get(slot)));
        }
        Some(bits)
    }

    /// Rows of the scope that are alive, and how many terms they have.
    pub(crate) fn live(&self) -> (usize, u64) {
        let lengths = &self.part.segment.lengths;
        let all = (self.slots.len(), lengths.sum(&self.slots));
        let dead = self.part.dead_slots(&self.slots);
        dead.fold(all, |(rows, terms), slot| (rows - 1, terms - u64::from(lengths.get(slot))))
    }
}

/// Keeps the rows that pass, word by word so that words without rows cost nothing.
fn retain(bits: &mut Bits, base: usize, slots: &Range<usize>, passes: impl Fn(usize) -> bool) {
    debug_assert!(slots.end <= base + WINDOW, "a window is not larger");
    for (at, word) in bits.0.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
        let first = base + at * 64;
        let end = (first + 64).min(slots.end);
        let passing =
            (first..end).fold(0, |passing, slot| passing | (u64::from(passes(slot)) << (slot - first)));
        *word &= passing;
    }
}
