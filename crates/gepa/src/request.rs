//! What the engine asks for, and how it is answered.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::{Candidate, Evaluation, Split};

/// Where a run stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Asked again, the engine asks the same again.
    Need(Request),
    Done,
}

/// One effect. Jobs of a request do not depend on each other and may run side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Evaluate(Vec<EvaluationJob>),
    /// Turn trajectories into records a model can learn from.
    Reflect(Vec<ReflectionJob>),
    Propose(Vec<ProposalJob>),
}

/// The answer to a [`Request`] of the same kind, one entry per job in the same order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Evaluations(Vec<Evaluation>),
    /// `None` where the records could not be made; that proposal then ends quietly.
    Datasets(Vec<Option<Dataset>>),
    /// `None` where reflection failed; that proposal then ends quietly.
    Proposals(Vec<Option<Proposal>>),
}

/// Whether an evaluation must bring trajectories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Traces {
    Capture,
    Skip,
}

/// Score a candidate on examples of one split. An example may come more than once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationJob {
    pub candidate: Candidate,
    pub split: Split,
    pub examples: Vec<usize>,
    pub traces: Traces,
}

/// Make the reflective dataset of a parent's minibatch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReflectionJob {
    pub candidate: Candidate,
    pub examples: Vec<usize>,
    pub evaluation: Evaluation,
    pub components: Vec<String>,
}

/// What there is to learn from one example, in reading order: what went in, what came out, what was wrong with it.
/// Pairs, since many stores sort the keys of objects.
pub type Record = Vec<(String, Value)>;

/// Component to records, one per informative example.
pub type Dataset = BTreeMap<String, Vec<Record>>;

/// Write new texts for these components of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposalJob {
    pub candidate: Candidate,
    pub components: Vec<String>,
    pub dataset: Dataset,
}

/// New texts. No text at all means no child.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Proposal {
    pub texts: BTreeMap<String, String>,
    /// What the reflection cost, in the unit of [`crate::Stopper::ReflectionCost`].
    #[serde(default)]
    pub cost: f64,
}
