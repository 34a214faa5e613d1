//! The pool: every candidate that was accepted, append only.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::{Candidate, Components, Error, Known};

/// A candidate of the pool. Number 0 is the seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub candidate: Candidate,
    /// None for the seed, two for a merge.
    pub parents: Vec<usize>,
    pub scores: BTreeMap<usize, f64>,
    /// Means over the scored examples.
    pub objectives: BTreeMap<String, f64>,
    /// What had been spent when it was found, before its own validation.
    pub discovered_at: u64,
    next_component: usize,
}

impl Member {
    /// The mean over what was scored.
    pub fn mean(&self) -> f64 {
        if self.scores.is_empty() {
            return f64::NEG_INFINITY;
        }
        self.scores.values().sum::<f64>() / self.scores.len() as f64
    }
}

/// All accepted candidates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pool(Vec<Member>);

impl Pool {
    /// Members by number.
    pub fn members(&self) -> &[Member] {
        &self.0
    }

    pub(crate) fn get(&self, number: usize) -> Result<&Member, Error> {
        self.0.get(number).ok_or(Error::State("a member is missing"))
    }

    pub(crate) fn means(&self) -> Vec<f64> {
        self.0.iter().map(Member::mean).collect()
    }

    /// Highest mean; of equals the one scored on more examples, then the first.
    pub fn best(&self) -> usize {
        let rank = |at: usize| self.0.get(at).map_or((f64::NEG_INFINITY, 0), |m| (m.mean(), m.scores.len()));
        (1..self.0.len()).fold(0, |best, at| if rank(at) > rank(best) { at } else { best })
    }

    pub(crate) fn add(
        &mut self,
        candidate: Candidate,
        parents: Vec<usize>,
        scored: &BTreeMap<usize, Known>,
        discovered_at: u64,
    ) -> usize {
        let pointers =
            parents.iter().filter_map(|parent| self.0.get(*parent)).map(|parent| parent.next_component);
        let next_component = pointers.max().unwrap_or(0);
        let scores = scored.iter().map(|(example, known)| (*example, known.score)).collect();
        let objectives = mean_objectives(scored);
        self.0.push(Member { candidate, parents, scores, objectives, discovered_at, next_component });
        self.0.len() - 1
    }

    /// The components to rewrite in a child of `parent`; moves its pointer on.
    pub(crate) fn choose_components(&mut self, parent: usize, rule: Components) -> Vec<String> {
        let Some(member) = self.0.get_mut(parent) else { return Vec::new() };
        let names = member.candidate.names();
        match rule {
            Components::All => names.map(str::to_owned).collect(),
            Components::RoundRobin => {
                let chosen = names.skip(member.next_component).take(1).map(str::to_owned).collect();
                member.next_component = (member.next_component + 1) % member.candidate.len();
                chosen
            }
        }
    }

    /// Everyone `number` descends from.
    pub(crate) fn ancestors(&self, number: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![number];
        while let Some(member) = open.pop().and_then(|at| self.0.get(at)) {
            open.extend(member.parents.iter().copied().filter(|parent| found.insert(*parent)));
        }
        found
    }
}

fn mean_objectives(scored: &BTreeMap<usize, Known>) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for (name, score) in scored.values().filter_map(|known| known.objectives.as_ref()).flatten() {
        let sum = sums.entry(name.clone()).or_default();
        *sum = (sum.0 + score, sum.1 + 1);
    }
    sums.into_iter().map(|(name, (sum, count))| (name, sum / count as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn scored(scores: &[f64]) -> BTreeMap<usize, Known> {
        let known = |score: &f64| Known { output: Value::Null, score: *score, objectives: None };
        scores.iter().map(known).enumerate().collect()
    }

    fn candidate() -> Candidate {
        Candidate::new([("a", "1"), ("b", "2"), ("c", "3")]).unwrap()
    }

    #[test]
    fn of_equal_means_more_coverage_wins_then_the_first() {
        let mut pool = Pool::default();
        for scores in [&[0.25, 0.25][..], &[0.5], &[0.5, 0.5], &[0.25, 0.75]] {
            pool.add(candidate(), vec![], &scored(scores), 0);
        }
        assert_eq!(pool.best(), 2);
    }

    #[test]
    fn a_child_begins_at_the_furthest_pointer_of_its_parents() {
        let mut pool = Pool::default();
        pool.add(candidate(), vec![], &scored(&[0.0]), 0);
        pool.add(candidate(), vec![0], &scored(&[0.0]), 0);
        assert_eq!(pool.choose_components(1, Components::RoundRobin), ["a"]);
        assert_eq!(pool.choose_components(1, Components::RoundRobin), ["b"]);
        pool.add(candidate(), vec![0, 1], &scored(&[0.0]), 0);
        assert_eq!(pool.choose_components(2, Components::RoundRobin), ["c"]);
        assert_eq!(pool.choose_components(2, Components::RoundRobin), ["a"]);
        assert_eq!(pool.choose_components(0, Components::All), ["a", "b", "c"]);
        assert_eq!(pool.ancestors(2), BTreeSet::from([0, 1]));
    }
}
