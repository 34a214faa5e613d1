//! MT19937 with the draws of CPython's `random.Random`, bit for bit.
//!
//! The reference draws from that generator; drawing the same makes every comparison with it exact, in production
//! as in tests.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use crate::Random;

const N: usize = 624;
const M: usize = 397;

/// The Mersenne Twister as CPython seeds and uses it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Mt19937 {
    words: Vec<u32>,
    next: usize,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    words: Vec<u32>,
    next: usize,
}

impl TryFrom<Stored> for Mt19937 {
    type Error = crate::Error;
    fn try_from(stored: Stored) -> Result<Self, crate::Error> {
        if stored.words.len() != N || stored.next > N {
            return Err(crate::Error::State("random stream has the wrong size"));
        }
        Ok(Self { words: stored.words, next: stored.next })
    }
}

impl From<Mt19937> for Stored {
    fn from(twister: Mt19937) -> Self {
        Self { words: twister.words, next: twister.next }
    }
}

impl Mt19937 {
    /// As `random.Random(seed)` for a whole number that is not negative.
    pub fn new(seed: u64) -> Self {
        let low = (seed & 0xFFFF_FFFF) as u32;
        let high = (seed >> 32) as u32;
        let key = if high == 0 { vec![low] } else { vec![low, high] };
        let mut twister = Self { words: first_words(19_650_218), next: N };
        twister.mix(&key);
        twister
    }

    fn mix(&mut self, key: &[u32]) {
        let words = &mut self.words;
        let previous = |words: &[u32], i: usize| words[i - 1] ^ (words[i - 1] >> 30);
        let (mut i, mut j) = (1, 0);
        for _ in 0..N.max(key.len()) {
            words[i] = (words[i] ^ previous(words, i).wrapping_mul(1_664_525))
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            (i, j) = (i + 1, (j + 1) % key.len());
            if i == N {
                words[0] = words[N - 1];
                i = 1;
            }
        }
        for _ in 1..N {
            words[i] = (words[i] ^ previous(words, i).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
            i += 1;
            if i == N {
                words[0] = words[N - 1];
                i = 1;
            }
        }
        words[0] = 0x8000_0000;
    }

    fn word(&mut self) -> u32 {
        if self.next == N {
            self.refill();
        }
        let mut y = self.words[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C_5680;
        y ^= (y << 15) & 0xEFC6_0000;
        y ^ (y >> 18)
    }

    fn refill(&mut self) {
        for k in 0..N {
            let y = (self.words[k] & 0x8000_0000) | (self.words[(k + 1) % N] & 0x7FFF_FFFF);
            let odd = if y & 1 == 1 { 0x9908_B0DF } else { 0 };
            self.words[k] = self.words[(k + M) % N] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// CPython's `getrandbits` for at most 64 bits.
    fn bits(&mut self, count: u32) -> u64 {
        if count == 0 {
            return 0;
        }
        if count <= 32 {
            return u64::from(self.word() >> (32 - count));
        }
        let low = u64::from(self.word());
        let high = u64::from(self.word() >> (64 - count));
        (high << 32) | low
    }

    /// A whole number in `[0, bound)`, by rejection; 0 for an empty range.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        let count = u64::BITS - bound.leading_zeros();
        loop {
            let drawn = self.bits(count);
            if drawn < bound || bound == 0 {
                return drawn as usize;
            }
        }
    }
}

fn first_words(seed: u32) -> Vec<u32> {
    let mut words = Vec::with_capacity(N);
    let mut last = seed;
    words.push(last);
    for i in 1..N {
        last = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        words.push(last);
    }
    words
}

/// Up to which population CPython copies the list instead of remembering what it drew.
fn copies_up_to(count: usize) -> usize {
    let mut power = 1;
    while power < 3 * count {
        power *= 4;
    }
    if count > 5 { 21 + power } else { 21 }
}

impl Random for Mt19937 {
    fn choice(&mut self, from: &[usize]) -> usize {
        from[self.below(from.len())]
    }

    fn shuffle(&mut self, mut items: Vec<usize>) -> Vec<usize> {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
        items
    }

    fn sample(&mut self, from: &[usize], count: usize) -> Vec<usize> {
        let n = from.len();
        let count = count.min(n);
        if n <= copies_up_to(count) {
            let mut pool = from.to_vec();
            return (0..count).map(|i| self.below(n - i)).map(|j| pool.swap_remove(j)).collect();
        }
        let mut drawn = BTreeSet::new();
        let mut fresh = |twister: &mut Self| {
            loop {
                let j = twister.below(n);
                if drawn.insert(j) {
                    return from[j];
                }
            }
        };
        (0..count).map(|_| fresh(self)).collect()
    }

    fn weighted(&mut self, from: &[usize], weights: &[f64]) -> usize {
        let mut sums = Vec::with_capacity(weights.len());
        let mut total = 0.0;
        for weight in weights {
            total += weight;
            sums.push(total);
        }
        let at = self.unit() * total;
        let last = from.len().saturating_sub(1);
        from[sums.partition_point(|sum| *sum <= at).min(last)]
    }

    fn with_replacement(&mut self, from: &[usize], count: usize) -> Vec<usize> {
        (0..count).map(|_| from[(self.unit() * from.len() as f64) as usize]).collect()
    }

    fn unit(&mut self) -> f64 {
        let a = f64::from(self.word() >> 5);
        let b = f64::from(self.word() >> 6);
        (a * 67_108_864.0 + b) / 9_007_199_254_740_992.0
    }

    fn up_to(&mut self, highest: usize) -> usize {
        self.below(highest + 1)
    }
}
