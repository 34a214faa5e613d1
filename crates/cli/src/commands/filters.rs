//! Arguments that several nouns share.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use reflexio_api_types::{Positive, StatusName, When};
use reflexio_types::{Clock, Status, SystemClock, Timestamp};

/// How many rows a list shows.
#[derive(Debug, Args)]
pub(crate) struct Limit {
    /// The most rows to show.
    #[arg(long, short = 'n', value_name = "N", default_value = "100", value_parser = clap::value_parser!(i64).range(1..))]
    limit: i64,
}

impl Limit {
    pub(crate) fn positive(&self) -> Positive {
        Positive(self.limit)
    }

    pub(crate) fn rows(&self) -> usize {
        self.positive().as_usize()
    }
}

/// Between which moments.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Span {
    /// Only what is at least as new: 2026-01-31, 2026-01-31T12:00:00Z, seconds since 1970, or 7d, 12h, 30m ago.
    #[arg(long, value_name = "TIME")]
    since: Option<Moment>,
    /// Only what is at most as new.
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,
}

impl Span {
    pub(crate) fn start(&self) -> Option<When> {
        self.since.map(|moment| When(moment.0))
    }

    pub(crate) fn end(&self) -> Option<When> {
        self.until.map(|moment| When(moment.0))
    }

    pub(crate) fn is_given(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }
}

/// A time on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) Timestamp);

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ago = |seconds: i64| Timestamp(SystemClock.now().0.saturating_sub(seconds));
        let number = text.parse().map(Timestamp).ok();
        number
            .or_else(|| seconds_of(text).map(ago))
            .or_else(|| Timestamp::parse_iso(text))
            .map(Self)
            .ok_or_else(|| "give a date, a time, or how long ago (7d, 12h, 30m)".to_owned())
    }
}

fn seconds_of(text: &str) -> Option<i64> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    text[..text.len() - 1].parse::<i64>().ok()?.checked_mul(unit)
}

/// Where a learned row stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusArg {
    Current,
    Pending,
    Archived,
    Merged,
    Superseded,
    Expired,
}

impl From<StatusArg> for StatusName {
    fn from(status: StatusArg) -> Self {
        StatusName(match status {
            StatusArg::Current => Status::Current,
            StatusArg::Pending => Status::Pending,
            StatusArg::Archived => Status::Archived,
            StatusArg::Merged => Status::Merged,
            StatusArg::Superseded => Status::Superseded,
            StatusArg::Expired => Status::Expired,
        })
    }
}

/// Every status there is: for looking up one row, whatever became of it.
pub(crate) fn any_status() -> Vec<Option<StatusName>> {
    Status::ALL.into_iter().map(|status| Some(StatusName(status))).collect()
}

/// How a status is shown; rows in use have none.
pub(crate) fn status_word(status: Option<StatusName>) -> String {
    status.map_or(Status::Current, |name| name.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates_numbers_or_spans() {
        let moment = |text: &str| text.parse::<Moment>().map(|moment| moment.0.0);
        assert_eq!(moment("0"), Ok(0));
        assert_eq!(moment("1970-01-02"), Ok(86_400));
        assert_eq!(moment("1970-01-01T00:01:00Z"), Ok(60));
        let now = SystemClock.now().0;
        assert!((now - moment("2d").unwrap() - 172_800).abs() <= 1);
        assert!(moment("soon").is_err() && moment("d").is_err() && moment("").is_err());
    }
}
