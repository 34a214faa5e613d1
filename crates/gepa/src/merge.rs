//! Merging: cross two members that descend from one, component by component.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::{Candidate, Error, Pool, Random};

/// How many validation examples a merge is tested on.
pub(crate) const TESTED: usize = 5;
const PER_GROUP: usize = TESTED.div_ceil(3);
const ATTEMPTS: usize = 10;

/// What a run remembers about its merges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Merges {
    pub(crate) due: u64,
    pub(crate) accepted: u64,
    /// Whether the last iteration kept a reflective child; a merge follows only then.
    pub(crate) found_child: bool,
    tried: BTreeSet<(usize, usize, usize)>,
    built: BTreeSet<(usize, usize, Vec<usize>)>,
}

/// Two members and the ancestor they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Triplet {
    first: usize,
    second: usize,
    ancestor: usize,
}

/// A merged candidate and the examples it is to be tested on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Merge {
    pub(crate) candidate: Candidate,
    pub(crate) parents: [usize; 2],
    pub(crate) examples: Vec<usize>,
    /// The better parent's sum on those examples.
    pub(crate) to_reach: f64,
}

impl Merges {
    /// Looks for a merge among the survivors of pruning.
    pub(crate) fn propose(
        &mut self,
        pool: &Pool,
        survivors: &[usize],
        overlap_floor: usize,
        random: &mut impl Random,
    ) -> Result<Option<Merge>, Error> {
        if survivors.len() < 2 || pool.members().len() < 3 {
            return Ok(None);
        }
        let means = pool.means();
        for _ in 0..ATTEMPTS {
            let Some(triplet) = self.find(pool, survivors, &means, random)? else { continue };
            let (candidate, sources) = build(pool, triplet, &means, random)?;
            let Triplet { first, second, ancestor } = triplet;
            let (one, two) = (&pool.get(first)?.scores, &pool.get(second)?.scores);
            let shared: Vec<usize> = one.keys().copied().filter(|id| two.contains_key(id)).collect();
            let recipe = (first, second, sources);
            if self.built.contains(&recipe) || shared.len() < overlap_floor {
                continue;
            }
            self.built.insert(recipe);
            self.tried.insert((first, second, ancestor));
            let examples = examples(one, two, &shared, random);
            let sum =
                |scores: &BTreeMap<usize, f64>| examples.iter().filter_map(|id| scores.get(id)).sum::<f64>();
            let to_reach = sum(one).max(sum(two));
            let merge = Merge { candidate, parents: [first, second], examples, to_reach };
            return Ok(Some(merge).filter(|merge| !merge.examples.is_empty()));
        }
        Ok(None)
    }

    fn find(
        &self,
        pool: &Pool,
        survivors: &[usize],
        means: &[f64],
        random: &mut impl Random,
    ) -> Result<Option<Triplet>, Error> {
        for _ in 0..ATTEMPTS {
            let mut pair = random.sample(survivors, 2);
            pair.sort_unstable();
            let [first, second] = pair[..] else { return Ok(None) };
            let (of_first, of_second) = (pool.ancestors(first), pool.ancestors(second));
            if of_first.contains(&second) || of_second.contains(&first) {
                continue;
            }
            let mut fit = Vec::new();
            for ancestor in of_first.intersection(&of_second).copied() {
                if self.fits(pool, Triplet { first, second, ancestor }, means)? {
                    fit.push(ancestor);
                }
            }
            if !fit.is_empty() {
                let ancestor = weighted_or_any(&fit, means, random);
                return Ok(Some(Triplet { first, second, ancestor }));
            }
        }
        Ok(None)
    }

    /// Untried, not better than its descendants, and with something that only one of them changed.
    fn fits(&self, pool: &Pool, triplet: Triplet, means: &[f64]) -> Result<bool, Error> {
        let Triplet { first, second, ancestor } = triplet;
        let better = |descendant: usize| means.get(ancestor) > means.get(descendant);
        if self.tried.contains(&(first, second, ancestor)) || better(first) || better(second) {
            return Ok(false);
        }
        let (one, two) = (&pool.get(first)?.candidate, &pool.get(second)?.candidate);
        let moved_once = |(name, text): (&str, &str)| {
            let (one, two) = (one.text(name), two.text(name));
            one != two && (one == Some(text) || two == Some(text))
        };
        Ok(pool.get(ancestor)?.candidate.parts().any(moved_once))
    }
}

/// In proportion to the mean. Where no mean is positive, all alike; the reference fails there.
fn weighted_or_any(ancestors: &[usize], means: &[f64], random: &mut impl Random) -> usize {
    let weight = |at: &usize| means.get(*at).copied().unwrap_or(0.0).max(0.0);
    let weights: Vec<f64> = ancestors.iter().map(weight).collect();
    match weights.iter().sum::<f64>() > 0.0 {
        true => random.weighted(ancestors, &weights),
        false => random.choice(ancestors),
    }
}

/// The merged texts, and from whom each came.
fn build(
    pool: &Pool,
    triplet: Triplet,
    means: &[f64],
    random: &mut impl Random,
) -> Result<(Candidate, Vec<usize>), Error> {
    let Triplet { first, second, ancestor } = triplet;
    let (one, two) = (&pool.get(first)?.candidate, &pool.get(second)?.candidate);
    let base = &pool.get(ancestor)?.candidate;
    let mut parts = Vec::with_capacity(base.len());
    let mut sources = Vec::with_capacity(base.len());
    for (name, text) in base.parts() {
        let missing = Error::State("a component is missing");
        let (Some(a), Some(b)) = (one.text(name), two.text(name)) else { return Err(missing) };
        // Both moved: the better one decides. The draw is made even if they moved to the same text.
        let source = if a != text && b != text {
            match means.get(first).partial_cmp(&means.get(second)) {
                Some(std::cmp::Ordering::Greater) => first,
                Some(std::cmp::Ordering::Less) => second,
                Some(std::cmp::Ordering::Equal) | None => random.choice(&[first, second]),
            }
        } else if a == b || b == text {
            first
        } else {
            second
        };
        parts.push((name, if source == first { a } else { b }));
        sources.push(source);
    }
    Ok((Candidate::new(parts)?, sources))
}

/// Up to two examples each where the first is better, the second is better, and they are equal; then any.
fn examples(
    one: &BTreeMap<usize, f64>,
    two: &BTreeMap<usize, f64>,
    shared: &[usize],
    random: &mut impl Random,
) -> Vec<usize> {
    let group = |keep: fn(f64, f64) -> bool| -> Vec<usize> {
        let compare = |id: &usize| matches!((one.get(id), two.get(id)), (Some(a), Some(b)) if keep(*a, *b));
        shared.iter().copied().filter(compare).collect()
    };
    let mut chosen = Vec::with_capacity(TESTED);
    for group in [group(|a, b| a > b), group(|a, b| a < b), group(|a, b| a == b)] {
        let take = group.len().min(PER_GROUP).min(TESTED - chosen.len());
        if take > 0 {
            chosen.extend(random.sample(&group, take));
        }
    }
    let short = TESTED - chosen.len();
    let unused: Vec<usize> = shared.iter().copied().filter(|id| !chosen.contains(id)).collect();
    if short > 0 && unused.len() >= short {
        chosen.extend(random.sample(&unused, short));
    } else if short > 0 && !shared.is_empty() {
        chosen.extend(random.with_replacement(shared, short));
    }
    chosen
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
