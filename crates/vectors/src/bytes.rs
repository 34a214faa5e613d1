//! Numbers to bytes and back, little-endian. Reading never trusts a length.

use crate::error::Error;

#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

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

numbers!(u8, u16, u32, u64, i16, f32, f64);

impl Writer {
    pub(crate) fn one(&mut self, value: impl Number) {
        value.write(&mut self.0);
    }

    /// Numbers whose count the reader knows.
    pub(crate) fn many<T: Number>(&mut self, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| value.write(&mut self.0));
    }

    /// Numbers after their count.
    pub(crate) fn list<T: Number>(&mut self, values: &[T]) {
        self.one(values.len() as u32);
        self.many(values.iter().copied());
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

    pub(crate) fn many<T: Number>(&mut self, count: usize) -> Result<Vec<T>, Error> {
        let bytes = count.checked_mul(T::SIZE).ok_or(Error::Corrupt("a length is impossible"))?;
        Ok(self.take(bytes)?.chunks_exact(T::SIZE).map(T::read).collect())
    }

    pub(crate) fn list<T: Number>(&mut self) -> Result<Vec<T>, Error> {
        let count = self.count()?;
        self.many(count)
    }

    pub(crate) fn count(&mut self) -> Result<usize, Error> {
        self.one::<u32>().map(|count| count as usize)
    }

    /// Arrays of `N` numbers.
    pub(crate) fn groups<T: Number + Default, const N: usize>(
        &mut self,
        count: usize,
    ) -> Result<Vec<[T; N]>, Error> {
        let flat = self.many(count.checked_mul(N).ok_or(Error::Corrupt("a length is impossible"))?)?;
        Ok(flat.as_chunks::<N>().0.to_vec())
    }
}
