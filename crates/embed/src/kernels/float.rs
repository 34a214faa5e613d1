//! The f32 matrix product: the reference path, safe code that the compiler vectorises.

use super::matrix::{FloatLine, FloatMatrix};
use super::{Isa, LANES, math};

/// Rows that one tile handles.
const TALL: usize = 6;

/// `out[row][channel] = rows · weights + bias`, `rows` being `weights.inputs` wide.
///
/// # Panics
/// When the shapes do not fit each other; they come from a checked model, never from a caller's data.
pub(crate) fn multiply(isa: Isa, rows: &[f32], weights: &FloatMatrix, out: &mut [f32]) {
    let count = rows.len() / weights.inputs;
    assert_eq!(rows.len(), count * weights.inputs, "inputs of the product");
    assert_eq!(out.len(), count * weights.channels(), "outputs of the product");
    isa.run(
        #[inline(always)]
        || {
            for group in 0..weights.channels() / LANES {
                let mut row = 0;
                while row + TALL <= count {
                    tile::<TALL>(rows, row, weights, group, out);
                    row += TALL;
                }
                match count - row {
                    5 => tile::<5>(rows, row, weights, group, out),
                    4 => tile::<4>(rows, row, weights, group, out),
                    3 => tile::<3>(rows, row, weights, group, out),
                    2 => tile::<2>(rows, row, weights, group, out),
                    1 => tile::<1>(rows, row, weights, group, out),
                    _ => {}
                }
            }
        },
    );
}

#[inline(always)]
fn tile<const R: usize>(rows: &[f32], row: usize, weights: &FloatMatrix, group: usize, out: &mut [f32]) {
    let width = weights.inputs;
    let lines: &[FloatLine] = &weights.lines[group * width..][..width];
    let mut inputs: [&[f32]; R] = [&[]; R];
    for (r, input) in inputs.iter_mut().enumerate() {
        *input = &rows[(row + r) * width..][..width];
    }
    let mut sums = [[0f32; LANES]; R];
    for (at, line) in lines.iter().enumerate() {
        for r in 0..R {
            sums[r] = math::add_scaled(sums[r], inputs[r][at], &line.0);
        }
    }
    let bias = &weights.bias[group * LANES..][..LANES];
    for (r, sums) in sums.iter().enumerate() {
        let out = &mut out[(row + r) * weights.channels() + group * LANES..][..LANES];
        for lane in 0..LANES {
            out[lane] = sums[lane] + bias[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_product_is_the_textbook_one_on_every_instruction_set(
            (inputs, rows, weights, bias) in (1usize..40, 1usize..15, 1usize..5).prop_flat_map(|(inputs, rows, groups)| (
                Just(inputs),
                prop::collection::vec(-2f32..2.0, rows * inputs),
                prop::collection::vec(-2f32..2.0, groups * LANES * inputs),
                prop::collection::vec(-2f32..2.0, groups * LANES),
            ))
        ) {
            let matrix = FloatMatrix::pack(&weights, inputs, &bias);
            let expected: Vec<f32> = rows
                .chunks(inputs)
                .flat_map(|row| weights.chunks(inputs).zip(&bias).map(move |(weights, bias)| {
                    row.iter().zip(weights).map(|(a, b)| a * b).fold(0.0, |sum, product| sum + product) + bias
                }))
                .collect();
            for isa in Isa::all() {
                let mut out = vec![f32::NAN; expected.len()];
                multiply(isa, &rows, &matrix, &mut out);
                prop_assert_eq!(&out, &expected, "{}", isa.name());
            }
        }
    }
}
