use std::time::Duration;

use reflexio_types::Timestamp;
use serde::Serialize;

use crate::purpose::Purpose;
use crate::request::Usage;
use crate::role::Role;

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Answered,
    /// The error's code.
    Failed(&'static str),
    /// The caller stopped waiting; the provider may still charge for it.
    Cancelled,
    /// No call was made: the run had got this answer before.
    Saved,
}

/// Which turn of a structured call it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    First,
    Correction,
}

/// One call of a model: each attempt, each fallback and each correction has its own.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    pub at: Timestamp,
    pub purpose: Purpose,
    pub role: Role,
    pub provider: String,
    pub model: String,
    pub prompt_version: Option<String>,
    pub turn: Turn,
    /// 1 for the first attempt with this model, 0 if none was needed.
    pub attempt: u32,
    pub usage: Usage,
    /// The server did not count; the numbers are ours.
    pub tokens_estimated: bool,
    /// Millionths of a US dollar.
    pub cost_micros: u64,
    /// Whether the price table knew the model; otherwise a high price was assumed.
    pub price_known: bool,
    pub latency: Duration,
    pub outcome: Outcome,
}

/// Takes the record of every call. It must not block: it is called between calls, and when one is dropped.
pub trait Ledger: Send + Sync {
    fn record(&self, call: CallRecord);
}

/// Forgets everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLedger;

impl Ledger for NoLedger {
    fn record(&self, _: CallRecord) {}
}
