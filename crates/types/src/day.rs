use std::fmt;

use jiff::civil::Date;

use crate::Timestamp;

const SECONDS: i64 = 86_400;

/// A day from midnight to midnight UTC, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    pub fn of(time: Timestamp) -> Self {
        Self(time.0.div_euclid(SECONDS))
    }

    /// Reads `2026-11-15`.
    pub fn parse(text: &str) -> Option<Self> {
        let date: Date = text.trim().parse().ok()?;
        let start = Timestamp::parse_iso(&format!("{date}T00:00:00Z"))?;
        // Dates with a time behind them are read too by the calendar; they are none of ours.
        (date.to_string() == text.trim()).then(|| Self::of(start))
    }

    /// Midnight, at which it begins.
    pub fn start(self) -> Timestamp {
        Timestamp(self.0.saturating_mul(SECONDS))
    }

    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let iso = self.start().to_iso();
        f.write_str(iso.split('T').next().unwrap_or(&iso))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_as_it_is_printed_and_begins_at_midnight() {
        for text in ["1970-01-01", "2026-11-15", "2024-02-29", "1969-12-31"] {
            assert_eq!(Day::parse(text).expect("a day").to_string(), text);
        }
        let day = Day::of(Timestamp(1_794_725_705));
        assert!(day.start() <= Timestamp(1_794_725_705) && day.plus(1).start() > Timestamp(1_794_725_705));
        assert_eq!(Day::of(Timestamp(-1)), Day(-1));
    }

    #[test]
    fn what_is_no_day_is_not_read() {
        for text in ["", "today", "2026-13-01", "2026-11-15T10:00:00Z", "15.11.2026", "20261115"] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }
}
