//! What happened, in the reference's words and order.
//!
//! Events are for watching. Nothing a watcher does can change a run.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a parent's minibatch was not reflected on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    NoTrajectories,
    AllScoresPerfect,
}

/// Why a child was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    NotImproved,
    /// It improved, but the selection kept others.
    NotSelected,
    /// The same texts were already kept in this iteration.
    Duplicate,
}

/// One event. Iterations count from 1; the seed's validation is iteration 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The head of the loop: everything so far is settled, a good moment to store the engine.
    StateSaved {
        iteration: u64,
    },
    IterationStart {
        iteration: u64,
    },
    CandidateSelected {
        iteration: u64,
        candidate_idx: usize,
        score: f64,
    },
    MinibatchSampled {
        iteration: u64,
        minibatch_ids: Vec<usize>,
    },
    /// `candidate_idx` is missing for a child, which is in no pool yet.
    EvaluationStart {
        iteration: u64,
        candidate_idx: Option<usize>,
        batch_size: usize,
        parent_ids: Vec<usize>,
    },
    EvaluationEnd {
        iteration: u64,
        candidate_idx: Option<usize>,
        scores: Vec<f64>,
        parent_ids: Vec<usize>,
    },
    EvaluationSkipped {
        iteration: u64,
        candidate_idx: usize,
        reason: Skip,
    },
    BudgetUpdated {
        iteration: u64,
        metric_calls_used: u64,
        metric_calls_delta: u64,
    },
    ReflectiveDatasetBuilt {
        iteration: u64,
        candidate_idx: usize,
        components: Vec<String>,
    },
    ProposalStart {
        iteration: u64,
        components: Vec<String>,
    },
    ProposalEnd {
        iteration: u64,
        new_instructions: BTreeMap<String, String>,
    },
    ParetoFrontUpdated {
        iteration: u64,
        new_front: Vec<usize>,
        displaced_candidates: Vec<usize>,
    },
    ValsetEvaluated {
        iteration: u64,
        candidate_idx: usize,
        scores_by_val_id: BTreeMap<usize, f64>,
        average_score: f64,
        is_best_program: bool,
    },
    CandidateAccepted {
        iteration: u64,
        new_candidate_idx: usize,
        new_score: f64,
        parent_ids: Vec<usize>,
    },
    CandidateRejected {
        iteration: u64,
        old_score: f64,
        new_score: f64,
        reason: Rejection,
    },
    MergeAttempted {
        iteration: u64,
        parent_ids: Vec<usize>,
        merged_candidate: BTreeMap<String, String>,
    },
    MergeAccepted {
        iteration: u64,
        new_candidate_idx: usize,
        parent_ids: Vec<usize>,
    },
    MergeRejected {
        iteration: u64,
        parent_ids: Vec<usize>,
    },
    /// The caller gave the iteration up.
    Error {
        iteration: u64,
        message: String,
        will_continue: bool,
    },
    IterationEnd {
        iteration: u64,
        proposal_accepted: bool,
    },
    /// `total_iterations` counts from 0 and is -1 for a run without any, as in the reference.
    OptimizationEnd {
        best_candidate_idx: usize,
        total_iterations: i64,
        total_metric_calls: u64,
    },
}
