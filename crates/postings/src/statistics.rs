//! How common the leaves of a query are among the rows it is about.

use crate::plan::Share;
use crate::source::Source;

/// In a scope with more rows than this, rows that wait to be merged away are taken off by their share.
const COUNTED_ROWS: usize = 4096;

/// What BM25 was reckoned with: the rows of the filter's scope, which is the user's rows if it names one, or else
/// the org's. Other filters do not make a scope.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    pub rows: usize,
    /// The mean number of terms of a row, at least 1.
    pub average_length: f64,
    /// How many rows hold each leaf of the query, in the order of the query, without those behind NOT. Exact,
    /// but for large scopes with rows that were replaced or deleted a short while ago.
    pub holding: Vec<f64>,
}

impl Statistics {
    /// `sources` are those of each share, leaf by leaf.
    pub(crate) fn new(shares: &[Share<'_>], sources: &mut [Vec<Source<'_>>], leaves: usize) -> Statistics {
        let (mut rows, mut terms, mut holding) = (0, 0, vec![0.0; leaves]);
        let slots: usize = shares.iter().map(|share| share.slots.len()).sum();
        for (share, sources) in shares.iter().zip(sources) {
            let (live, live_terms) = share.live();
            rows += live;
            terms += live_terms;
            for (holding, source) in holding.iter_mut().zip(sources) {
                *holding += count(share, source, live, slots);
            }
        }
        let average_length = (terms as f64 / rows.max(1) as f64).max(1.0);
        Statistics { rows, average_length, holding }
    }
}

fn count(share: &Share<'_>, source: &mut Source<'_>, live: usize, slots: usize) -> f64 {
    if live == share.slots.len() {
        return source.count(&share.slots, share.part.segment.len()) as f64;
    }
    if slots > COUNTED_ROWS {
        let all = source.count(&share.slots, share.part.segment.len()) as f64;
        return all * live as f64 / share.slots.len() as f64;
    }
    let mut count = 0;
    source.each(&share.slots, |slot, _| count += usize::from(share.part.is_live(slot as usize)));
    count as f64
}
