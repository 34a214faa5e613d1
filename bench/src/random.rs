/// SplitMix64: a few lines, and the same numbers on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Numbers of their own for the thing numbered `index`, so that things can be made in any order.
    pub(crate) fn stream(seed: u64, index: u64) -> Self {
        Self(mix(seed ^ mix(index)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// From 0 up to, but not including, `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = self.below(words.len() as u64) as usize;
        words.get(at).copied().unwrap_or_default()
    }

    /// Like [`Self::pick`], but the first words come far more often than the last, as in real text.
    pub(crate) fn favour<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let end = self.below(words.len() as u64) + 1;
        let at = self.below(end) as usize;
        words.get(at).copied().unwrap_or_default()
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_repeats_and_differs_from_its_neighbours() {
        let first: Vec<u64> = (0..8).map(|index| Random::stream(42, index).below(1 << 40)).collect();
        let again: Vec<u64> = (0..8).map(|index| Random::stream(42, index).below(1 << 40)).collect();
        assert_eq!(first, again);
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{first:?}");
    }

    #[test]
    fn every_word_is_picked_and_early_ones_are_favoured() {
        let words = ["a", "b", "c", "d"];
        let mut random = Random::stream(1, 1);
        let mut counts = [0; 4];
        for _ in 0..4_000 {
            let word = random.favour(&words);
            counts[words.iter().position(|other| *other == word).unwrap()] += 1;
        }
        assert!(counts[0] > 2 * counts[2] && counts[3] > 100, "{counts:?}");
    }
}
