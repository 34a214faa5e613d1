//! When a provider will answer again: in headers, in bodies, in words.

use std::time::Duration;

use jiff::Timestamp as Instant;
use jiff::fmt::rfc2822::DateTimeParser;
use reflexio_types::Timestamp;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// How long the headers ask to wait: seconds, OpenAI's milliseconds, or a date.
pub(crate) fn in_headers(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(milliseconds / 1e3).ok();
    }
    let text = text("retry-after")?;
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(until(Timestamp(date.as_second()), now))
}

/// Google's `retryDelay`, wherever in the details it stands.
pub(crate) fn in_body(body: &Value) -> Option<Duration> {
    let error = body.get("error").or_else(|| body.get(0)?.get("error"))?;
    let delays =
        error.get("details")?.as_array()?.iter().filter_map(|detail| detail.get("retryDelay")?.as_str());
    let seconds = delays.filter_map(|delay| delay.strip_suffix('s')?.parse::<f64>().ok()).next()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A time in a message: `2026-12-01 at 00:00 UTC`, ISO 8601, or seconds since 1970 behind a bar.
pub(crate) fn in_words(message: &str) -> Option<Timestamp> {
    if let Some((_, tail)) = message.rsplit_once('|') {
        let digits: String = tail.trim_start().chars().take_while(char::is_ascii_digit).collect();
        if digits.len() == 10 {
            return digits.parse().ok().map(Timestamp);
        }
    }
    let text = message.replace(" at ", "T").replace(" UTC", "Z");
    let words = text.split([' ', ',', '(', ')', '"']).map(|word| word.trim_end_matches('.'));
    words.filter(|word| is_date(word)).find_map(|word| {
        let instant = word.parse::<Instant>().ok().map(|instant| Timestamp(instant.as_second()));
        instant.or_else(|| Timestamp::parse_iso(word.trim_end_matches('Z')))
    })
}

fn is_date(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit)
}

fn until(then: Timestamp, now: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(then.0.saturating_sub(now.0)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &'static str, value: &str, expected: Option<f64>) {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().expect("a header"));
        let now = Timestamp::parse_iso("2026-11-15T10:00:00Z").expect("a time");
        assert_eq!(in_headers(&headers, now).map(|wait| wait.as_secs_f64()), expected, "{name}: {value}");
    }

    #[test]
    fn the_time_to_wait_is_read_as_seconds_milliseconds_and_dates() {
        check("retry-after", "20", Some(20.0));
        check("retry-after", "0.5", Some(0.5));
        check("retry-after-ms", "250", Some(0.25));
        check("retry-after", "Sun, 15 Nov 2026 10:01:00 GMT", Some(60.0));
        check("retry-after", "Sun, 15 Nov 2026 09:00:00 GMT", Some(0.0));
        check("retry-after", "soon", None);
        check("retry-after", "-3", None);
    }

    #[test]
    fn times_in_messages_are_found() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(in_words(text), expected.and_then(Timestamp::parse_iso), "{text}");
        };
        check("regain access on 2026-12-01 at 00:00 UTC.", Some("2026-12-01T00:00:00Z"));
        check("resets 2026-11-16T03:00:00Z", Some("2026-11-16T03:00:00Z"));
        check("resets on 2026-11-16", Some("2026-11-16"));
        check("limit reached|1800000000", Some("2027-01-15T08:00:00Z"));
        check("at some point, é, later", None);
    }
}
