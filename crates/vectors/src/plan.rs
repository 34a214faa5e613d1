//! Which slots of which parts a filter leaves to a search, and the check of a single slot.

use std::ops::Range;

use crate::column::time_key;
use crate::part::Part;
use crate::partition::Snapshot;
use crate::row::Filter;

/// One part's share of a search.
pub(crate) struct Share<'a> {
    /// The place of the part in the snapshot.
    pub(crate) at: usize,
    pub(crate) part: &'a Part,
    pub(crate) slots: Range<usize>,
    /// Which facets match; `None` if all do.
    facets: Option<Vec<bool>>,
    /// The time keys that match; `None` if all rows lie within.
    times: Option<(u64, u64)>,
    /// An upper bound of the matching rows.
    pub(crate) bound: usize,
}

impl Share<'_> {
    /// Whether the row in a slot may be returned.
    pub(crate) fn admits(&self, slot: usize) -> bool {
        self.slots.contains(&slot)
            && self.admits_facet(self.part.segment.facet_of[slot])
            && self.admits_rest(slot)
    }

    /// The slots of all rows that may be returned, in order.
    pub(crate) fn admitted(&self) -> impl Iterator<Item = usize> {
        let facets = self.part.segment.facet_of[self.slots.clone()].iter();
        let admitted = self.slots.clone().zip(facets).filter(|(_, facet)| self.admits_facet(**facet));
        admitted.map(|(slot, _)| slot).filter(|slot| self.admits_rest(*slot))
    }

    fn admits_facet(&self, facet: u16) -> bool {
        self.facets.as_ref().is_none_or(|facets| facets[usize::from(facet)])
    }

    fn admits_rest(&self, slot: usize) -> bool {
        self.times.is_none_or(|(from, to)| (from..=to).contains(&self.part.segment.times.get(slot)))
            && self.part.is_live(slot)
    }
}

/// The parts with rows that may match.
pub(crate) fn shares<'a>(snapshot: &'a Snapshot, filter: &Filter) -> Vec<Share<'a>> {
    let parts = snapshot.parts.iter().enumerate();
    parts.filter_map(|(at, part)| share(at, part, filter)).filter(|share| share.bound > 0).collect()
}

fn share<'a>(at: usize, part: &'a Part, filter: &Filter) -> Option<Share<'a>> {
    let segment = &part.segment;
    let slots = filter.user.map_or(0..segment.len(), |user| segment.slots_of(user));
    if slots.is_empty() {
        return None;
    }
    let (from, to) = (time_key(filter.from), time_key(filter.to));
    let (first, last) = segment.time_span;
    if from > last || to < first {
        return None;
    }
    let times = (from > first || to < last).then_some((from, to));
    let mut bound = slots.len();
    let mut facets = None;
    if filter.looks_at_facets() {
        let matching: Vec<bool> = segment.facets.iter().map(|facet| filter.admits_facet(facet)).collect();
        let rows = |(rows, matches): (&u32, &bool)| if *matches { *rows as usize } else { 0 };
        bound = bound.min(segment.facet_rows.iter().zip(&matching).map(rows).sum());
        facets = Some(matching);
    }
    Some(Share { at, part, slots, facets, times, bound })
}
