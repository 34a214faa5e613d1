use std::time::Duration;

use reflexio_types::{Day, Stall, StallReason, Timestamp};

use crate::spend::{OverBudget, Period};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The longest message of a provider that is kept.
pub(crate) const LONGEST_MESSAGE: usize = 1_000;
/// The most of a refused answer that is kept.
pub(crate) const LONGEST_RAW: usize = 4_000;

/// An optional part of a request that a server can refuse while it accepts the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// The JSON schema, the JSON mode or the forced tool.
    ResponseFormat,
    Temperature,
    TokenLimit,
    /// The model sees no pictures.
    Images,
    /// It does not want these pictures.
    Picture,
}

/// Why there is no answer, by what the caller can do about it. No variant ever holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Correct the settings: no request was sent.
    #[error("{0}")]
    Misconfigured(String),
    /// Give another key. Learning stalls until then.
    #[error("`{model}` does not accept the key: {message}")]
    Auth { model: String, message: String },
    /// Pay, or wait for the reset. Learning stalls until then.
    #[error("the account of `{model}` is exhausted: {message}")]
    Billing { model: String, message: String, resets_at: Option<Timestamp> },
    /// Try again, not before `retry_after` when it is given.
    #[error("`{model}` limits the rate of requests: {message}")]
    RateLimited { model: String, message: String, retry_after: Option<Duration> },
    /// Try again, not before `retry_after` when it is given.
    #[error("`{model}` is unavailable: {message}")]
    Unavailable { model: String, message: String, retry_after: Option<Duration> },
    /// Try again, perhaps with a longer limit.
    #[error("`{model}` did not answer within {after:?}")]
    Timeout { model: String, after: Duration },
    /// Change the request or the model: asking again gives the same answer.
    #[error("`{model}` refused the request with status {status}: {message}")]
    BadRequest { model: String, status: u16, message: String, parameter: Option<Parameter> },
    /// Send less.
    #[error("the prompt is too long for `{model}`: {message}")]
    ContextTooLong { model: String, message: String },
    /// Leave this input out: the model or its provider declines to talk about it.
    #[error("`{model}` declined to answer: {message}")]
    Declined { model: String, message: String },
    /// Use a stronger model, or leave this input out. `raw` is the beginning of the last answer.
    #[error("the answer of `{model}` cannot be used: {reason}")]
    InvalidAnswer { model: String, reason: String, raw: String },
    /// Raise the budget, or wait for the next day.
    #[error("the budget is spent: {0}")]
    BudgetExceeded(OverBudget),
    /// Nothing: the caller asked for it.
    #[error("the call was cancelled")]
    Cancelled,
}

impl Error {
    /// Whether the same request may succeed later without anybody changing anything.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Unavailable { .. } | Self::Timeout { .. } => true,
            Self::Misconfigured(_)
            | Self::Auth { .. }
            | Self::Billing { .. }
            | Self::BadRequest { .. }
            | Self::ContextTooLong { .. }
            | Self::Declined { .. }
            | Self::InvalidAnswer { .. }
            | Self::BudgetExceeded(_)
            | Self::Cancelled => false,
        }
    }

    /// How long the provider asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        let (Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. }) = self else {
            return None;
        };
        *retry_after
    }

    /// The learning stall this error means, if it does: a person has to do something, or a day has to pass.
    pub fn stall(&self, now: Timestamp) -> Option<Stall> {
        let (reason, reset_estimate) = if let Self::Billing { resets_at, .. } = self {
            (StallReason::BillingError, *resets_at)
        } else if let Self::Auth { .. } = self {
            (StallReason::AuthError, None)
        } else if let Self::BudgetExceeded(OverBudget { period: Period::Day, .. }) = self {
            (StallReason::BudgetSpent, Some(Day::of(now).plus(1).start()))
        } else {
            return None;
        };
        let error_message = Some(bounded(&self.to_string(), LONGEST_MESSAGE));
        Some(Stall { reason, stalled_at: now, reset_estimate, error_message, notified: false })
    }

    /// A stable word for the ledger, metrics and logs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Misconfigured(_) => "misconfigured",
            Self::Auth { .. } => "auth",
            Self::Billing { .. } => "billing",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unavailable { .. } => "unavailable",
            Self::Timeout { .. } => "timeout",
            Self::BadRequest { .. } => "bad_request",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::Declined { .. } => "declined",
            Self::InvalidAnswer { .. } => "invalid_answer",
            Self::BudgetExceeded(_) => "budget_exceeded",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn unavailable(model: &str, message: impl Into<String>) -> Self {
        Self::Unavailable { model: model.to_owned(), message: message.into(), retry_after: None }
    }

    pub(crate) fn invalid(model: &str, reason: impl Into<String>, raw: &str) -> Self {
        Self::InvalidAnswer { model: model.to_owned(), reason: reason.into(), raw: bounded(raw, LONGEST_RAW) }
    }
}

/// The beginning of `text`, cut at a character.
pub(crate) fn bounded(text: &str, longest: usize) -> String {
    text[..text.floor_char_boundary(longest)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_billing_and_the_days_budget_stall_learning_and_nothing_else_does() {
        let now = Timestamp(1_000);
        let auth = Error::Auth { model: "openai/m".to_owned(), message: "wrong".to_owned() };
        let stall = auth.stall(now).expect("a stall");
        assert_eq!(
            (stall.reason, stall.stalled_at, stall.reset_estimate),
            (StallReason::AuthError, now, None)
        );
        let billing = Error::Billing {
            model: "openai/m".to_owned(),
            message: "x".repeat(5_000),
            resets_at: Some(Timestamp(2_000)),
        };
        let stall = billing.stall(now).expect("a stall");
        assert_eq!((stall.reason, stall.reset_estimate), (StallReason::BillingError, Some(Timestamp(2_000))));
        assert_eq!(stall.error_message.map(|message| message.len()), Some(LONGEST_MESSAGE));
        let over = |period| Error::BudgetExceeded(OverBudget { period, message: "spent".to_owned() });
        let stall = over(Period::Day).stall(now).expect("a stall");
        assert_eq!((stall.reason, stall.reset_estimate), (StallReason::BudgetSpent, Some(Timestamp(86_400))));
        assert!(over(Period::Run).stall(now).is_none(), "tomorrow it would be the same");
        assert!(Error::unavailable("m", "down").stall(now).is_none());
        assert!(Error::Cancelled.stall(now).is_none());
    }

    #[test]
    fn a_kept_answer_is_cut_at_a_character() {
        let Error::InvalidAnswer { raw, .. } = Error::invalid("m", "no", &"é".repeat(LONGEST_RAW)) else {
            panic!("another error");
        };
        assert_eq!(raw.len(), LONGEST_RAW);
    }
}
