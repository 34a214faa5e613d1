//! The mean that codes are relative to, and how far the data has moved from it.
//!
//! Embeddings of one model share a direction. A sign says most when half of the rows have it, so the mean is
//! taken off before vectors become codes.

use std::sync::Arc;

use crate::math::dot;

/// Below this many rows a mean says more about the rows than about the model.
const ENOUGH_ROWS: u64 = 256;

/// The distance between the mean in use and the mean of the data at which recall begins to suffer.
const DRIFT: f32 = 0.1;

/// The point that the codes of a segment are relative to.
#[derive(Debug, PartialEq)]
pub(crate) struct Centre {
    pub(crate) mean: Vec<f32>,
}

/// A sum of vectors.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) sum: Vec<f64>,
    pub(crate) count: u64,
}

impl Tally {
    pub(crate) fn of<'a>(dimension: usize, vectors: impl Iterator<Item = &'a [f32]>) -> Tally {
        let mut tally = Tally { sum: vec![0.0; dimension], count: 0 };
        for vector in vectors {
            tally.count += 1;
            tally.sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        tally
    }

    fn add(&mut self, other: &Tally) {
        self.count += other.count;
        self.sum.iter_mut().zip(&other.sum).for_each(|(sum, value)| *sum += value);
    }

    fn mean(&self) -> Vec<f32> {
        let count = self.count.max(1) as f64;
        self.sum.iter().map(|sum| (sum / count) as f32).collect()
    }
}

/// The centre for new codes, with the sum of all vectors seen, which says when it is outdated.
#[derive(Debug)]
pub(crate) struct Centring {
    pub(crate) current: Arc<Centre>,
    pub(crate) seen: Tally,
}

impl Centring {
    pub(crate) fn new(dimension: usize) -> Centring {
        let current = Arc::new(Centre { mean: vec![0.0; dimension] });
        Centring { current, seen: Tally::of(dimension, std::iter::empty()) }
    }

    /// Counts vectors in. The first batch that is large enough sets the centre itself, as nothing is coded yet.
    pub(crate) fn observe(&mut self, vectors: &Tally) -> Arc<Centre> {
        let first = self.seen.count == 0;
        self.seen.add(vectors);
        if first && self.seen.count >= ENOUGH_ROWS {
            self.move_to_mean();
        }
        Arc::clone(&self.current)
    }

    /// How far the mean of all rows seen lies from the centre in use.
    pub(crate) fn drift(&self) -> f32 {
        let difference: Vec<f32> =
            self.seen.mean().iter().zip(&self.current.mean).map(|(a, b)| a - b).collect();
        dot(&difference, &difference).sqrt()
    }

    pub(crate) fn is_outdated(&self) -> bool {
        self.seen.count >= ENOUGH_ROWS && self.drift() > DRIFT
    }

    pub(crate) fn move_to_mean(&mut self) -> Arc<Centre> {
        self.current = Arc::new(Centre { mean: self.seen.mean() });
        Arc::clone(&self.current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_first_batch_sets_the_centre() {
        let mut centring = Centring::new(8);
        let vector = [0.5f32; 8];
        centring.observe(&Tally::of(8, std::iter::repeat_n(vector.as_slice(), 1000)));
        assert_eq!(centring.current.mean, vector);
        assert!(!centring.is_outdated());
    }

    #[test]
    fn a_few_rows_do_not_move_the_centre_but_many_ask_for_it() {
        let mut centring = Centring::new(8);
        let vector = [0.5f32; 8];
        centring.observe(&Tally::of(8, std::iter::repeat_n(vector.as_slice(), 10)));
        assert!(!centring.is_outdated());
        centring.observe(&Tally::of(8, std::iter::repeat_n(vector.as_slice(), 1000)));
        assert_eq!(centring.current.mean, [0.0; 8]);
        assert!(centring.is_outdated());
        centring.move_to_mean();
        assert!(!centring.is_outdated());
    }
}
