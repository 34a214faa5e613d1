//! Vector kernels for x86-64, the only `unsafe` code of the workspace.
//!
//! Two reasons for it, both local: a load through a pointer (of a reference that is alive), and a call of a function
//! that needs an instruction set. An [`Isa`] is only made by detection, and every entry takes one.
#![expect(clippy::needless_range_loop, reason = "several arrays go in step, over ranges known when compiled")]

use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

use super::matrix::{Int8Line, Int8Matrix};
use super::quantize::ByteRows;
use super::{Isa, Kind, LANES};

pub(super) fn has_avx512_vnni() -> bool {
    has_avx2()
        && has!("avx512f")
        && has!("avx512bw")
        && has!("avx512dq")
        && has!("avx512vl")
        && has!("avx512vnni")
}

pub(super) fn has_avx2() -> bool {
    has!("avx2")
}

#[inline]
pub(super) fn run_avx512<R>(isa: Isa, work: impl FnOnce() -> R) -> R {
    assert!(isa.0 == Kind::Avx512Vnni);
    // SAFETY: this `Isa` exists only where the features were detected.
    unsafe { with_avx512(work) }
}

#[inline]
pub(super) fn run_avx2<R>(isa: Isa, work: impl FnOnce() -> R) -> R {
    assert!(isa.0 == Kind::Avx2);
    // SAFETY: this `Isa` exists only where the feature was detected.
    unsafe { with_avx2(work) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
fn with_avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[target_feature(enable = "avx2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// See [`super::int8::multiply`], which checks the shapes.
pub(super) fn multiply_avx512(isa: Isa, rows: &ByteRows, weights: &Int8Matrix, out: &mut [f32]) {
    assert!(isa.0 == Kind::Avx512Vnni);
    // SAFETY: this `Isa` exists only where the features were detected.
    unsafe { walk_avx512(rows, weights, out) }
}

/// See [`super::int8::multiply`], which checks the shapes.
pub(super) fn multiply_avx2(isa: Isa, rows: &ByteRows, weights: &Int8Matrix, out: &mut [f32]) {
    assert!(isa.0 == Kind::Avx2);
    // SAFETY: this `Isa` exists only where the feature was detected.
    unsafe { walk_avx2(rows, weights, out) }
}

/// Four groups of channels stay in the first-level cache while all rows pass by, six at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn walk_avx512(rows: &ByteRows, weights: &Int8Matrix, out: &mut [f32]) {
    let groups = weights.channels() / LANES;
    let mut group = 0;
    while group < groups {
        let wide = if groups - group >= 4 { 4 } else { 1 };
        let mut row = 0;
        while row < rows.rows() {
            let tall = (rows.rows() - row).min(6);
            match (tall, wide) {
                (6, 4) => tile_avx512::<6, 4>(rows, row, weights, group, out),
                (5, 4) => tile_avx512::<5, 4>(rows, row, weights, group, out),
                (4, 4) => tile_avx512::<4, 4>(rows, row, weights, group, out),
                (3, 4) => tile_avx512::<3, 4>(rows, row, weights, group, out),
                (2, 4) => tile_avx512::<2, 4>(rows, row, weights, group, out),
                (1, 4) => tile_avx512::<1, 4>(rows, row, weights, group, out),
                (6, _) => tile_avx512::<6, 1>(rows, row, weights, group, out),
                _ => (row..row + tall).for_each(|row| tile_avx512::<1, 1>(rows, row, weights, group, out)),
            }
            row += tall;
        }
        group += wide;
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn tile_avx512<const R: usize, const C: usize>(
    rows: &ByteRows,
    row: usize,
    weights: &Int8Matrix,
    group: usize,
    out: &mut [f32],
) {
    let quads = weights.quads;
    let mut inputs: [&[[u8; 4]]; R] = [&[]; R];
    for r in 0..R {
        inputs[r] = &rows.bytes[(row + r) * quads..][..quads];
    }
    let mut columns: [&[Int8Line]; C] = [&[]; C];
    for c in 0..C {
        columns[c] = &weights.lines[(group + c) * quads..][..quads];
    }
    let mut sums = [[_mm512_setzero_si512(); C]; R];
    for quad in 0..quads {
        let mut line = [_mm512_setzero_si512(); C];
        for c in 0..C {
            // SAFETY: a line is 64 bytes.
            line[c] = unsafe { _mm512_loadu_si512((&raw const columns[c][quad]).cast()) };
        }
        for r in 0..R {
            let bytes = _mm512_set1_epi32(i32::from_le_bytes(inputs[r][quad]));
            for c in 0..C {
                sums[r][c] = _mm512_dpbusd_epi32(sums[r][c], bytes, line[c]);
            }
        }
    }
    for c in 0..C {
        let channel = (group + c) * LANES;
        let totals = load_16_i32(&weights.sums[channel..]);
        let scales = load_16_f32(&weights.scales[channel..]);
        let bias = load_16_f32(&weights.bias[channel..]);
        for r in 0..R {
            let zero = _mm512_mullo_epi32(_mm512_set1_epi32(rows.zeros[row + r]), totals);
            let exact = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums[r][c], zero));
            let scale = _mm512_mul_ps(_mm512_set1_ps(rows.scales[row + r]), scales);
            let value = _mm512_add_ps(_mm512_mul_ps(exact, scale), bias);
            let out = &mut out[(row + r) * weights.channels() + channel..][..LANES];
            // SAFETY: the slice has sixteen numbers.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr(), value) };
        }
    }
}

#[target_feature(enable = "avx512f")]
fn load_16_f32(values: &[f32]) -> __m512 {
    let values = &values[..LANES];
    // SAFETY: the slice has sixteen numbers.
    unsafe { _mm512_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
fn load_16_i32(values: &[i32]) -> __m512i {
    let values = &values[..LANES];
    // SAFETY: the slice has sixteen numbers.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn walk_avx2(rows: &ByteRows, weights: &Int8Matrix, out: &mut [f32]) {
    for group in 0..weights.channels() / LANES {
        let mut row = 0;
        while row < rows.rows() {
            let tall = (rows.rows() - row).min(4);
            match tall {
                4 => tile_avx2::<4>(rows, row, weights, group, out),
                3 => tile_avx2::<3>(rows, row, weights, group, out),
                2 => tile_avx2::<2>(rows, row, weights, group, out),
                _ => tile_avx2::<1>(rows, row, weights, group, out),
            }
            row += tall;
        }
    }
}

/// AVX2 multiplies unsigned by signed bytes into sixteen bits, which would saturate. Moving the inputs to
/// -128..=127 and the sign of the input to the weight keeps a pair below 2 · 128 · 127 = 32,512.
#[target_feature(enable = "avx2")]
fn tile_avx2<const R: usize>(
    rows: &ByteRows,
    row: usize,
    weights: &Int8Matrix,
    group: usize,
    out: &mut [f32],
) {
    let quads = weights.quads;
    let mut inputs: [&[[u8; 4]]; R] = [&[]; R];
    for r in 0..R {
        inputs[r] = &rows.bytes[(row + r) * quads..][..quads];
    }
    let lines = &weights.lines[group * quads..][..quads];
    let ones = _mm256_set1_epi16(1);
    let middle = _mm256_set1_epi8(-128);
    let mut sums = [[_mm256_setzero_si256(); 2]; R];
    for quad in 0..quads {
        let line: *const __m256i = (&raw const lines[quad]).cast();
        // SAFETY: a line is 64 bytes, two of these vectors.
        let line = unsafe { [_mm256_loadu_si256(line), _mm256_loadu_si256(line.add(1))] };
        for r in 0..R {
            let bytes = _mm256_set1_epi32(i32::from_le_bytes(inputs[r][quad]));
            let bytes = _mm256_xor_si256(bytes, middle);
            let size = _mm256_abs_epi8(bytes);
            for half in 0..2 {
                let pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(line[half], bytes));
                sums[r][half] = _mm256_add_epi32(sums[r][half], _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    for half in 0..2 {
        let channel = group * LANES + half * 8;
        let totals = load_8_i32(&weights.sums[channel..]);
        let scales = load_8_f32(&weights.scales[channel..]);
        let bias = load_8_f32(&weights.bias[channel..]);
        for r in 0..R {
            let zero = _mm256_mullo_epi32(_mm256_set1_epi32(rows.zeros[row + r] - 128), totals);
            let exact = _mm256_cvtepi32_ps(_mm256_sub_epi32(sums[r][half], zero));
            let scale = _mm256_mul_ps(_mm256_set1_ps(rows.scales[row + r]), scales);
            let value = _mm256_add_ps(_mm256_mul_ps(exact, scale), bias);
            let out = &mut out[(row + r) * weights.channels() + channel..][..8];
            // SAFETY: the slice has eight numbers.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), value) };
        }
    }
}

#[target_feature(enable = "avx2")]
fn load_8_f32(values: &[f32]) -> __m256 {
    let values = &values[..8];
    // SAFETY: the slice has eight numbers.
    unsafe { _mm256_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx2")]
fn load_8_i32(values: &[i32]) -> __m256i {
    let values = &values[..8];
    // SAFETY: the slice has eight numbers.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}
