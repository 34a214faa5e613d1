//! Minibatches from a shuffled order that is renewed each epoch.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::Random;

/// The epoch's order and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sampler {
    order: Vec<usize>,
    epoch: usize,
    shuffled_from: usize,
    /// The iteration drawn for last, and how often.
    last: Option<(u64, usize)>,
}

impl Sampler {
    /// The next minibatch of an iteration, which counts from 0. A second draw in the same iteration takes the next
    /// slice of the same order, round and round.
    pub(crate) fn draw(
        &mut self,
        iteration: u64,
        train: usize,
        size: usize,
        random: &mut impl Random,
    ) -> Vec<usize> {
        let again = self.last.filter(|(last, _)| *last == iteration).map_or(0, |(_, draws)| draws);
        self.last = Some((iteration, again + 1));
        let base = iteration as usize * size;
        if again == 0 {
            self.renew(base, train, size, random);
        }
        let from = (base + again * size) % self.order.len().max(1);
        self.order.iter().skip(from).take(size).copied().collect()
    }

    fn renew(&mut self, base: usize, train: usize, size: usize, random: &mut impl Random) {
        let epoch = if self.order.is_empty() { 0 } else { base / self.order.len() };
        if self.order.is_empty() || self.shuffled_from != train || epoch > self.epoch {
            self.order = padded(random.shuffle((0..train).collect()), size);
            self.shuffled_from = train;
            self.epoch = epoch;
        }
    }
}

/// Fills the order up to a multiple of `size` with the least used example, of equals the last in the order.
fn padded(mut order: Vec<usize>, size: usize) -> Vec<usize> {
    let distinct = order.clone();
    let mut used: BTreeMap<usize, usize> = distinct.iter().map(|example| (*example, 1)).collect();
    while !order.len().is_multiple_of(size.max(1)) {
        let count = |example: &usize| used.get(example).copied().unwrap_or(0);
        // `min_by_key` keeps the first of equals, so the order is walked from its end.
        let Some(least) = distinct.iter().rev().copied().min_by_key(count) else { break };
        *used.entry(least).or_default() += 1;
        order.push(least);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mt19937;

    #[test]
    fn padding_lands_in_the_last_batch() {
        assert_eq!(padded(vec![7, 8, 9], 2), [7, 8, 9, 9]);
        assert_eq!(padded(vec![4], 3), [4, 4, 4]);
        assert_eq!(padded(vec![1, 2], 5), [1, 2, 2, 1, 2]);
        assert_eq!(padded(vec![1, 2], 2), [1, 2]);
    }

    #[test]
    fn an_epoch_serves_every_example_once() {
        let mut random = Mt19937::new(1);
        let mut sampler = Sampler::default();
        for epoch in 0..4 {
            let mut seen: Vec<usize> =
                (0..3).flat_map(|i| sampler.draw(epoch * 3 + i, 6, 2, &mut random)).collect();
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
        }
    }

    #[test]
    fn more_draws_in_one_iteration_wrap_without_a_shuffle() {
        let mut random = Mt19937::new(1);
        let mut sampler = Sampler::default();
        let first = sampler.draw(0, 4, 2, &mut random);
        let stream = random.clone();
        let second = sampler.draw(0, 4, 2, &mut random);
        assert_ne!(first, second);
        assert_eq!(sampler.draw(0, 4, 2, &mut random), first);
        assert_eq!(sampler.draw(1, 4, 2, &mut random), second);
        assert_eq!(random, stream);
    }

    #[test]
    fn a_grown_train_set_is_shuffled_anew() {
        let mut random = Mt19937::new(1);
        let mut sampler = Sampler::default();
        sampler.draw(0, 2, 2, &mut random);
        assert_eq!(sampler.draw(1, 5, 2, &mut random).len(), 2);
        assert_eq!(sampler.order.len(), 6);
    }
}
