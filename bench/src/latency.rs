use std::time::Duration;

use hdrhistogram::Histogram;

/// Two minutes, in microseconds; slower answers count as that.
const LONGEST: u64 = 120_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;

/// How long each of many answers took.
#[derive(Debug, Clone)]
pub(crate) struct Latency(Histogram<u64>);

impl Latency {
    pub(crate) fn new() -> anyhow::Result<Self> {
        Ok(Self(Histogram::new_with_bounds(1, LONGEST, SIGNIFICANT_DIGITS)?))
    }

    pub(crate) fn record(&mut self, took: Duration) {
        self.0.saturating_record(u64::try_from(took.as_micros()).unwrap_or(LONGEST));
    }

    pub(crate) fn add(&mut self, other: &Self) -> anyhow::Result<()> {
        Ok(self.0.add(&other.0)?)
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.len()
    }

    /// Milliseconds that the given share of answers did not exceed.
    pub(crate) fn ms(&self, share: f64) -> f64 {
        self.0.value_at_quantile(share) as f64 / 1e3
    }

    pub(crate) fn p50(&self) -> f64 {
        self.ms(0.50)
    }

    pub(crate) fn p99(&self) -> f64 {
        self.ms(0.99)
    }

    pub(crate) fn max(&self) -> f64 {
        self.0.max() as f64 / 1e3
    }

    pub(crate) fn mean(&self) -> f64 {
        self.0.mean() / 1e3
    }
}

/// The least, the middle and the greatest of a few repetitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) greatest: f64,
}

impl Spread {
    /// Nothing, if nothing was repeated.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (least, greatest) = (*sorted.first()?, *sorted.last()?);
        let (low, high) = (*sorted.get((sorted.len() - 1) / 2)?, *sorted.get(sorted.len() / 2)?);
        Some(Self { least, median: f64::midpoint(low, high), greatest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_in_milliseconds() {
        let mut latency = Latency::new().unwrap();
        (1..=100).for_each(|ms| latency.record(Duration::from_millis(ms)));
        assert!((latency.p50() - 50.0).abs() < 0.1, "{}", latency.p50());
        assert!((latency.p99() - 99.0).abs() < 0.1, "{}", latency.p99());
        assert!((latency.max() - 100.0).abs() < 0.1, "{}", latency.max());
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), Some(Spread { least: 1.0, median: 2.5, greatest: 4.0 }));
        assert_eq!(Spread::of([7.0]), Some(Spread { least: 7.0, median: 7.0, greatest: 7.0 }));
        assert_eq!(Spread::of([]), None);
    }
}
