//! Numbers to bytes and back, little-endian. Reading never trusts a length.

use crate::error::Error;

/// A number with a fixed size in bytes.
pub(crate) trait Number: Copy {
    const SIZE: usize;
    fn write(self, to: &mut Vec<u8>);
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            const SIZE: usize = size_of::<$number>();
            fn write(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> $number {
                let mut own = [0; size_of::<$number>()];
                own.copy_from_slice(bytes);
                <$number>::from_le_bytes(own)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, f64);

#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn one(&mut self, value: impl Number) {
        value.write(&mut self.0);
    }

    /// Numbers after their count.
    pub(crate) fn list<T: Number>(&mut self, values: &[T]) {
        self.one(values.len() as u64);
        self.0.reserve(values.len() * T::SIZE);
        values.iter().for_each(|value| value.write(&mut self.0));
    }
}

pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Error::Corrupt("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn one<T: Number>(&mut self) -> Result<T, Error> {
        self.take(T::SIZE).map(T::read)
    }

    pub(crate) fn list<T: Number>(&mut self) -> Result<Vec<T>, Error> {
        let count = usize::try_from(self.one::<u64>()?).ok();
        let bytes = count
            .and_then(|count| count.checked_mul(T::SIZE))
            .ok_or(Error::Corrupt("a length is impossible"))?;
        Ok(self.take(bytes)?.chunks_exact(T::SIZE).map(T::read).collect())
    }

    pub(crate) fn count(&mut self) -> Result<usize, Error> {
        self.one::<u32>().map(|count| count as usize)
    }
}

/// Appends a number in as many bytes as it needs, seven bits each.
pub(crate) fn push_varint(to: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// The number that begins at a byte, and the byte after it.
pub(crate) fn varint(bytes: &[u8], mut at: usize) -> (u32, usize) {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes.get(at).copied().unwrap_or_default();
        number |= u32::from(byte & 0x7f).wrapping_shl(shift);
        (at, shift) = (at + 1, shift + 7);
        if byte < 0x80 || shift > 31 {
            return (number, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_as_few_bytes_as_they_need() {
        for (number, length) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u32::MAX, 5)] {
            let mut bytes = vec![9];
            push_varint(&mut bytes, number);
            assert_eq!(varint(&bytes, 1), (number, 1 + length));
        }
        assert_eq!(varint(&[0xff; 9], 0).1, 5, "nothing is read forever");
        assert_eq!(varint(&[], 3), (0, 4));
    }
}
