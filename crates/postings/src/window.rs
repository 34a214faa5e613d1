//! Some thousand neighbouring slots, and sets of them.

use std::ops::Range;

/// Slots that are looked at together: their scores fit the nearest cache.
pub(crate) const WINDOW: usize = 4096;

/// The windows of a range: the first slot of each, and its slots that are in the range.
pub(crate) fn windows(slots: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let first = slots.start / WINDOW * WINDOW;
    (first..slots.end)
        .step_by(WINDOW)
        .map(move |base| (base, base.max(slots.start)..(base + WINDOW).min(slots.end)))
}

/// A set of slots of a window, counted from its first one.
#[derive(Debug, Clone)]
pub(crate) struct Bits(pub(crate) Box<[u64; WINDOW / 64]>);

impl Bits {
    pub(crate) fn none() -> Bits {
        Bits(Box::new([0; WINDOW / 64]))
    }

    /// The slots of a range.
    pub(crate) fn range(slots: Range<usize>) -> Bits {
        let mut bits = Bits::none();
        for (word, own) in bits.0.iter_mut().enumerate() {
            let below = |slot: usize| match slot.saturating_sub(word * 64) {
                count @ 0..64 => (1u64 << count) - 1,
                64.. => u64::MAX,
            };
            *own = below(slots.end) & !below(slots.start);
        }
        bits
    }

    #[inline]
    pub(crate) fn add(&mut self, slot: usize) {
        self.0[slot / 64 % (WINDOW / 64)] |= 1 << (slot % 64);
    }

    pub(crate) fn has(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 == 1
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn keep(&mut self, others: &Bits) {
        self.0.iter_mut().zip(others.0.iter()).for_each(|(own, other)| *own &= other);
    }

    pub(crate) fn join(&mut self, others: &Bits) {
        self.0.iter_mut().zip(others.0.iter()).for_each(|(own, other)| *own |= other);
    }

    pub(crate) fn remove(&mut self, others: &Bits) {
        self.0.iter_mut().zip(others.0.iter()).for_each(|(own, other)| *own &= !other);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(at, word)| Ones(*word).map(move |bit| at * 64 + bit))
    }
}

/// The bits of a word that are set.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_a_range_and_bits_come_back() {
        let cut: Vec<_> = windows(4000..9000).collect();
        assert_eq!(cut, [(0, 4000..4096), (4096, 4096..8192), (8192, 8192..9000)]);
        for range in [0..0, 0..1, 63..65, 64..128, 100..WINDOW, 0..WINDOW] {
            let bits = Bits::range(range.clone());
            assert!(bits.iter().eq(range.clone()));
            assert_eq!(bits.count(), range.len());
        }
    }
}
