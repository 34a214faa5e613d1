use std::fmt;

use jiff::Timestamp as Instant;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// Whole seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Reads ISO 8601 with or without an offset; a time without one is UTC.
    pub fn parse_iso(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(instant) = text.parse::<Instant>() {
            return Some(Self(instant.as_second()));
        }
        let civil: DateTime = text.parse().ok()?;
        let instant = civil.to_zoned(TimeZone::UTC).ok()?.timestamp();
        Some(Self(instant.as_second()))
    }

    /// ISO 8601 in UTC, or the bare number when it lies outside the calendar.
    pub fn to_iso(self) -> String {
        match Instant::from_second(self.0) {
            Ok(instant) => instant.to_string(),
            Err(_) => self.0.to_string(),
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_iso())
    }
}

/// Rows from `start` on, up to and including `end`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    pub start: Option<Timestamp>,
    pub end: Option<Timestamp>,
}

/// Where the time comes from. Only `App` and the job runner ask it, so that a test can set the time.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp(Instant::now().as_second())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<i64>) {
        assert_eq!(Timestamp::parse_iso(text).map(|t| t.0), expected, "{text}");
    }

    #[test]
    fn iso_times_with_and_without_offset_are_read() {
        check("1970-01-01T00:00:00Z", Some(0));
        check("1970-01-01T01:00:00+01:00", Some(0));
        check("1970-01-01T00:00:10.750", Some(10));
        check("2100-01-01 00:00:00", Some(4_102_444_800));
        check("2026-01-02", Some(1_767_312_000));
        check("yesterday", None);
        check("", None);
    }

    #[test]
    fn printed_times_are_read_back() {
        for second in [0, 1, 1_794_725_705, 4_102_444_800, -1] {
            let time = Timestamp(second);
            assert_eq!(Timestamp::parse_iso(&time.to_iso()), Some(time));
        }
    }
}
