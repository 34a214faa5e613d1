//! AVX-512 with VPOPCNTDQ and VNNI: one 64-byte line per instruction.

use std::arch::x86_64::*;

use super::LANES;

#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,avx512vnni")]
pub(super) fn hamming(
    codes: &[[u64; LANES]],
    query: &[u64],
    limit: u16,
    distances: &mut [[u16; LANES]],
    hits: &mut [u8],
) {
    let limit = _mm512_set1_epi64(i64::from(limit));
    let blocks = codes.chunks_exact(query.len());
    for ((block, distances), hits) in blocks.zip(distances).zip(hits) {
        let mut sums = _mm512_setzero_si512();
        for (words, query) in block.iter().zip(query) {
            // SAFETY: `words` is 64 readable bytes; the load needs no alignment.
            let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
            let different = _mm512_xor_si512(words, _mm512_set1_epi64(query.cast_signed()));
            sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(different));
        }
        *hits = _mm512_cmple_epu64_mask(sums, limit);
        if *hits != 0 {
            // SAFETY: `distances` is 16 writable bytes; the store needs no alignment.
            unsafe { _mm_storeu_si128(distances.as_mut_ptr().cast(), _mm512_cvtepi64_epi16(sums)) };
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,avx512vnni")]
pub(super) fn masked_sum(bits: &[u64], values: &[[i8; 64]]) -> i32 {
    let ones = _mm512_set1_epi8(1);
    let mut sums = _mm512_setzero_si512();
    for (bits, values) in bits.iter().zip(values) {
        // SAFETY: `values` is 64 readable bytes; the load needs no alignment.
        let values = unsafe { _mm512_loadu_si512(values.as_ptr().cast()) };
        sums = _mm512_dpbusd_epi32(sums, ones, _mm512_maskz_mov_epi8(*bits, values));
    }
    _mm512_reduce_add_epi32(sums)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq,avx512vnni")]
pub(super) fn byte_dot(codes: &[[u8; 64]], values: &[[i8; 64]]) -> i32 {
    let mut sums = _mm512_setzero_si512();
    for (codes, values) in codes.iter().zip(values) {
        // SAFETY: both are 64 readable bytes; the loads need no alignment.
        let (codes, values) = unsafe {
            (_mm512_loadu_si512(codes.as_ptr().cast()), _mm512_loadu_si512(values.as_ptr().cast()))
        };
        sums = _mm512_dpbusd_epi32(sums, codes, values);
    }
    _mm512_reduce_add_epi32(sums)
}
