use jiff::Timestamp as Instant;
use jiff::tz::TimeZone;
use reflexio_types::Timestamp;

/// `2026-11-15 10:31` in the time zone of this machine.
pub(crate) fn short(time: Timestamp) -> String {
    match Instant::from_second(time.0) {
        Ok(instant) => instant.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => time.to_string(),
    }
}

pub(crate) fn short_seconds(seconds: i64) -> String {
    short(Timestamp(seconds))
}
