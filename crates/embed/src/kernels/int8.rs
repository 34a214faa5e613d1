//! The int8 matrix product: bytes times int8 weights, summed exactly, then scaled.

use super::matrix::{Int8Matrix, QUAD};
use super::quantize::ByteRows;
#[cfg(target_arch = "x86_64")]
use super::x86;
use super::{Isa, Kind, LANES};

/// `out[row][channel] = rows · weights + bias`. The integer sums are exact and the scaling is the same on every
/// instruction set, so all give the same bits.
///
/// # Panics
/// When the shapes do not fit each other; they come from a checked model, never from a caller's data.
pub(crate) fn multiply(isa: Isa, rows: &ByteRows, weights: &Int8Matrix, out: &mut [f32]) {
    assert_eq!(rows.quads, weights.quads, "inputs of the product");
    assert!(rows.bytes.len() >= rows.rows() * rows.quads, "bytes of the rows");
    assert!(rows.zeros.len() >= rows.rows() && rows.scales.len() >= rows.rows(), "levels of the rows");
    assert_eq!(out.len(), rows.rows() * weights.channels(), "outputs of the product");
    assert_eq!(weights.lines.len(), weights.channels() / LANES * weights.quads, "weights of the product");
    match isa.0 {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512Vnni => x86::multiply_avx512(isa, rows, weights, out),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => x86::multiply_avx2(isa, rows, weights, out),
        Kind::Portable => multiply_portable(rows, weights, out),
    }
}

/// The twin of the vector kernels: the same numbers without an `unsafe` line.
fn multiply_portable(rows: &ByteRows, weights: &Int8Matrix, out: &mut [f32]) {
    let channels = weights.channels();
    for group in 0..channels / LANES {
        let lines = &weights.lines[group * weights.quads..][..weights.quads];
        for row in 0..rows.rows() {
            let mut sums = [0i32; LANES];
            for (bytes, line) in rows.row(row).iter().zip(lines) {
                for (sum, codes) in sums.iter_mut().zip(line.0.as_chunks::<QUAD>().0) {
                    for (byte, code) in bytes.iter().zip(codes) {
                        *sum += i32::from(*byte) * i32::from(*code);
                    }
                }
            }
            let out = &mut out[row * channels + group * LANES..][..LANES];
            finish(&sums, rows, row, weights, group * LANES, out);
        }
    }
}

/// Takes the zero point out of the sums, scales them and adds the bias.
fn finish(sums: &[i32], rows: &ByteRows, row: usize, weights: &Int8Matrix, channel: usize, out: &mut [f32]) {
    for (lane, (out, sum)) in out.iter_mut().zip(sums).enumerate() {
        let exact = sum - rows.zeros[row] * weights.sums[channel + lane];
        let scale = rows.scales[row] * weights.scales[channel + lane];
        *out = exact as f32 * scale + weights.bias[channel + lane];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows and weights of any shape the kernels must take, with extreme values among them.
    fn shapes() -> impl Strategy<Value = (usize, Vec<f32>, Vec<f32>, Vec<f32>)> {
        (1usize..20, 1usize..40, 1usize..12).prop_flat_map(|(rows, quads, groups)| {
            let inputs = quads * QUAD;
            let value = prop_oneof![8 => -3f32..3.0, 1 => Just(0.0), 1 => Just(100.0), 1 => Just(-100.0)];
            (
                Just(inputs),
                prop::collection::vec(value.clone(), rows * inputs),
                prop::collection::vec(value, groups * LANES * inputs),
                prop::collection::vec(-1f32..1.0, groups * LANES),
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn every_kernel_gives_the_bits_of_its_portable_twin((inputs, values, weights, bias) in shapes()) {
            let weights = Int8Matrix::quantize(&weights, inputs, &bias);
            let mut rows = ByteRows::default();
            rows.fill(Isa::PORTABLE, &values, inputs);
            let mut expected = vec![0.0; rows.rows() * weights.channels()];
            multiply(Isa::PORTABLE, &rows, &weights, &mut expected);
            for isa in Isa::all() {
                let mut out = vec![f32::NAN; expected.len()];
                multiply(isa, &rows, &weights, &mut out);
                prop_assert_eq!(&out, &expected, "{}", isa.name());
            }
        }

        #[test]
        fn the_product_is_close_to_the_unquantised_one((inputs, values, weights, bias) in shapes()) {
            let matrix = Int8Matrix::quantize(&weights, inputs, &bias);
            let mut rows = ByteRows::default();
            rows.fill(Isa::best(), &values, inputs);
            let mut out = vec![0.0; rows.rows() * matrix.channels()];
            multiply(Isa::best(), &rows, &matrix, &mut out);
            for (index, got) in out.iter().enumerate() {
                let (row, channel) = (index / bias.len(), index % bias.len());
                let row = &values[row * inputs..][..inputs];
                let weights = &weights[channel * inputs..][..inputs];
                let exact: f32 = row.iter().zip(weights).map(|(a, b)| a * b).sum::<f32>() + bias[channel];
                let spread = |values: &[f32]| values.iter().fold(0f32, |largest, value| largest.max(value.abs()));
                let allowed = spread(row) * spread(weights) * inputs as f32 / 60.0 + 1e-3;
                prop_assert!((got - exact).abs() <= allowed, "{got} for {exact}");
            }
        }
    }

    #[test]
    fn the_largest_bytes_and_weights_do_not_overflow_a_step() {
        let inputs = 1536;
        for weight in [-1.0, 1.0] {
            let matrix = Int8Matrix::quantize(&vec![weight; inputs * LANES], inputs, &[0.0; LANES]);
            for value in [-2.0, 2.0] {
                let mut rows = ByteRows::default();
                rows.fill(Isa::best(), &vec![value; inputs], inputs);
                for isa in Isa::all() {
                    let mut out = vec![0.0; LANES];
                    multiply(isa, &rows, &matrix, &mut out);
                    let expected = value * weight * inputs as f32;
                    assert!(
                        (out[0] / expected - 1.0).abs() < 1e-3,
                        "{}: {} for {expected}",
                        isa.name(),
                        out[0]
                    );
                }
            }
        }
    }
}
