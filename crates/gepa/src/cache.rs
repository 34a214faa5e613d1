//! The evaluation cache: what a candidate scored on an example of a split.
//!
//! Every evaluation writes it; only validations and merge tests read it, since reflection needs trajectories and
//! those are not kept. Splits are apart: position 0 of the training list is not position 0 of the validation list.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::{Candidate, Evaluation, Split};

/// What is known of one candidate on one example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Known {
    pub output: Value,
    pub score: f64,
    pub objectives: Option<BTreeMap<String, f64>>,
}

impl Known {
    /// The entries of an evaluation, one per example asked.
    pub(crate) fn of<'a>(
        examples: &'a [usize],
        evaluation: &'a Evaluation,
    ) -> impl Iterator<Item = (usize, Self)> {
        examples.iter().enumerate().map(|(at, example)| {
            let known = Self {
                output: evaluation.outputs.get(at).cloned().unwrap_or_default(),
                score: evaluation.scores.get(at).copied().unwrap_or(f64::NEG_INFINITY),
                objectives: evaluation.objectives.as_ref().and_then(|list| list.get(at)).cloned(),
            };
            (*example, known)
        })
    }
}

/// Candidate key, then split, then example.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Cache(BTreeMap<String, BTreeMap<Split, BTreeMap<usize, Known>>>);

impl Cache {
    pub(crate) fn put(
        &mut self,
        candidate: &Candidate,
        split: Split,
        examples: &[usize],
        evaluation: &Evaluation,
    ) {
        let entries = self.0.entry(candidate.key()).or_default().entry(split).or_default();
        entries.extend(Known::of(examples, evaluation));
    }

    /// Splits `examples` into what is known and what must be asked; repeated examples are asked repeatedly.
    pub(crate) fn look_up(
        &self,
        candidate: &Candidate,
        split: Split,
        examples: &[usize],
    ) -> (BTreeMap<usize, Known>, Vec<usize>) {
        let entries = self.0.get(&candidate.key()).and_then(|splits| splits.get(&split));
        let mut known = BTreeMap::new();
        let mut missing = Vec::new();
        for example in examples {
            match entries.and_then(|entries| entries.get(example)) {
                Some(entry) => {
                    known.insert(*example, entry.clone());
                }
                None => missing.push(*example),
            }
        }
        (known, missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_score_does_not_answer_a_validation_example_of_the_same_number() {
        let candidate = Candidate::new([("a", "x")]).unwrap();
        let mut cache = Cache::default();
        cache.put(&candidate, Split::Train, &[0, 1], &Evaluation::of_scores(vec![0.5, 0.25]));
        assert_eq!(cache.look_up(&candidate, Split::Validation, &[0, 1]).1, [0, 1]);
        let (known, missing) = cache.look_up(&candidate, Split::Train, &[2, 1, 2]);
        assert_eq!(known[&1].score, 0.25);
        assert_eq!(missing, [2, 2]);
        let other = Candidate::new([("a", "y")]).unwrap();
        assert_eq!(cache.look_up(&other, Split::Train, &[0]).1, [0]);
    }
}
