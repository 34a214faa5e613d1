use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use reflexio_types::Caller;

use crate::AppState;
use crate::auth::peer;
use crate::error::{ApiError, Result};

/// Callers that were not seen for a while are forgotten once there are so many.
const FORGET_ABOVE: usize = 10_000;

/// So many requests in a second, minute or hour: `600/m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    count: NonZeroU32,
    period: Period,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Second,
    Minute,
    Hour,
}

/// The text is no rate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a rate limit looks like `600/m`: a number above 0, a slash, and s, m or h")]
pub struct NotARate;

impl FromStr for RateLimit {
    type Err = NotARate;

    fn from_str(text: &str) -> Result<Self, NotARate> {
        let (count, period) = text.split_once('/').ok_or(NotARate)?;
        let period = match period.trim() {
            "s" => Period::Second,
            "m" => Period::Minute,
            "h" => Period::Hour,
            _ => return Err(NotARate),
        };
        let count = count.trim().parse().ok().and_then(NonZeroU32::new).ok_or(NotARate)?;
        Ok(Self { count, period })
    }
}

impl RateLimit {
    fn quota(self) -> Quota {
        match self.period {
            Period::Second => Quota::per_second(self.count),
            Period::Minute => Quota::per_minute(self.count),
            Period::Hour => Quota::per_hour(self.count),
        }
    }

    fn words(self) -> String {
        let period = match self.period {
            Period::Second => "second",
            Period::Minute => "minute",
            Period::Hour => "hour",
        };
        format!("{} per 1 {period}", self.count)
    }
}

pub(crate) struct Limiter {
    limit: RateLimit,
    callers: DefaultKeyedRateLimiter<String>,
    clock: DefaultClock,
}

impl Limiter {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limit, callers: RateLimiter::keyed(limit.quota()), clock: DefaultClock::default() }
    }

    fn check(&self, who: &String) -> Result<()> {
        if self.callers.len() > FORGET_ABOVE {
            self.callers.retain_recent();
        }
        self.callers.check_key(who).map_err(|wait| {
            let wait: Duration = wait.wait_time_from(self.clock.now());
            let limit = self.limit.words();
            ApiError::TooManyRequests { limit, retry_after_seconds: wait.as_secs() + 1 }
        })
    }
}

/// Counts by key where there is one, else by address. The machine itself is never limited.
pub(crate) async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Result<Response> {
    if let Some(limiter) = &state.limiter
        && let Some(ip) = peer(&request).filter(|ip| !ip.is_loopback())
    {
        let key = request.extensions().get::<Caller>().and_then(|caller| caller.key.as_ref());
        limiter.check(&key.map_or_else(|| ip.to_string(), ToString::to_string))?;
    }
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_and_nonsense_is_refused() {
        assert_eq!("600/m".parse::<RateLimit>().map(RateLimit::words), Ok("600 per 1 minute".to_owned()));
        for text in ["", "600", "0/m", "-1/s", "5/d", "x/m"] {
            assert_eq!(text.parse::<RateLimit>(), Err(NotARate), "{text}");
        }
    }

    #[test]
    fn a_caller_beyond_the_limit_waits_and_others_do_not() {
        let limiter = Limiter::new("2/h".parse().unwrap());
        let (one, other) = ("one".to_owned(), "other".to_owned());
        assert!(limiter.check(&one).is_ok() && limiter.check(&one).is_ok());
        assert!(matches!(limiter.check(&one), Err(ApiError::TooManyRequests { .. })));
        assert!(limiter.check(&other).is_ok());
    }
}
