//! AVX2: popcounts by a table of nibbles, inner products in 16-bit pairs.

use std::arch::x86_64::*;

use super::LANES;

/// Counts of a byte lane stay below 256 for this many words of at most 8 bits each.
const WORDS_PER_SUM: usize = 31;

#[target_feature(enable = "avx2")]
pub(super) fn hamming(
    codes: &[[u64; LANES]],
    query: &[u64],
    limit: u16,
    distances: &mut [[u16; LANES]],
    hits: &mut [u8],
) {
    let zero = _mm256_setzero_si256();
    let blocks = codes.chunks_exact(query.len());
    for ((block, distances), hits) in blocks.zip(distances).zip(hits) {
        let (mut low, mut high) = (zero, zero);
        for (block, query) in block.chunks(WORDS_PER_SUM).zip(query.chunks(WORDS_PER_SUM)) {
            let (mut low_bytes, mut high_bytes) = (zero, zero);
            for (words, query) in block.iter().zip(query) {
                let query = _mm256_set1_epi64x(query.cast_signed());
                // SAFETY: `words` is 64 readable bytes, two loads of 32 that need no alignment.
                let (first, second) = unsafe {
                    let words: *const __m256i = words.as_ptr().cast();
                    (_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1)))
                };
                low_bytes = _mm256_add_epi8(low_bytes, byte_counts(_mm256_xor_si256(first, query)));
                high_bytes = _mm256_add_epi8(high_bytes, byte_counts(_mm256_xor_si256(second, query)));
            }
            low = _mm256_add_epi64(low, _mm256_sad_epu8(low_bytes, zero));
            high = _mm256_add_epi64(high, _mm256_sad_epu8(high_bytes, zero));
        }
        let too_far = |sums| {
            let far = _mm256_cmpgt_epi64(sums, _mm256_set1_epi64x(i64::from(limit)));
            _mm256_movemask_pd(_mm256_castsi256_pd(far)) as u8
        };
        *hits = !(too_far(low) | (too_far(high) << 4));
        if *hits != 0 {
            let mut sums = [0u64; LANES];
            // SAFETY: `sums` is 64 writable bytes, two stores of 32 that need no alignment.
            unsafe {
                let sums: *mut __m256i = sums.as_mut_ptr().cast();
                _mm256_storeu_si256(sums, low);
                _mm256_storeu_si256(sums.add(1), high);
            }
            *distances = sums.map(|sum| sum as u16);
        }
    }
}

/// The number of set bits of every byte.
#[target_feature(enable = "avx2")]
fn byte_counts(bytes: __m256i) -> __m256i {
    #[rustfmt::skip]
    let counts = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let nibble = _mm256_set1_epi8(0x0f);
    let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(bytes, nibble));
    let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble));
    _mm256_add_epi8(low, high)
}

#[target_feature(enable = "avx2")]
pub(super) fn masked_sum(bits: &[u64], values: &[[i8; 64]]) -> i32 {
    let ones = _mm256_set1_epi8(1);
    let mut sums = _mm256_setzero_si256();
    for (bits, values) in bits.iter().zip(values) {
        let (halves, _) = values.as_chunks::<32>();
        for (bits, values) in [*bits as u32, (bits >> 32) as u32].into_iter().zip(halves) {
            // SAFETY: `values` is 32 readable bytes; the load needs no alignment.
            let values = unsafe { _mm256_loadu_si256(values.as_ptr().cast()) };
            let pairs = _mm256_maddubs_epi16(ones, _mm256_and_si256(values, spread(bits)));
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        }
    }
    total(sums)
}

/// A byte of ones for every set bit.
#[target_feature(enable = "avx2")]
fn spread(bits: u32) -> __m256i {
    #[rustfmt::skip]
    let byte_of = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
        2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
    );
    let bit_of = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits.cast_signed()), byte_of);
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of), bit_of)
}

#[target_feature(enable = "avx2")]
pub(super) fn byte_dot(codes: &[[u8; 64]], values: &[[i8; 64]]) -> i32 {
    let mut sums = _mm256_setzero_si256();
    for (codes, values) in codes.iter().zip(values) {
        let ((codes, _), (values, _)) = (codes.as_chunks::<16>(), values.as_chunks::<16>());
        for (codes, values) in codes.iter().zip(values) {
            // SAFETY: both are 16 readable bytes; the loads need no alignment.
            let (codes, values) =
                unsafe { (_mm_loadu_si128(codes.as_ptr().cast()), _mm_loadu_si128(values.as_ptr().cast())) };
            let products = _mm256_madd_epi16(_mm256_cvtepu8_epi16(codes), _mm256_cvtepi8_epi16(values));
            sums = _mm256_add_epi32(sums, products);
        }
    }
    total(sums)
}

#[target_feature(enable = "avx2")]
fn total(sums: __m256i) -> i32 {
    let mut lanes = [0i32; 8];
    // SAFETY: `lanes` is 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sums) };
    lanes.iter().sum()
}
