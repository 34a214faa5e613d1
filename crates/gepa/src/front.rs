//! Fronts: for each thing that is scored, the best score and who reaches it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use crate::{Frontier, Known};

/// The best score at one key, and every candidate that has exactly it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Front {
    pub best: f64,
    pub holders: BTreeSet<usize>,
}

/// All fronts of a run. They are only ever raised.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fronts {
    pub instance: BTreeMap<usize, Front>,
    pub objective: BTreeMap<String, Front>,
    pub cartesian: BTreeMap<usize, BTreeMap<String, Front>>,
    /// What the holders of each instance front put out, if that is tracked.
    pub best_outputs: BTreeMap<usize, Vec<(usize, Value)>>,
}

impl Fronts {
    /// Lets a new candidate onto every front it reaches.
    pub(crate) fn enter(
        &mut self,
        candidate: usize,
        scored: &BTreeMap<usize, Known>,
        objectives: &BTreeMap<String, f64>,
        frontier: Frontier,
    ) {
        for (example, known) in scored {
            raise(&mut self.instance, example, known.score, candidate);
        }
        for (name, mean) in objectives {
            raise(&mut self.objective, name, *mean, candidate);
        }
        if frontier == Frontier::Cartesian {
            for (example, known) in scored {
                for (name, score) in known.objectives.iter().flatten() {
                    raise(self.cartesian.entry(*example).or_default(), name, *score, candidate);
                }
            }
        }
    }

    /// Keeps what the new candidate put out where it holds the front; called after [`Self::enter`].
    pub(crate) fn keep_outputs(&mut self, candidate: usize, scored: &BTreeMap<usize, Known>) {
        for (example, known) in scored {
            let Some(front) = self.instance.get(example).filter(|front| front.holders.contains(&candidate))
            else {
                continue;
            };
            let kept = self.best_outputs.entry(*example).or_default();
            kept.retain(|(holder, _)| front.holders.contains(holder));
            kept.push((candidate, known.output.clone()));
        }
    }

    /// The holders selection looks at, in key order.
    pub fn seen_by(&self, frontier: Frontier) -> Vec<BTreeSet<usize>> {
        let instance = self.instance.values();
        let objective = self.objective.values();
        let cartesian = self.cartesian.values().flat_map(BTreeMap::values);
        let fronts: Vec<&Front> = match frontier {
            Frontier::Instance => instance.collect(),
            Frontier::Objective => objective.collect(),
            Frontier::Hybrid => instance.chain(objective).collect(),
            Frontier::Cartesian => cartesian.collect(),
        };
        fronts.into_iter().map(|front| front.holders.clone()).collect()
    }

    /// Everyone on at least one front that selection looks at.
    pub(crate) fn holders(&self, frontier: Frontier) -> BTreeSet<usize> {
        self.seen_by(frontier).into_iter().flatten().collect()
    }
}

fn raise<K: Ord + Clone>(fronts: &mut BTreeMap<K, Front>, key: &K, score: f64, candidate: usize) {
    match fronts.get_mut(key) {
        Some(front) if score == front.best => {
            front.holders.insert(candidate);
        }
        // Not `<`: a score that is not a number must not enter.
        Some(front) if score > front.best => {
            *front = Front { best: score, holders: BTreeSet::from([candidate]) }
        }
        None if !score.is_nan() => {
            fronts.insert(key.clone(), Front { best: score, holders: BTreeSet::from([candidate]) });
        }
        Some(_) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_is_raised_joined_or_left_alone() {
        let mut fronts = BTreeMap::new();
        for (candidate, score) in [(0, 0.5), (1, 0.5), (2, 0.25), (3, f64::NAN)] {
            raise(&mut fronts, &7, score, candidate);
        }
        assert_eq!(fronts[&7], Front { best: 0.5, holders: BTreeSet::from([0, 1]) });
        raise(&mut fronts, &7, 0.75, 4);
        assert_eq!(fronts[&7], Front { best: 0.75, holders: BTreeSet::from([4]) });
    }

    #[test]
    fn each_frontier_shows_its_own_keys_instance_first() {
        let known = |score, acc| Known {
            output: Value::Null,
            score,
            objectives: Some(BTreeMap::from([("acc".to_owned(), acc)])),
        };
        let mut fronts = Fronts::default();
        let means = BTreeMap::from([("acc".to_owned(), 0.5)]);
        fronts.enter(
            0,
            &BTreeMap::from([(0, known(1.0, 0.0)), (1, known(0.0, 1.0))]),
            &means,
            Frontier::Cartesian,
        );
        fronts.enter(
            1,
            &BTreeMap::from([(0, known(0.0, 0.5)), (1, known(1.0, 0.5))]),
            &means,
            Frontier::Cartesian,
        );
        let one = |holder| BTreeSet::from([holder]);
        assert_eq!(fronts.seen_by(Frontier::Instance), [one(0), one(1)]);
        assert_eq!(fronts.seen_by(Frontier::Objective), [BTreeSet::from([0, 1])]);
        assert_eq!(fronts.seen_by(Frontier::Hybrid), [one(0), one(1), BTreeSet::from([0, 1])]);
        assert_eq!(fronts.seen_by(Frontier::Cartesian), [one(1), one(0)]);
    }
}
