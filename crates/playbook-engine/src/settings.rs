//! What a run may use, and how it works.

use serde::{Deserialize, Serialize};

/// Settings of one run. They are part of its first event, so that a resumed run has the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub budget: Budget,
    /// Ask for learned notes before each segment.
    pub recalls: bool,
    /// The most steps one request offers to the model.
    pub segment_steps: usize,
    /// What the clock shows beside UTC, for `At 17:00` and `timestamp`.
    pub utc_offset_minutes: i32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { budget: Budget::default(), recalls: false, segment_steps: 12, utc_offset_minutes: 0 }
    }
}

/// Limits of a run. Reaching one ends it with a partial result that says so; its state stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    pub model_calls: u64,
    pub tokens: u64,
    /// Millionths of a US dollar, by the prices whoever asks the model knows.
    pub cost_micros: u64,
    /// Time from the first event, in milliseconds. Only events tell the time.
    pub wall_ms: u64,
    /// Turns of one loop, each time it is entered.
    pub loop_turns: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// Playbooks calling playbooks.
    pub depth: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            model_calls: 200,
            tokens: 2_000_000,
            cost_micros: 5_000_000,
            wall_ms: 7 * 24 * 3_600_000,
            loop_turns: 10_000,
            steps: 1_000_000,
            depth: 64,
        }
    }
}

/// Which limit was reached.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    ModelCalls,
    Tokens,
    Money,
    WallTime,
    LoopTurns,
    Steps,
    Depth,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ModelCalls => "model calls",
            Self::Tokens => "tokens",
            Self::Money => "millionths of a dollar",
            Self::WallTime => "milliseconds",
            Self::LoopTurns => "turns of a loop",
            Self::Steps => "steps",
            Self::Depth => "playbooks calling playbooks",
        })
    }
}
