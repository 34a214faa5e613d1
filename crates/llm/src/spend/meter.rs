use std::time::Duration;

use tokio::time::Instant;

use super::{Budget, CallRecord, Estimate, Ledger, Outcome, Price};
use crate::error::Error;
use crate::request::{Answer, Usage};

/// What a call used and cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) usage: Usage,
    pub(crate) cost_micros: u64,
}

impl std::ops::Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let usage = Usage {
            prompt_tokens: self.usage.prompt_tokens + other.usage.prompt_tokens,
            output_tokens: self.usage.output_tokens + other.usage.output_tokens,
            cached_tokens: self.usage.cached_tokens + other.usage.cached_tokens,
        };
        Self { usage, cost_micros: self.cost_micros + other.cost_micros }
    }
}

/// Follows one call from its reservation to its record. Dropped early, it records that the call was cancelled: no
/// call leaves without a trace, and no reservation stays.
pub(crate) struct Meter<'a> {
    pub(crate) ledger: &'a dyn Ledger,
    pub(crate) budget: &'a dyn Budget,
    pub(crate) estimate: Estimate,
    pub(crate) price: Price,
    /// Everything that is known before the call; the rest is filled in after it.
    pub(crate) record: Option<CallRecord>,
    pub(crate) started: Instant,
}

impl Meter<'_> {
    pub(crate) fn finish(mut self, result: &Result<Answer, Error>) -> Spent {
        match result {
            Ok(answer) => {
                let counted = answer.usage;
                let usage = counted.unwrap_or_else(|| self.estimated(&answer.text));
                self.close(usage, counted.is_none(), Outcome::Answered)
            }
            // Who refuses a request does not charge for it; who was too slow may.
            Err(error @ Error::Timeout { .. }) => {
                let usage = Usage { prompt_tokens: self.estimate.prompt_tokens, ..Usage::default() };
                self.close(usage, true, Outcome::Failed(error.code()))
            }
            Err(error) => self.close(Usage::default(), true, Outcome::Failed(error.code())),
        }
    }

    fn estimated(&self, text: &str) -> Usage {
        let output_tokens = super::tokens::of_text(text);
        Usage { prompt_tokens: self.estimate.prompt_tokens, output_tokens, cached_tokens: 0 }
    }

    fn close(&mut self, usage: Usage, tokens_estimated: bool, outcome: Outcome) -> Spent {
        let Some(record) = self.record.take() else { return Spent::default() };
        let cost_micros = self.price.micros(&usage);
        let latency: Duration = self.started.elapsed();
        self.budget.settle(&self.estimate, cost_micros);
        self.ledger.record(CallRecord { usage, tokens_estimated, cost_micros, latency, outcome, ..record });
        Spent { usage, cost_micros }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        let usage = Usage { prompt_tokens: self.estimate.prompt_tokens, ..Usage::default() };
        self.close(usage, true, Outcome::Cancelled);
    }
}
