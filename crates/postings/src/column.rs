//! Columns of integers that take no more bytes a row than their values need.

/// 64-bit integers that lie close together: row ids, which usually count up, or times.
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

    pub(crate) fn set(&mut self, row: usize, value: u64) {
        let distance = value.wrapping_sub(self.base);
        match &mut self.values {
            Values::Four(low) if distance >> 32 == 0 => low[row] = distance as u32,
            Values::Five(low, fifth) if distance >> 40 == 0 => {
                (low[row], fifth[row]) = (distance as u32, (distance >> 32) as u8);
            }
            Values::Eight(values) => values[row] = value,
            Values::Four(_) | Values::Five(..) => {
                let mut values: Vec<u64> = self.iter().collect();
                values[row] = value;
                *self = Column::new(values);
            }
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
pub(crate) fn time_key(time: i64) -> u64 {
    time.cast_unsigned() ^ (1 << 63)
}

pub(crate) fn time_of(key: u64) -> i64 {
    (key ^ (1 << 63)).cast_signed()
}

/// Small numbers, such as places in a list of a few hundred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Places {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

impl Places {
    pub(crate) fn new(values: &[u32]) -> Places {
        match values.iter().copied().max().unwrap_or_default() {
            0..0x100 => Places::One(values.iter().map(|value| *value as u8).collect()),
            0x100..0x1_0000 => Places::Two(values.iter().map(|value| *value as u16).collect()),
            0x1_0000.. => Places::Four(values.to_vec()),
        }
    }

    pub(crate) fn get(&self, row: usize) -> usize {
        match self {
            Places::One(values) => usize::from(values[row]),
            Places::Two(values) => usize::from(values[row]),
            Places::Four(values) => values[row] as usize,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Places::One(values) => values.len(),
            Places::Two(values) => values.len(),
            Places::Four(values) => values.len(),
        }
    }

    pub(crate) fn set(&mut self, row: usize, value: u32) {
        match self {
            Places::One(values) if value <= 0xff => values[row] = value as u8,
            Places::Two(values) if value <= 0xffff => values[row] = value as u16,
            Places::Four(values) => values[row] = value,
            Places::One(_) | Places::Two(_) => {
                let mut values: Vec<u32> = self.iter().collect();
                values[row] = value;
                *self = Places::new(&values);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(|row| self.get(row) as u32)
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Places::One(values) => values.capacity(),
            Places::Two(values) => values.capacity() * 2,
            Places::Four(values) => values.capacity() * 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_changed_value_leaves_the_others(values in prop::collection::vec(any::<u64>(), 1..9), bits in 1u32..=64, other in any::<u64>()) {
            let mut values: Vec<u64> = values.into_iter().map(|value| value >> (64 - bits)).collect();
            let mut column = Column::new(values.clone());
            let mut places = Places::new(&values.iter().map(|value| *value as u32).collect::<Vec<_>>());
            column.set(0, other >> (other % 64));
            places.set(0, other as u32 >> (other % 32));
            prop_assert_eq!(places.iter().next(), Some(other as u32 >> (other % 32)));
            prop_assert!(places.iter().skip(1).eq(values.iter().skip(1).map(|value| *value as u32)));
            values[0] = other >> (other % 64);
            prop_assert_eq!(column.iter().collect::<Vec<_>>(), values);
        }

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
        fn places_come_back(values in prop::collection::vec(any::<u32>(), 0..20), bits in 1u32..=32) {
            let values: Vec<u32> = values.into_iter().map(|value| value >> (32 - bits)).collect();
            prop_assert_eq!(Places::new(&values).iter().collect::<Vec<_>>(), values);
        }

        #[test]
        fn time_keys_keep_the_order(a in any::<i64>(), b in any::<i64>()) {
            prop_assert_eq!(time_key(a).cmp(&time_key(b)), a.cmp(&b));
            prop_assert_eq!(time_of(time_key(a)), a);
        }
    }
}
