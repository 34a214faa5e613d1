//! Small pictures of numbers, as wide as they can be read at a glance.

/// The longest bar, in characters.
const BAR: usize = 20;
/// From 0 to 100 %.
const RANGE: usize = 40;

/// As long as its share of the largest, and never nothing for something.
pub(crate) fn bar(value: u64, largest: u64) -> String {
    if value == 0 || largest == 0 {
        return String::new();
    }
    let share = value as f64 / largest as f64;
    "█".repeat(((share * BAR as f64).round() as usize).clamp(1, BAR))
}

/// An interval between 0 and 1 with its value.
pub(crate) fn range(low: f64, value: f64, high: f64) -> String {
    let place = |share: f64| (share.clamp(0.0, 1.0) * (RANGE - 1) as f64).round() as usize;
    let (low, value, high) = (place(low), place(value), place(high));
    let mark = |at: usize| match at {
        _ if at == value => '●',
        _ if (low..=high).contains(&at) => '━',
        _ => '·',
    };
    (0..RANGE).map(mark).collect()
}

/// 0.125 as `12.5 %`, 0.12 as `12 %`.
pub(crate) fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    if tenths % 10.0 == 0.0 { format!("{:.0} %", tenths / 10.0) } else { format!("{:.1} %", tenths / 10.0) }
}

/// 12,345.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at % 3 == first {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn the_largest_has_the_longest_bar_and_nothing_has_none() {
        assert_eq!(bar(10, 10).chars().count(), BAR);
        assert_eq!(bar(1, 1_000_000).chars().count(), 1);
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(0, 0), "");
    }

    #[test]
    fn a_range_is_always_as_wide_and_shows_its_value() {
        for (low, value, high) in [(0.0, 0.0, 0.1), (0.2, 0.5, 0.8), (0.9, 1.0, 1.0), (-1.0, 2.0, 3.0)] {
            let text = range(low, value, high);
            assert_eq!(text.chars().count(), RANGE);
            assert_eq!(text.matches('●').count(), 1, "{text}");
        }
        assert!(range(0.2, 0.5, 0.8).starts_with('·'));
    }

    #[test]
    fn shares_are_shown_with_a_digit_only_if_it_says_something() {
        for (share, text) in
            [(0.0, "0 %"), (0.125, "12.5 %"), (0.12, "12 %"), (1.0, "100 %"), (0.9996, "100 %")]
        {
            assert_eq!(percent(share), text);
        }
    }
}
