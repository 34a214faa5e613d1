//! BM25, with the constants of `reflexio_search::rank`.

/// How fast a repeated term stops to count (k1).
const SATURATION: f64 = 1.2;
/// How much a long row has to pay for its length (b).
const LENGTH_PENALTY: f64 = 0.75;
/// Scores of leaves are multiples of 2⁻⁴⁰: sums up to 4,096 are exact, so that the order of adding does not matter.
const GRAIN: f64 = 1.5 * (1u64 << 12) as f64;
/// Rows are ranked by multiples of this: sums that are equal but for rounding are a tie.
pub(crate) const STEP: f64 = 1.0 / (1u64 << 24) as f64;
/// Bounds are rounded up; this is more than what rounding may take away from them.
const SLACK: f64 = 1.0 + 1e-9;

/// How much a term tells that `holding` of `rows` rows hold.
pub(crate) fn rarity(rows: f64, holding: f64) -> f64 {
    (1.0 + (rows - holding + 0.5).max(0.0) / (holding + 0.5)).ln()
}

/// The sum of leaves as rows are ranked by it.
pub(crate) fn ranked(sum: f64) -> f64 {
    (sum / STEP).round() * STEP
}

/// The part of a leaf's weight that a row gets, below 1.
fn share(times: u32, length: u32, average: f64) -> f64 {
    let times = f64::from(times);
    times / (times + SATURATION * (1.0 - LENGTH_PENALTY + LENGTH_PENALTY * f64::from(length) / average))
}

/// The share as a byte, rounded up: what a block's best row may get at most.
pub(crate) fn impact(times: u32, length: u32, average: f64) -> u8 {
    (share(times, length, average) * 255.0).ceil() as u8
}

/// The scores of one leaf.
#[derive(Debug, Clone)]
pub(crate) struct Scorer {
    weight: f64,
    average: f64,
    /// The score of a row that holds the leaf once, by its length: nearly all rows.
    once: Vec<f64>,
}

impl Scorer {
    pub(crate) fn new(rows: f64, holding: f64, average: f64) -> Scorer {
        let weight = rarity(rows, holding) * (SATURATION + 1.0);
        let mut scorer = Scorer { weight, average, once: Vec::new() };
        scorer.once = (0..=u32::from(u8::MAX)).map(|length| scorer.score(1, length)).collect();
        scorer
    }

    pub(crate) fn score(&self, times: u32, length: u32) -> f64 {
        if times == 1
            && let Some(score) = self.once.get(length as usize)
        {
            return *score;
        }
        (self.weight * share(times, length, self.average) + GRAIN) - GRAIN
    }

    /// The most that a row of a block with this impact gets, if impacts were made with this average length.
    ///
    /// Where the average has grown since by a factor, every share has grown by that factor at most.
    pub(crate) fn bound(&self, impact: u8, average: f64) -> f64 {
        let share = f64::from(impact) / 255.0 * (self.average / average).max(1.0);
        self.weight * share.min(1.0) * SLACK + 1e-9
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_row_scores_more_than_its_bound(
            times in 1u32..2000, length in 1u32..3000, then in 1.0f64..500.0, now in 1.0f64..500.0, holding in 0.0f64..1000.0,
        ) {
            let scorer = Scorer::new(1000.0, holding, now);
            prop_assert!(scorer.score(times, length) <= scorer.bound(impact(times, length, then), then));
        }

        #[test]
        fn the_order_of_adding_does_not_matter(scores in prop::collection::vec((1u32..20, 1u32..400, 0.0f64..100.0), 0..64)) {
            let scores: Vec<f64> = scores.iter().map(|(times, length, holding)| Scorer::new(100.0, *holding, 20.0).score(*times, *length)).collect();
            let forth: f64 = scores.iter().sum();
            let back: f64 = scores.iter().rev().sum();
            prop_assert_eq!(forth.to_bits(), back.to_bits());
        }
    }
}
