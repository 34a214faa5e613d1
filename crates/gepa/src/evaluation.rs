//! What an evaluation brings back, and whether it can be believed.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::{Error, EvaluationJob, Frontier};

/// The answer to one [`EvaluationJob`]; every list lines up with its examples.
///
/// An example that failed must come back with a low score; only a broken adapter is an error.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evaluation {
    pub outputs: Vec<Value>,
    pub scores: Vec<f64>,
    /// What the adapter needs later to explain an example. Opaque here.
    pub trajectories: Option<Vec<Value>>,
    pub objectives: Option<Vec<BTreeMap<String, f64>>>,
    /// What the adapter really spent on a minibatch, if it counts itself.
    pub metric_calls: Option<u64>,
}

impl Evaluation {
    /// An answer with scores alone.
    pub fn of_scores(scores: Vec<f64>) -> Self {
        Self { outputs: vec![Value::Null; scores.len()], scores, ..Self::default() }
    }

    pub(crate) fn check(&self, job: &EvaluationJob, frontier: Frontier) -> Result<(), Error> {
        let wanted = job.examples.len();
        let aligned = |field, got| match got == wanted {
            true => Ok(()),
            false => Err(Error::Misaligned { field, got, wanted }),
        };
        aligned("outputs", self.outputs.len())?;
        aligned("scores", self.scores.len())?;
        // None at all is a way to say there is nothing to reflect on.
        if let Some(trajectories) = self.trajectories.as_ref().filter(|list| !list.is_empty()) {
            aligned("trajectories", trajectories.len())?;
        }
        if let Some(objectives) = &self.objectives {
            aligned("objectives", objectives.len())?;
        }
        for (at, example) in job.examples.iter().copied().enumerate() {
            let objectives = self.objectives.as_ref().and_then(|list| list.get(at));
            if frontier != Frontier::Instance && objectives.is_none_or(BTreeMap::is_empty) {
                return Err(Error::NoObjectives { example });
            }
            let mut numbers =
                self.scores.get(at).into_iter().chain(objectives.into_iter().flat_map(BTreeMap::values));
            if !numbers.all(|score| score.is_finite()) {
                return Err(Error::NotFinite { example });
            }
        }
        Ok(())
    }

    /// What a minibatch of `examples` is charged.
    pub(crate) fn spend(&self, examples: usize) -> u64 {
        self.metric_calls.unwrap_or(examples as u64)
    }
}
