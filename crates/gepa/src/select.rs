//! Who becomes a parent.

use std::collections::BTreeSet;

use crate::{Frontier, Fronts, Pool, Random, Selector, prune};

/// Chooses the parent of a proposal.
pub(crate) fn parent(
    selector: Selector,
    frontier: Frontier,
    pool: &Pool,
    fronts: &Fronts,
    random: &mut impl Random,
) -> usize {
    let means = pool.means();
    match selector {
        Selector::CurrentBest => first_best(&means),
        Selector::EpsilonGreedy(epsilon) => match random.unit() < epsilon {
            true => random.up_to(means.len().saturating_sub(1)),
            false => first_best(&means),
        },
        Selector::Pareto => by_fronts(&fronts.seen_by(frontier), &means, random),
        Selector::TopKPareto(k) => {
            let top = highest(&means, k);
            let among: Vec<BTreeSet<usize>> =
                fronts.seen_by(frontier).iter().map(|front| front & &top).collect();
            let among: Vec<_> = among.into_iter().filter(|front| !front.is_empty()).collect();
            by_fronts(&among, &means, random)
        }
    }
}

/// In proportion to the number of fronts a survivor holds; without a front, the best.
fn by_fronts(fronts: &[BTreeSet<usize>], means: &[f64], random: &mut impl Random) -> usize {
    let tickets = tickets(&prune(fronts, means));
    if tickets.is_empty() { first_best(means) } else { random.choice(&tickets) }
}

/// Each holder once per front it is on, all of one holder's together, holders by first appearance: the list the
/// reference draws a position from.
fn tickets(fronts: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for holder in fronts.iter().flatten().copied() {
        match counts.iter_mut().find(|(seen, _)| *seen == holder) {
            Some((_, count)) => *count += 1,
            None => counts.push((holder, 1)),
        }
    }
    counts.into_iter().flat_map(|(holder, count)| std::iter::repeat_n(holder, count)).collect()
}

/// The first candidate with the highest mean.
pub(crate) fn first_best(means: &[f64]) -> usize {
    let mean = |at: usize| means.get(at).copied().unwrap_or(f64::NEG_INFINITY);
    (1..means.len()).fold(0, |best, at| if mean(at) > mean(best) { at } else { best })
}

fn highest(means: &[f64], k: usize) -> BTreeSet<usize> {
    let mut order: Vec<(usize, f64)> = means.iter().copied().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
    order.into_iter().take(k).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mt19937;

    #[test]
    fn of_equal_means_the_first_is_best_and_lower_numbers_are_kept() {
        assert_eq!(first_best(&[0.1, 0.5, 0.5]), 1);
        assert_eq!(highest(&[0.5, 0.1, 0.5, 0.5], 2), BTreeSet::from([0, 2]));
    }

    #[test]
    fn a_survivor_is_chosen_as_often_as_it_holds_fronts() {
        let fronts = [BTreeSet::from([0]), BTreeSet::from([0]), BTreeSet::from([0]), BTreeSet::from([1])];
        let mut random = Mt19937::new(4);
        let zeros = (0..4000).filter(|_| by_fronts(&fronts, &[0.5, 0.5], &mut random) == 0).count();
        assert!((2850..3150).contains(&zeros), "{zeros}");
    }

    #[test]
    fn tickets_of_one_holder_lie_together() {
        let fronts = [BTreeSet::from([2]), BTreeSet::from([0, 2]), BTreeSet::from([0]), BTreeSet::from([2])];
        assert_eq!(tickets(&fronts), [2, 2, 2, 0, 0]);
    }

    #[test]
    fn without_a_front_the_best_is_chosen() {
        assert_eq!(by_fronts(&[], &[0.1, 0.2], &mut Mt19937::new(0)), 1);
    }
}
