//! Activations as unsigned bytes: each row has its own scale and zero point.

use super::matrix::QUAD;
use super::{Isa, math, reserve};

/// Rows of quantised activations. A value is `scale * (byte - zero)`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByteRows {
    rows: usize,
    pub(crate) quads: usize,
    pub(crate) bytes: Vec<[u8; QUAD]>,
    pub(crate) scales: Vec<f32>,
    pub(crate) zeros: Vec<i32>,
}

impl ByteRows {
    /// Replaces the content by `values`, rows of `width` numbers; `width` must be a multiple of four.
    pub(crate) fn fill(&mut self, isa: Isa, values: &[f32], width: usize) {
        let rows = values.len() / width;
        self.quads = width / QUAD;
        self.rows = rows;
        let bytes = reserve(&mut self.bytes, rows * self.quads).as_flattened_mut();
        let levels = reserve(&mut self.scales, rows).iter_mut().zip(reserve(&mut self.zeros, rows));
        isa.run(
            #[inline(always)]
            || {
                let rows = values.chunks_exact(width).zip(bytes.chunks_exact_mut(width)).zip(levels);
                for ((row, bytes), (scale, zero)) in rows {
                    (*scale, *zero) = quantize(row, bytes);
                }
            },
        );
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn row(&self, row: usize) -> &[[u8; QUAD]] {
        &self.bytes[row * self.quads..][..self.quads]
    }
}

/// Writes `row` as bytes and returns the scale and the zero point.
#[inline(always)]
fn quantize(row: &[f32], bytes: &mut [u8]) -> (f32, i32) {
    let (low, high) = (math::least(row), math::greatest(row));
    let (low, high) = (if low < 0.0 { low } else { 0.0 }, if high > 0.0 { high } else { 0.0 });
    let scale = if high > low { (high - low) / 255.0 } else { 1.0 };
    let inverse = 1.0 / scale;
    let zero = math::round(-low * inverse);
    for (value, byte) in row.iter().zip(bytes) {
        *byte = code(*value, inverse, zero);
    }
    (scale, zero as i32)
}

#[inline(always)]
fn code(value: f32, inverse: f32, zero: f32) -> u8 {
    let level = value * inverse + zero;
    let level = if level > 0.0 { level } else { 0.0 };
    let level = if level < 255.0 { level } else { 255.0 };
    math::low_byte(level)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_byte_stands_for_its_value_within_half_a_step(
            row in prop::collection::vec(-50f32..50.0, 4..200)
        ) {
            let row = &row[..row.len() / 4 * 4];
            for isa in Isa::all() {
                let mut rows = ByteRows::default();
                rows.fill(isa, row, row.len());
                for (byte, value) in rows.bytes.as_flattened().iter().zip(row) {
                    let back = rows.scales[0] * (i32::from(*byte) - rows.zeros[0]) as f32;
                    prop_assert!((back - value).abs() <= rows.scales[0] * 0.502, "{value} became {back}");
                }
            }
        }

        #[test]
        fn every_instruction_set_gives_the_same_bytes(row in prop::collection::vec(-1e4f32..1e4, 64)) {
            let mut expected = ByteRows::default();
            expected.fill(Isa::PORTABLE, &row, 32);
            for isa in Isa::all() {
                let mut rows = ByteRows::default();
                rows.fill(isa, &row, 32);
                prop_assert_eq!(rows.rows(), 2);
                prop_assert_eq!(&rows.bytes, &expected.bytes);
                prop_assert_eq!(&rows.scales, &expected.scales);
                prop_assert_eq!(&rows.zeros, &expected.zeros);
            }
        }
    }

    #[test]
    fn a_row_of_zeros_and_a_row_of_one_value_survive() {
        let mut rows = ByteRows::default();
        rows.fill(Isa::best(), &[0.0, 0.0, 0.0, 0.0, -3.0, -3.0, -3.0, -3.0], 4);
        assert_eq!(rows.rows(), 2);
        let value = |row: usize| rows.scales[row] * (i32::from(rows.row(row)[0][0]) - rows.zeros[row]) as f32;
        assert_eq!(value(0), 0.0);
        assert!((value(1) + 3.0).abs() < 1e-5);
    }
}
