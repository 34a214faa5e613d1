use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::error::Error;

/// How often and how long a call is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// Attempts with the last model of a chain; with another to fall back to, two are enough.
    pub attempts: u32,
    /// The first pause before a repetition; each further one is twice as long.
    pub first_pause: Duration,
    /// A provider that asks for a longer wait gets its wish from the caller, who is told.
    pub longest_wait: Duration,
    /// Everything together: waiting for a place, repetitions, fallbacks, the corrective turn.
    pub deadline: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_pause: Duration::from_millis(500),
            longest_wait: Duration::from_secs(45),
            deadline: Duration::from_secs(480),
        }
    }
}

/// Whether another model stands behind the one that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Last,
    HasFallback,
}

impl Retry {
    /// How long to wait before the next attempt; none when there should be no other.
    pub(crate) fn pause(&self, error: &Error, attempt: u32, position: Position) -> Option<Duration> {
        let most = match (position, error) {
            // A slow answer was expensive to wait for.
            (_, Error::Timeout { .. }) => self.attempts.min(2),
            (Position::HasFallback, _) => self.attempts.min(2),
            (Position::Last, _) => self.attempts,
        };
        if !error.is_temporary() || attempt >= most {
            return None;
        }
        let doubled = self.first_pause.saturating_mul(1 << (attempt - 1).min(16));
        let wait = error.retry_after().unwrap_or_else(|| jittered(doubled.min(self.longest_wait)));
        (wait <= self.longest_wait).then_some(wait)
    }
}

/// Between half and all of `pause`, so that many clients do not come back together.
fn jittered(pause: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) % 1024;
    pause / 2 + pause.mul_f64(random as f64 / 2048.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(seconds: Option<u64>) -> Error {
        let retry_after = seconds.map(Duration::from_secs);
        Error::RateLimited { model: "p/m".to_owned(), message: String::new(), retry_after }
    }

    #[test]
    fn pauses_double_and_the_providers_word_wins() {
        let retry = Retry::default();
        let pause = |error: &Error, attempt| retry.pause(error, attempt, Position::Last);
        let second = pause(&limited(None), 2).expect("another attempt");
        assert!((Duration::from_millis(500)..=Duration::from_secs(1)).contains(&second), "{second:?}");
        assert_eq!(pause(&limited(Some(7)), 1), Some(Duration::from_secs(7)));
        assert_eq!(pause(&limited(Some(600)), 1), None, "too long to wait here");
        assert_eq!(pause(&limited(None), 4), None, "enough");
    }

    #[test]
    fn what_will_not_change_is_not_repeated() {
        let retry = Retry::default();
        let auth = Error::Auth { model: "p/m".to_owned(), message: String::new() };
        assert_eq!(retry.pause(&auth, 1, Position::Last), None);
        assert_eq!(retry.pause(&limited(None), 2, Position::HasFallback), None);
    }
}
