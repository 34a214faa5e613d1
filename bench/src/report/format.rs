//! Numbers as people read them.

/// `1,234,567`
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three digits that count: `12,345`, `123`, `12.3`, `0.0123`.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    match value.abs() {
        100.0.. => count(value.abs().round() as u64),
        10.0..100.0 => format!("{value:.1}"),
        0.1..10.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// `12.3 MB`, with 1 MB = 1,000,000 bytes.
pub(super) fn bytes(count: u64) -> String {
    match count {
        1_000_000_000.. => format!("{} GB", number(count as f64 / 1e9)),
        1_000_000.. => format!("{} MB", number(megabytes(count))),
        _ => format!("{} kB", number(count as f64 / 1e3)),
    }
}

pub(super) fn megabytes(count: u64) -> f64 {
    count as f64 / 1e6
}

/// `10k`, `1M`: a size where there is little room.
pub(super) fn short(number: u64) -> String {
    match number {
        1_000_000.. if number.is_multiple_of(1_000_000) => format!("{}M", number / 1_000_000),
        1_000.. if number.is_multiple_of(1_000) => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}

/// `45 %`
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let shown: Vec<String> = [12_345.6, 123.4, 12.34, 1.234, 0.0123].into_iter().map(number).collect();
        assert_eq!(shown, ["12,346", "123", "12.3", "1.23", "0.0123"]);
        assert_eq!((count(0).as_str(), count(1_234_567).as_str()), ("0", "1,234,567"));
        assert_eq!((bytes(512).as_str(), bytes(41_500_000).as_str()), ("0.51 kB", "41.5 MB"));
        assert_eq!(
            (short(10_000).as_str(), short(1_000_000).as_str(), short(300).as_str()),
            ("10k", "1M", "300")
        );
    }
}
