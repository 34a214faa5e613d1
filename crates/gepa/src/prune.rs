//! Greedy removal of candidates that others cover.
//!
//! This is not Pareto dominance: a candidate goes when each front it holds is also held by *some* survivor, not
//! necessarily the same one, so a good generalist can lose to a set of specialists.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The fronts with only survivors left on them. `means` is indexed by candidate; the last holder of a front always
/// survives, and of two equal candidates the newer does.
pub fn prune(fronts: &[BTreeSet<usize>], means: &[f64]) -> Vec<BTreeSet<usize>> {
    let mut alive = weakest_first(fronts, means);
    while let Some(at) = alive.iter().position(|candidate| is_covered(*candidate, fronts, &alive)) {
        alive.remove(at);
    }
    let alive: BTreeSet<usize> = alive.into_iter().collect();
    fronts.iter().map(|front| front & &alive).collect()
}

fn weakest_first(fronts: &[BTreeSet<usize>], means: &[f64]) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let mut order: Vec<usize> =
        fronts.iter().flatten().copied().filter(|holder| seen.insert(*holder)).collect();
    let mean = |holder: &usize| means.get(*holder).copied().unwrap_or(f64::NEG_INFINITY);
    // The sort is stable, so that equal means keep the order in which the fronts name them.
    order.sort_by(|a, b| mean(a).partial_cmp(&mean(b)).unwrap_or(Ordering::Equal));
    order
}

fn is_covered(candidate: usize, fronts: &[BTreeSet<usize>], alive: &[usize]) -> bool {
    let by_another =
        |front: &BTreeSet<usize>| alive.iter().any(|other| *other != candidate && front.contains(other));
    fronts.iter().filter(|front| front.contains(&candidate)).all(by_another)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fronts: &[&[usize]], means: &[f64], survivors: &[usize]) {
        let fronts: Vec<BTreeSet<usize>> =
            fronts.iter().map(|front| front.iter().copied().collect()).collect();
        let left: BTreeSet<usize> = prune(&fronts, means).into_iter().flatten().collect();
        assert_eq!(left, survivors.iter().copied().collect(), "{fronts:?}");
    }

    #[test]
    fn the_last_holder_of_a_front_stays() {
        check(&[&[0], &[1]], &[0.1, 0.9], &[0, 1]);
    }

    #[test]
    fn of_two_equals_the_newer_stays() {
        check(&[&[0, 1], &[0, 1]], &[0.5, 0.5], &[1]);
    }

    #[test]
    fn of_three_that_cover_pairwise_the_weakest_goes() {
        check(&[&[0, 1], &[1, 2], &[0, 2]], &[0.2, 0.5, 0.6], &[1, 2]);
    }

    #[test]
    fn the_best_mean_can_lose_to_specialists() {
        check(&[&[0, 2], &[1, 2], &[0], &[1]], &[0.3, 0.4, 0.9], &[0, 1]);
    }

    #[test]
    fn ties_follow_first_appearance_on_the_fronts() {
        check(&[&[1], &[1, 2], &[0, 2], &[0]], &[0.5, 0.5, 0.5], &[0, 1]);
        check(&[&[1, 2], &[0, 2], &[0, 1]], &[0.5; 3], &[0, 2]);
    }
}
