use std::time::Duration;

use async_trait::async_trait;
use reflexio_types::config::PlaybookOptimizerConfig;
use tokio::time::sleep;

use crate::{Assistant, Payload, Result};

/// A longer pause helps nobody.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How often a call that failed is repeated, and after which pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pauses {
    pub repetitions: u32,
    /// Each further one is twice as long.
    pub first: Duration,
}

impl Pauses {
    pub(crate) fn of(config: &PlaybookOptimizerConfig) -> Self {
        Self {
            repetitions: config.webhook_max_retries,
            first: Duration::try_from_secs_f64(config.webhook_backoff_base_seconds).unwrap_or(Duration::ZERO),
        }
    }

    /// The pause after this many failures; none if there were enough.
    fn after(self, failures: u32) -> Option<Duration> {
        if failures > self.repetitions {
            return None;
        }
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        Some(self.first.saturating_mul(doubled).min(LONGEST_PAUSE))
    }
}

/// An assistant that is asked again when it fails.
pub(crate) struct Patient<A> {
    inner: A,
    pauses: Pauses,
}

impl<A> Patient<A> {
    pub(crate) fn new(inner: A, pauses: Pauses) -> Self {
        Self { inner, pauses }
    }
}

#[async_trait]
impl<A: Assistant> Assistant for Patient<A> {
    async fn respond(&self, payload: &Payload) -> Result<String> {
        let mut failures = 0;
        loop {
            let error = match self.inner.respond(payload).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            failures += 1;
            let Some(pause) = self.pauses.after(failures).filter(|_| error.may_pass()) else {
                return Err(error);
            };
            tracing::debug!(%error, failures, "the assistant is asked again");
            sleep(pause).await;
        }
    }

    fn label(&self) -> String {
        self.inner.label()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute_and_end() {
        let pauses = Pauses { repetitions: 9, first: Duration::from_secs(1) };
        let seconds = |failures| pauses.after(failures).map(|pause| pause.as_secs());
        assert_eq!([1, 2, 3, 7, 9].map(seconds), [Some(1), Some(2), Some(4), Some(60), Some(60)]);
        assert_eq!(seconds(10), None);
        assert_eq!(Pauses { repetitions: 0, ..pauses }.after(1), None);
    }
}
