//! Functions of single numbers and of rows, written so that the compiler can vectorise them.

use super::{Isa, LANES};

/// Adding and subtracting it leaves a number below 2²² rounded, ties to even; its low bits are then the integer.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
pub(super) fn round(value: f32) -> f32 {
    (value + ROUNDER) - ROUNDER
}

/// The nearest integer of a number in 0..=255.
#[inline(always)]
pub(super) fn low_byte(value: f32) -> u8 {
    (value + ROUNDER).to_bits() as u8
}

/// `e` to the power of `x`, relative error below 3e-7; what is below e⁻⁸⁷ is e⁻⁸⁷.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 88.0 { x } else { 88.0 };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let rest = (x - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    let series = 1.388_889e-3;
    let series = series * rest + 8.333_334e-3;
    let series = series * rest + 4.166_666_8e-2;
    let series = series * rest + 1.666_666_7e-1;
    let series = series * rest + 0.5;
    let series = (series * rest) * rest + rest + 1.0;
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    series * power
}

/// The Gaussian error linear unit, exact form, by Abramowitz and Stegun 7.1.26 (error of erf below 2e-7).
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = 1.061_405_4;
    let series = series * t - 1.453_152_1;
    let series = series * t + 1.421_413_8;
    let series = series * t - 0.284_496_72;
    let series = series * t + 0.254_829_6;
    let tail = 0.5 * series * t * exp(-z * z);
    x * if x < 0.0 { tail } else { 1.0 - tail }
}

pub(crate) fn gelu_all(isa: Isa, values: &mut [f32]) {
    isa.run(
        #[inline(always)]
        || {
            for value in values {
                *value = gelu(*value);
            }
        },
    );
}

pub(super) type Lanes = [f32; LANES];

/// `sum + factor * values`, lane by lane. Whole arrays go in and out, so that they stay in registers.
#[inline(always)]
pub(super) fn add_scaled(mut sum: Lanes, factor: f32, values: &Lanes) -> Lanes {
    for lane in 0..LANES {
        sum[lane] += factor * values[lane];
    }
    sum
}

/// Folds sixteen lanes in a fixed order.
#[inline(always)]
pub(super) fn tree(mut lanes: Lanes, combine: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = combine(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// The sum of `term` over a row, sixteen lanes at a time.
#[inline(always)]
pub(super) fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0f32; LANES];
    let mut chunks = row.chunks_exact(LANES);
    for chunk in &mut chunks {
        for lane in 0..LANES {
            lanes[lane] += term(chunk[lane]);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane += term(*value);
    }
    tree(lanes, |a, b| a + b)
}

/// The value of a row that `better` prefers, sixteen lanes at a time.
#[inline(always)]
fn best(row: &[f32], worst: f32, better: impl Fn(f32, f32) -> bool) -> f32 {
    let choose = |a: f32, b: f32| if better(a, b) { a } else { b };
    let mut lanes = [worst; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = choose(chunk[lane], lanes[lane]);
        }
    }
    rest.iter().fold(tree(lanes, choose), |best, value| choose(*value, best))
}

#[inline(always)]
pub(super) fn greatest(row: &[f32]) -> f32 {
    best(row, f32::MIN, |a, b| a > b)
}

#[inline(always)]
pub(super) fn least(row: &[f32]) -> f32 {
    best(row, f32::MAX, |a, b| a < b)
}

/// Adds `other` to `rows` and normalises each row to mean 0 and variance 1, then scales and shifts it.
pub(crate) fn add_and_normalize(isa: Isa, rows: &mut [f32], other: &[f32], gain: &[f32], shift: &[f32]) {
    let width = gain.len();
    isa.run(
        #[inline(always)]
        || {
            for (row, other) in rows.chunks_exact_mut(width).zip(other.chunks_exact(width)) {
                for (value, other) in row.iter_mut().zip(other) {
                    *value += other;
                }
                normalize(row, gain, shift);
            }
        },
    );
}

#[inline(always)]
pub(crate) fn normalize(row: &mut [f32], gain: &[f32], shift: &[f32]) {
    let count = row.len() as f32;
    let mean = sum(row, |value| value) / count;
    let variance = sum(row, |value| (value - mean) * (value - mean)) / count;
    let inverse = 1.0 / (variance + 1e-12).sqrt();
    for ((value, gain), shift) in row.iter_mut().zip(gain).zip(shift) {
        *value = (*value - mean) * inverse * gain + shift;
    }
}

/// Scales a vector to length 1; a vector of zeros stays.
pub(crate) fn unit(vector: &mut [f32]) {
    let length = sum(vector, |value| value * value).sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The error function by its series, in f64.
    fn erf(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    proptest! {
        #[test]
        fn exp_is_close_to_the_libraries(x in -86f32..80.0) {
            let expected = f64::from(x).exp();
            prop_assert!((f64::from(exp(x)) / expected - 1.0).abs() < 4e-7);
        }

        #[test]
        fn gelu_is_close_to_its_definition(x in -4f32..4.0) {
            let expected = f64::from(x) * 0.5 * (1.0 + erf(f64::from(x) / 2f64.sqrt()));
            prop_assert!((f64::from(gelu(x)) - expected).abs() < 2e-6);
        }

        #[test]
        fn every_instruction_set_normalises_and_activates_alike(
            values in prop::collection::vec(-8f32..8.0, 96), other in prop::collection::vec(-8f32..8.0, 96)
        ) {
            let (gain, shift) = (vec![1.5; 48], vec![-0.25; 48]);
            let run = |isa| {
                let mut rows = values.clone();
                add_and_normalize(isa, &mut rows, &other, &gain, &shift);
                gelu_all(isa, &mut rows);
                rows
            };
            for isa in Isa::all() {
                prop_assert_eq!(run(isa), run(Isa::PORTABLE));
            }
        }
    }

    #[test]
    fn gelu_far_from_zero_is_the_identity_or_nothing() {
        assert_eq!(gelu(40.0), 40.0);
        assert!(gelu(-40.0).abs() < 1e-30);
        assert_eq!(gelu(0.0), 0.0);
    }

    #[test]
    fn a_vector_of_zeros_has_no_direction_and_stays() {
        let mut zeros = [0.0; 5];
        unit(&mut zeros);
        assert_eq!(zeros, [0.0; 5]);
    }
}
