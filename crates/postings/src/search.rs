//! A search: what the leaves are in each part, how rare they are, and then the best rows, window by window.

use reflexio_search::TextQuery;
use reflexio_vectors::Filter;

use crate::bm25::Scorer;
use crate::boolean;
use crate::index::{Hit, Index};
use crate::leaf::source;
use crate::maxscore;
use crate::plan::{Share, shares};
use crate::query::Plan;
use crate::source::Source;
use crate::statistics::Statistics;
use crate::top::Top;

/// What is searched for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub query: &'a TextQuery,
    pub filter: &'a Filter,
    /// How many rows to return at most.
    pub k: usize,
}

/// The answer to a query, and what its scores were reckoned with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub statistics: Statistics,
}

/// One part's share of a search, with the leaves of the query.
pub(crate) struct Work<'a, 'b> {
    pub(crate) share: &'b Share<'a>,
    pub(crate) sources: &'b mut [Source<'a>],
    /// The scores of the leaves; `None` for those behind NOT.
    pub(crate) scorers: &'b [Option<Scorer>],
    /// Room for the scores of a window; all are 0 between windows.
    pub(crate) scores: &'b mut Vec<f64>,
}

impl Index {
    /// The `k` best rows by BM25 that match the query and that the filter admits: best first, newer first among
    /// equals, then by id.
    pub fn search(&self, query: &Query<'_>) -> Vec<Hit> {
        if query.k == 0 { Vec::new() } else { self.search_counted(query).hits }
    }

    /// The same with the statistics, which are there also if `k` is 0.
    pub fn search_counted(&self, query: &Query<'_>) -> Found {
        let Some(root) = query.query.root() else { return Found::default() };
        let plan = Plan::new(root);
        let snapshot = self.partition(query.filter.org).map(|partition| partition.snapshot());
        let parts = snapshot.as_ref().map_or(&[][..], |snapshot| &snapshot.parts);
        let shares = shares(parts, query.filter);
        let mut sources: Vec<Vec<Source<'_>>> = shares
            .iter()
            .map(|share| plan.leaves.iter().map(|leaf| source(share, leaf.node)).collect())
            .collect();
        let mut statistics = Statistics::new(&shares, &mut sources, plan.leaves.len());
        let scorers = scorers(&plan, &statistics);
        let mut counts = plan.leaves.iter().map(|leaf| leaf.counts);
        statistics.holding.retain(|_| counts.next() == Some(true));
        let hits =
            if query.k == 0 { Vec::new() } else { best(&plan, &shares, &mut sources, &scorers, query.k) };
        Found { hits, statistics }
    }
}

fn scorers(plan: &Plan<'_>, statistics: &Statistics) -> Vec<Option<Scorer>> {
    let scorer = |holding: f64| Scorer::new(statistics.rows as f64, holding, statistics.average_length);
    let leaves = plan.leaves.iter().zip(&statistics.holding);
    leaves.map(|(leaf, holding)| leaf.counts.then(|| scorer(*holding))).collect()
}

fn best<'a>(
    plan: &Plan<'_>,
    shares: &[Share<'a>],
    sources: &mut [Vec<Source<'a>>],
    scorers: &[Option<Scorer>],
    k: usize,
) -> Vec<Hit> {
    let mut top = Top::new(k);
    let mut scores = Vec::new();
    for (share, sources) in shares.iter().zip(sources).filter(|(share, _)| !share.is_refused) {
        let work = Work { share, sources, scorers, scores: &mut scores };
        if plan.is_any_of() {
            maxscore::search(work, &mut top);
        } else {
            boolean::search(work, &plan.tree, &mut top);
        }
    }
    top.into_hits()
}
