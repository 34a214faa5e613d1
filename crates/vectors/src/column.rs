//! A column of 64-bit integers that takes four or five bytes a row when its values lie close together.

/// Immutable integers of one segment: row ids, which usually count up, or times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    base: u64,
    values: Values,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Values {
    /// Distances to the base.
    Four(Vec<u32>),
    /// Distances to the base, the lower four bytes apart from the fifth: 34 years in milliseconds.
    Five(Vec<u32>, Vec<u8>),
    Eight(Vec<u64>),
}

impl Column {
    pub(crate) fn new(values: Vec<u64>) -> Column {
        let base = values.iter().copied().min().unwrap_or_default();
        let span = values.iter().copied().max().unwrap_or_default() - base;
        let low = || values.iter().map(|value| (value - base) as u32).collect();
        let fifth = || values.iter().map(|value| ((value - base) >> 32) as u8).collect();
        let values = match span >> 32 {
            0 => Values::Four(low()),
            1..256 => Values::Five(low(), fifth()),
            256.. => Values::Eight(values),
        };
        Column { base, values }
    }

    pub(crate) fn get(&self, row: usize) -> u64 {
        match &self.values {
            Values::Four(low) => self.base + u64::from(low[row]),
            Values::Five(low, fifth) => self.base + (u64::from(low[row]) | (u64::from(fifth[row]) << 32)),
            Values::Eight(values) => values[row],
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        (0..self.len()).map(|row| self.get(row))
    }

    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Values::Four(low) | Values::Five(low, _) => low.len(),
            Values::Eight(values) => values.len(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match &self.values {
            Values::Four(low) => low.capacity() * 4,
            Values::Five(low, fifth) => low.capacity() * 4 + fifth.capacity(),
            Values::Eight(values) => values.capacity() * 8,
        }
    }
}

/// Times as integers of the same order.
pub fn time_key(time: i64) -> u64 {
    time.cast_unsigned() ^ (1 << 63)
}

/// The inverse of [`time_key`].
pub fn time_of(key: u64) -> i64 {
    (key ^ (1 << 63)).cast_signed()
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
            let column = Column::new(values.clone());
            prop_assert_eq!(column.iter().collect::<Vec<_>>(), values.clone());
            let most = if bits <= 32 { 4 } else if bits <= 40 { 5 } else { 8 };
            prop_assert!(column.bytes() <= values.len() * most);
        }

        #[test]
        fn time_keys_keep_the_order(a in any::<i64>(), b in any::<i64>()) {
            prop_assert_eq!(time_key(a).cmp(&time_key(b)), a.cmp(&b));
            prop_assert_eq!(time_of(time_key(a)), a);
        }
    }
}
