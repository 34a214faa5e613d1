use serde::{Deserialize, Serialize};

use crate::{Timestamp, UserId};

/// What came of a call of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    Answered,
    /// The code of the error.
    Failed(String),
    /// The caller stopped waiting; the provider may still charge for it.
    Cancelled,
    /// No call was made: the run had got the answer before.
    Saved,
}

impl CallOutcome {
    pub fn as_str(&self) -> &str {
        match self {
            CallOutcome::Answered => "answered",
            CallOutcome::Failed(code) => code,
            CallOutcome::Cancelled => "cancelled",
            CallOutcome::Saved => "saved",
        }
    }
}

/// One call of a model, as the books have it: each attempt, each fallback and each correction is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    pub at: Timestamp,
    pub role: String,
    /// `provider/model`.
    pub model: String,
    pub prompt_version: Option<String>,
    /// Whether the model was told what was wrong with its first answer.
    pub is_correction: bool,
    /// 1 for the first attempt with this model, 0 if none was needed.
    pub attempt: u32,
    /// The cached ones included.
    pub prompt_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    /// The provider did not count; the numbers are ours.
    pub tokens_estimated: bool,
    /// Millionths of a US dollar.
    pub cost_micros: u64,
    /// Otherwise a high price was assumed.
    pub price_known: bool,
    pub latency_ms: u64,
    pub outcome: CallOutcome,
    /// The run it was part of; a job's is [`crate::JobId::run`].
    pub run: Option<String>,
    pub user_id: Option<UserId>,
    /// What asked, in the words of the configuration.
    pub config: Option<String>,
}

/// What many calls cost together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostTotals {
    /// Calls that were made, whatever came of them.
    pub calls: u64,
    pub failed: u64,
    pub cancelled: u64,
    /// Calls that were not made, because the run had got the answer before.
    pub saved: u64,
    pub prompt_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    /// Millionths of a US dollar.
    pub cost_micros: u64,
    /// Calls of models without a known price, for which a high one was assumed.
    pub unpriced: u64,
    /// Calls whose tokens the provider did not count.
    pub estimated: u64,
    /// Of all calls together.
    pub latency_ms: u64,
}

impl CostTotals {
    /// Applies a function to each pair of counts.
    fn with(self, other: Self, both: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            calls: both(self.calls, other.calls),
            failed: both(self.failed, other.failed),
            cancelled: both(self.cancelled, other.cancelled),
            saved: both(self.saved, other.saved),
            prompt_tokens: both(self.prompt_tokens, other.prompt_tokens),
            output_tokens: both(self.output_tokens, other.output_tokens),
            cached_tokens: both(self.cached_tokens, other.cached_tokens),
            cost_micros: both(self.cost_micros, other.cost_micros),
            unpriced: both(self.unpriced, other.unpriced),
            estimated: both(self.estimated, other.estimated),
            latency_ms: both(self.latency_ms, other.latency_ms),
        }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.with(other, u64::saturating_sub)
    }
}

impl From<&ModelCall> for CostTotals {
    fn from(call: &ModelCall) -> Self {
        let made = call.outcome != CallOutcome::Saved;
        Self {
            calls: u64::from(made),
            failed: u64::from(matches!(call.outcome, CallOutcome::Failed(_))),
            cancelled: u64::from(call.outcome == CallOutcome::Cancelled),
            saved: u64::from(!made),
            prompt_tokens: call.prompt_tokens,
            output_tokens: call.output_tokens,
            cached_tokens: call.cached_tokens,
            cost_micros: call.cost_micros,
            unpriced: u64::from(made && !call.price_known),
            estimated: u64::from(made && call.tokens_estimated),
            latency_ms: call.latency_ms,
        }
    }
}

impl<'a> std::iter::Sum<&'a ModelCall> for CostTotals {
    fn sum<I: Iterator<Item = &'a ModelCall>>(calls: I) -> Self {
        calls.fold(Self::default(), |sum, call| sum.plus(call.into()))
    }
}
