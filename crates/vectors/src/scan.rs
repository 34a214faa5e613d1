//! The first stage: the rows whose binary codes are nearest to the query's, among those a filter admits.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::code::CodedQuery;
use crate::kernel::{Kernel, LANES};
use crate::plan::Share;

/// Blocks that are compared before the hits among them are looked at; their distances stay in the first cache.
const BLOCKS: usize = 128;

/// Fewer rows than this are scanned before other threads would have started.
const ROWS_PER_THREAD: usize = 50_000;

/// Candidates are pruned when there are this many times as many as asked for: when many are equally far away.
const PRUNE_AT: usize = 4;

/// A row that survived the scan. Nearer ones are better, then newer ones. Ids differ, so that no two rows tie and
/// the order of scanning never matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) distance: u16,
    pub(crate) part: u32,
    pub(crate) slot: u32,
    pub(crate) id: u64,
}

/// Every row that the shares admit, for searches that leave few of them.
pub(crate) fn all(shares: &[Share<'_>]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for share in shares {
        candidates.extend(share.admitted().map(|slot| candidate(share, slot, 0)));
    }
    candidates
}

/// The `width` nearest rows, those of a part together and in the order of their slots. `query` gives the query for a share's centre.
pub(crate) fn nearest<'a>(
    shares: &[Share<'_>],
    query: impl Fn(&Share<'_>) -> &'a CodedQuery + Sync,
    kernel: Kernel,
    width: usize,
    threads: usize,
) -> Vec<Candidate> {
    let rows: usize = shares.iter().map(|share| share.slots.len()).sum();
    let threads = threads.min(rows / ROWS_PER_THREAD).min(shares.len()).max(1);
    let bits = shares.first().map_or(0, |share| query(share).signs.len() * 64);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut nearest = Nearest::new(width, bits);
        while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
            scan(share, query(share), kernel, &mut nearest);
        }
        nearest
    };
    let mut nearest = Nearest::new(width, bits);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let found = std::iter::once(work()).chain(others.into_iter().filter_map(|other| other.join().ok()));
        found.flat_map(|found| found.candidates).for_each(|candidate| nearest.offer(candidate));
    });
    nearest.prune();
    nearest.candidates
}

fn scan(share: &Share<'_>, query: &CodedQuery, kernel: Kernel, nearest: &mut Nearest) {
    let words = query.signs.len();
    let (mut distances, mut hits) = ([[0; LANES]; BLOCKS], [0; BLOCKS]);
    let mut block = share.slots.start / LANES;
    let end = share.slots.end.div_ceil(LANES);
    while block < end {
        let blocks = BLOCKS.min(end - block);
        let codes = &share.part.segment.signs[block * words..(block + blocks) * words];
        kernel.hamming(codes, &query.signs, nearest.limit, &mut distances[..blocks], &mut hits[..blocks]);
        for (at, (hits, distances)) in hits[..blocks].iter().zip(&distances).enumerate() {
            let mut hits = *hits;
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                let slot = (block + at) * LANES + lane;
                if distances[lane] <= nearest.limit && share.admits(slot) {
                    nearest.offer(candidate(share, slot, distances[lane]));
                }
            }
        }
        block += blocks;
    }
}

fn candidate(share: &Share<'_>, slot: usize, distance: u16) -> Candidate {
    Candidate { distance, part: share.at as u32, slot: slot as u32, id: share.part.segment.ids.get(slot) }
}

/// The best rows so far, in the order they came, among some that are no longer.
struct Nearest {
    width: usize,
    /// No row further away than this can be among the best.
    limit: u16,
    /// Rows by distance, up to the limit, and their sum.
    counts: Vec<usize>,
    within: usize,
    candidates: Vec<Candidate>,
}

impl Nearest {
    fn new(width: usize, bits: usize) -> Nearest {
        let candidates = Vec::with_capacity(PRUNE_AT * width);
        Nearest { width, limit: bits as u16, counts: vec![0; bits + 1], within: 0, candidates }
    }

    fn offer(&mut self, candidate: Candidate) {
        if candidate.distance > self.limit {
            return;
        }
        self.candidates.push(candidate);
        self.counts[usize::from(candidate.distance)] += 1;
        self.within += 1;
        while self.limit > 0 && self.within - self.at_limit() >= self.width {
            self.within -= self.at_limit();
            self.limit -= 1;
        }
        if self.candidates.len() >= PRUNE_AT * self.width {
            self.prune();
        }
    }

    fn at_limit(&self) -> usize {
        self.counts[usize::from(self.limit)]
    }

    /// Leaves the best, at most `width`: of the rows at the limit, the newest that still fit.
    fn prune(&mut self) {
        let limit = self.limit;
        self.candidates.retain(|candidate| candidate.distance <= limit);
        if self.within <= self.width {
            return;
        }
        let room = self.width + self.at_limit() - self.within;
        let at_limit = self.candidates.iter().filter(|candidate| candidate.distance == limit);
        let mut ids: Vec<u64> = at_limit.map(|candidate| candidate.id).collect();
        let (_, oldest, _) = ids.select_nth_unstable_by_key(room - 1, |id| Reverse(*id));
        self.candidates.retain(|candidate| candidate.distance < limit || candidate.id >= *oldest);
        self.counts[usize::from(limit)] = room;
        self.within = self.width;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_nearest_are_the_first_of_all_sorted(
            distances in prop::collection::vec(0u16..9, 0..200), width in 1usize..20,
        ) {
            let rows = distances.into_iter().enumerate();
            let all: Vec<Candidate> =
                rows.map(|(at, distance)| Candidate { distance, part: 0, slot: at as u32, id: at as u64 * 7 % 211 }).collect();
            let mut nearest = Nearest::new(width, 64);
            all.iter().for_each(|candidate| nearest.offer(*candidate));
            nearest.prune();
            prop_assert!(nearest.candidates.is_sorted_by_key(|candidate| candidate.slot));
            let mut expected: Vec<_> = all.iter().map(|candidate| (candidate.distance, Reverse(candidate.id))).collect();
            expected.sort_unstable();
            expected.truncate(width);
            let mut found: Vec<_> = nearest.candidates.iter().map(|candidate| (candidate.distance, Reverse(candidate.id))).collect();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
