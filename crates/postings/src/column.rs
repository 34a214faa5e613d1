//! Columns of integers that take as few bits a row as their values need.

use crate::bits::{BitWriter, PADDING};
use crate::bytes::{Reader, Writer};
use crate::error::Error;
use crate::segment::FULL;

/// Wider values are stored whole: eight bytes hold no more than this many bits from any bit on.
const WIDEST: u32 = 56;

/// Integers that lie close together: row ids, which usually count up, times, or places in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    base: u64,
    width: u32,
    len: usize,
    /// Distances to the base.
    data: Vec<u8>,
}

impl Column {
    pub(crate) fn new(values: &[u64]) -> Column {
        let base = values.iter().copied().min().unwrap_or_default();
        let span = values.iter().copied().max().unwrap_or_default() - base;
        let width = Some(64 - span.leading_zeros()).filter(|width| *width <= WIDEST).unwrap_or(64);
        let mut data = Vec::with_capacity((values.len() * width as usize).div_ceil(8) + PADDING);
        let mut writer = BitWriter::new(&mut data);
        for distance in values.iter().map(|value| value - base) {
            writer.push(distance as u32, width.min(32));
            if width > 32 {
                writer.push((distance >> 32) as u32, width - 32);
            }
        }
        writer.finish();
        data.extend([0; PADDING]);
        Column { base, width, len: values.len(), data }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> u64 {
        let bit = row * self.width as usize;
        let word = self
            .data
            .get(bit / 8..)
            .and_then(|rest| rest.first_chunk())
            .map_or(0, |word| u64::from_le_bytes(*word));
        self.base.wrapping_add((word >> (bit % 8)) & self.mask())
    }

    pub(crate) fn set(&mut self, row: usize, value: u64) {
        let distance = value.wrapping_sub(self.base);
        let (bit, mask) = (row * self.width as usize, self.mask());
        if distance > mask {
            let mut values: Vec<u64> = self.iter().collect();
            values[row] = value;
            *self = Column::new(&values);
        } else if let Some(word) = self.data.get_mut(bit / 8..).and_then(|rest| rest.first_chunk_mut()) {
            let shift = bit % 8;
            *word = (u64::from_le_bytes(*word) & !(mask << shift) | (distance << shift)).to_le_bytes();
        }
    }

    fn mask(&self) -> u64 {
        u64::MAX.checked_shr(64 - self.width).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u64> {
        (0..self.len).map(|row| self.get(row))
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn bytes(&self) -> usize {
        self.data.capacity()
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        to.one(self.base);
        to.one(self.width);
        to.one(self.len as u64);
        to.list(&self.data);
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Result<Column, Error> {
        let (base, width, len) = (from.one()?, from.one::<u32>()?, from.one::<u64>()? as usize);
        let column = Column { base, width, len, data: from.list()? };
        let bits = len.checked_mul(width as usize).filter(|_| width <= WIDEST || width == 64);
        let is_whole = bits.is_some_and(|bits| bits.div_ceil(8) + PADDING == column.data.len());
        // With a width of 0 nothing else bounds the length.
        if is_whole && len <= FULL { Ok(column) } else { Err(Error::Corrupt("a column is not complete")) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_column_gives_back_what_went_in(values in prop::collection::vec(any::<u64>(), 0..20), bits in 1u32..=64) {
            let base = if bits < 64 { 1 << 63 } else { 0 };
            let values: Vec<u64> = values.into_iter().map(|value| base + (value >> (64 - bits))).collect();
            let column = Column::new(&values);
            prop_assert_eq!(column.iter().collect::<Vec<_>>(), values.clone());
            let width = if bits > WIDEST { 64 } else { bits as usize };
            prop_assert!(column.bytes() <= (values.len() * width).div_ceil(8) + PADDING);
            let mut saved = Writer::default();
            column.save(&mut saved);
            prop_assert_eq!(Column::load(&mut Reader(&saved.0)), Ok(column));
        }

        #[test]
        fn a_changed_value_leaves_the_others(values in prop::collection::vec(any::<u64>(), 1..9), bits in 1u32..=64, at in any::<prop::sample::Index>(), other in any::<u64>()) {
            let mut values: Vec<u64> = values.into_iter().map(|value| value >> (64 - bits)).collect();
            let mut column = Column::new(&values);
            let at = at.index(values.len());
            values[at] = other >> (other % 64);
            column.set(at, values[at]);
            prop_assert_eq!(column.iter().collect::<Vec<_>>(), values);
        }
    }
}
