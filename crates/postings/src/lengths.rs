//! How many terms each row has: a byte for nearly all of them.

use std::ops::Range;

/// Rows with so many terms or more are in a list of their own.
const LONG: u32 = u8::MAX as u32;
/// Sums are kept at every so many rows.
const STEP: usize = 1024;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Lengths {
    bytes: Vec<u8>,
    /// Slots and lengths of the long ones, by slot.
    long: Vec<(u32, u32)>,
    /// The terms of all rows before each step.
    sums: Vec<u64>,
    total: u64,
}

impl Lengths {
    pub(crate) fn new(lengths: impl ExactSizeIterator<Item = u32>) -> Lengths {
        let mut own = Lengths { bytes: Vec::with_capacity(lengths.len()), ..Lengths::default() };
        for (slot, length) in lengths.enumerate() {
            if slot.is_multiple_of(STEP) {
                own.sums.push(own.total);
            }
            own.total += u64::from(length);
            own.bytes.push(length.min(LONG) as u8);
            if length >= LONG {
                own.long.push((slot as u32, length));
            }
        }
        own
    }

    pub(crate) fn get(&self, slot: usize) -> u32 {
        let length = u32::from(self.bytes[slot]);
        if length < LONG { length } else { self.long(slot) }
    }

    #[cold]
    fn long(&self, slot: usize) -> u32 {
        let place = self.long.binary_search_by_key(&(slot as u32), |(slot, _)| *slot);
        place.map_or(LONG, |place| self.long[place].1)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u32> {
        (0..self.bytes.len()).map(|slot| self.get(slot))
    }

    /// The terms of all rows.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The terms of a range of rows.
    pub(crate) fn sum(&self, slots: &Range<usize>) -> u64 {
        self.before(slots.end) - self.before(slots.start)
    }

    fn before(&self, slot: usize) -> u64 {
        let Some(step) = slot.checked_div(STEP).filter(|step| *step < self.sums.len()) else {
            return self.total;
        };
        self.sums[step] + (step * STEP..slot).map(|slot| u64::from(self.get(slot))).sum::<u64>()
    }

    /// At least 1, so that it can be divided by.
    pub(crate) fn average(&self) -> f64 {
        (self.total as f64 / self.bytes.len().max(1) as f64).max(1.0)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity() + (self.long.capacity() + self.sums.capacity()) * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_their_sums_come_back() {
        let all: Vec<u32> =
            (0..5000).map(|slot| if slot % 97 == 0 { slot * 3 } else { slot % 256 }).collect();
        let lengths = Lengths::new(all.iter().copied());
        assert_eq!(lengths.iter().collect::<Vec<_>>(), all);
        for slots in [0..0, 0..5000, 1023..1025, 1024..2048, 4999..5000, 17..4000] {
            assert_eq!(lengths.sum(&slots), all[slots].iter().map(|length| u64::from(*length)).sum::<u64>());
        }
    }
}
