//! A search, stage by stage: filter and scan, fine codes, exact scores.

use std::sync::Arc;

use crate::centre::Centre;
use crate::code::CodedQuery;
use crate::error::Error;
use crate::index::{Hit, Index};
use crate::math::is_unit;
use crate::plan::{Share, shares};
use crate::rescore;
use crate::row::Filter;
use crate::scan;

/// The more rows there are, the more of them lie as near as the true neighbours: one in this many is passed on.
const ROWS_PER_WIDTH: usize = 1000;

/// Comparing the binary codes of this many rows takes as long as the estimate of one: when a filter leaves fewer
/// rows, all of them are estimated.
const SLOTS_PER_ESTIMATE: usize = 32;

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub vector: &'a [f32],
    pub filter: &'a Filter,
    /// How many rows to return at most.
    pub k: usize,
    /// How many threads a large scan may use.
    pub threads: usize,
}

impl Index {
    /// The `k` rows nearest to the query that the filter admits, best first, newer first among equals.
    ///
    /// `fetch` returns the exact vectors of rows, in their order, and an empty one for a row that is gone.
    pub fn search(
        &self,
        query: &Query<'_>,
        fetch: impl FnMut(&[u64]) -> Vec<Vec<f32>>,
    ) -> Result<Vec<Hit>, Error> {
        let Query { vector, filter, k, .. } = *query;
        if vector.len() != self.shape.dimension {
            return Err(Error::Dimension { expected: self.shape.dimension, got: vector.len() });
        }
        if !is_unit(vector) {
            return Err(Error::QueryNotUnit);
        }
        let Some(partition) = self.partition(filter.org).filter(|_| k > 0) else { return Ok(Vec::new()) };
        let snapshot = partition.snapshot();
        let shares = shares(&snapshot, filter);
        let estimates = self.estimates(query, &shares);
        Ok(rescore::exact(vector, &estimates, k, self.widths.margin, fetch))
    }

    /// Estimated scores of the rows that may be among the best, best first.
    fn estimates(&self, query: &Query<'_>, shares: &[Share<'_>]) -> Vec<Hit> {
        let queries = CodedQueries::new(self, query.vector, shares);
        let bound: usize = shares.iter().map(|share| share.bound).sum();
        let width =
            self.widths.scanned.max(query.k.saturating_mul(20)).saturating_add(bound / ROWS_PER_WIDTH);
        let slots: usize = shares.iter().map(|share| share.slots.len()).sum();
        let candidates = if bound <= width.max(slots / SLOTS_PER_ESTIMATE) {
            scan::all(shares)
        } else {
            scan::nearest(shares, |share| queries.get(share), self.kernel, width, query.threads)
        };
        let mut estimates = Vec::with_capacity(candidates.len());
        let mut signs = Vec::with_capacity(self.shape.words());
        for group in candidates.chunk_by(|a, b| a.part == b.part) {
            let Some(share) = shares.iter().find(|share| share.at == group[0].part as usize) else {
                continue;
            };
            let (segment, query) = (&share.part.segment, queries.get(share));
            for candidate in group {
                let slot = candidate.slot as usize;
                signs.clear();
                segment.push_signs(slot, &mut signs);
                let score = query.estimate(self.kernel, &signs, &segment.fine, slot, segment.scalars[slot]);
                estimates.push(Hit { id: candidate.id, score });
            }
        }
        rescore::keep_best(&mut estimates, self.widths.exact.max(query.k.saturating_mul(4)));
        estimates
    }
}

/// The query as seen from each centre that occurs; one, except while codes are rebuilt.
struct CodedQueries(Vec<(Arc<Centre>, CodedQuery)>);

impl CodedQueries {
    fn new(index: &Index, vector: &[f32], shares: &[Share<'_>]) -> CodedQueries {
        let mut queries = CodedQueries(Vec::new());
        for share in shares {
            let centre = &share.part.segment.centre;
            if queries.place(centre).is_none() {
                queries.0.push((Arc::clone(centre), CodedQuery::new(vector, centre, index.shape)));
            }
        }
        queries
    }

    /// The query for one of the shares that this was made of.
    fn get(&self, share: &Share<'_>) -> &CodedQuery {
        &self.0[self.place(&share.part.segment.centre).unwrap_or_default()].1
    }

    fn place(&self, centre: &Arc<Centre>) -> Option<usize> {
        self.0.iter().position(|(other, _)| Arc::ptr_eq(other, centre))
    }
}
