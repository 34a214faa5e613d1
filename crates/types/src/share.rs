/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Between which values something lies, with a confidence of 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// So many of so many; never more than all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Proportion {
    pub successes: u64,
    pub total: u64,
}

impl Proportion {
    pub fn of(outcomes: impl IntoIterator<Item = bool>) -> Self {
        outcomes.into_iter().fold(Self::default(), |sum, success| Self {
            successes: sum.successes + u64::from(success),
            total: sum.total + 1,
        })
    }

    /// Nothing of nothing.
    pub fn rate(self) -> Option<f64> {
        (self.total > 0).then(|| self.successes as f64 / self.total as f64)
    }

    /// The score interval of Wilson (1927), which also holds for few cases and for shares near 0 and 1.
    pub fn interval(self) -> Option<Interval> {
        let rate = self.rate()?;
        let total = self.total as f64;
        let scale = 1.0 + Z * Z / total;
        let centre = (rate + Z * Z / (2.0 * total)) / scale;
        let reach = Z / scale * (rate * (1.0 - rate) / total + Z * Z / (4.0 * total * total)).sqrt();
        Some(Interval { low: (centre - reach).clamp(0.0, rate), high: (centre + reach).clamp(rate, 1.0) })
    }
}

/// By how much one share is larger than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    pub value: f64,
    pub interval: Interval,
}

/// The difference of two independent shares, with the interval of Newcombe (1998, method 10) made of Wilson's.
pub fn difference(one: Proportion, other: Proportion) -> Option<Difference> {
    let (p, q) = (one.rate()?, other.rate()?);
    let (of_p, of_q) = (one.interval()?, other.interval()?);
    let value = p - q;
    let below = (p - of_p.low).hypot(of_q.high - q);
    let above = (of_p.high - p).hypot(q - of_q.low);
    let interval = Interval { low: (value - below).max(-1.0), high: (value + above).min(1.0) };
    Some(Difference { value, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(successes: u64, total: u64) -> Proportion {
        Proportion { successes, total }
    }

    #[track_caller]
    fn check(found: Interval, low: f64, high: f64) {
        assert!((found.low - low).abs() < 5e-5 && (found.high - high).abs() < 5e-5, "{found:?}");
    }

    /// Newcombe, Statistics in Medicine 17 (1998) 857–872, table I, method 3.
    #[test]
    fn intervals_of_shares_are_those_of_the_textbook() {
        for ((successes, total), (low, high)) in [
            ((81, 263), (0.2553, 0.3662)),
            ((15, 148), (0.0624, 0.1605)),
            ((0, 20), (0.0, 0.1611)),
            ((1, 29), (0.0061, 0.1718)),
        ] {
            check(of(successes, total).interval().unwrap(), low, high);
        }
    }

    /// Newcombe, Statistics in Medicine 17 (1998) 873–890, table II, method 10.
    #[test]
    fn intervals_of_differences_are_those_of_the_textbook() {
        for ((one, other), (low, high)) in [
            ((of(56, 70), of(48, 80)), (0.0524, 0.3339)),
            ((of(9, 10), of(3, 10)), (0.1705, 0.8090)),
            ((of(6, 7), of(2, 7)), (0.0582, 0.8062)),
            ((of(5, 56), of(0, 29)), (-0.0381, 0.1926)),
            ((of(0, 10), of(0, 20)), (-0.1611, 0.2775)),
            ((of(0, 10), of(0, 10)), (-0.2775, 0.2775)),
            ((of(10, 10), of(0, 20)), (0.6791, 1.0)),
            ((of(10, 10), of(0, 10)), (0.6075, 1.0)),
        ] {
            check(difference(one, other).unwrap().interval, low, high);
        }
        let found = difference(of(56, 70), of(48, 80)).unwrap();
        assert!((found.value - 0.2).abs() < 1e-12);
    }

    #[test]
    fn of_nothing_nothing_is_known() {
        assert_eq!((of(0, 0).rate(), of(0, 0).interval()), (None, None));
        assert_eq!(difference(of(0, 0), of(1, 2)), None);
        assert_eq!(difference(of(1, 2), of(0, 0)), None);
        assert_eq!(Proportion::of([true, false, true]), of(2, 3));
    }

    #[test]
    fn every_interval_holds_its_share_and_stays_within_bounds() {
        for total in 1..=60 {
            for successes in 0..=total {
                let share = of(successes, total);
                let (rate, interval) = (share.rate().unwrap(), share.interval().unwrap());
                assert!(interval.low <= rate && rate <= interval.high, "{share:?}");
                assert!(0.0 <= interval.low && interval.high <= 1.0, "{share:?}");
            }
        }
    }
}
