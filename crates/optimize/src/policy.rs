use reflexio_types::config::PlaybookOptimizerConfig;
use serde::{Deserialize, Serialize};

/// As much of a configuration as a run needs, as it was when the run was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    pub max_metric_calls: u64,
    pub max_turns: usize,
    pub early_stop_score: f64,
    pub reflection_minibatch_size: usize,
    pub max_validation_windows: usize,
    pub min_commit_windows: usize,
    pub min_commit_score: f64,
    pub min_commit_likert: u8,
    /// So many steps in a row in which every replay failed mean that the assistant is down.
    pub failures_in_a_row: u32,
    /// Of the generator that draws parents and minibatches.
    pub seed: u64,
}

impl Policy {
    pub fn of(config: &PlaybookOptimizerConfig, seed: u64) -> Self {
        Self {
            max_metric_calls: u64::from(config.max_metric_calls),
            max_turns: config.max_turns as usize,
            early_stop_score: config.early_stop_score,
            reflection_minibatch_size: config.reflection_minibatch_size as usize,
            max_validation_windows: config.max_validation_windows as usize,
            min_commit_windows: config.min_commit_windows as usize,
            min_commit_score: config.min_commit_score,
            min_commit_likert: u8::try_from(config.min_commit_likert).unwrap_or(u8::MAX),
            failures_in_a_row: config.abort_cooldown_threshold.max(1),
            seed,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::of(&PlaybookOptimizerConfig::default(), 0)
    }
}
