//! The kernels in safe Rust: what the others must equal.

use super::LANES;

pub(super) fn hamming(
    codes: &[[u64; LANES]],
    query: &[u64],
    limit: u16,
    distances: &mut [[u16; LANES]],
    hits: &mut [u8],
) {
    let blocks = codes.chunks_exact(query.len());
    for ((block, distances), hits) in blocks.zip(distances).zip(hits) {
        let mut sums = [0u16; LANES];
        for (words, query) in block.iter().zip(query) {
            for (sum, word) in sums.iter_mut().zip(words) {
                *sum += (word ^ query).count_ones() as u16;
            }
        }
        *hits = sums.iter().enumerate().fold(0, |mask, (lane, sum)| mask | (u8::from(*sum <= limit) << lane));
        *distances = sums;
    }
}

pub(super) fn masked_sum(bits: &[u64], values: &[[i8; 64]]) -> i32 {
    let word = |bits: u64, values: &[i8; 64]| -> i32 {
        values.iter().enumerate().map(|(i, value)| i32::from(*value) * ((bits >> i) & 1) as i32).sum()
    };
    bits.iter().zip(values).map(|(bits, values)| word(*bits, values)).sum()
}

pub(super) fn byte_dot(codes: &[[u8; 64]], values: &[[i8; 64]]) -> i32 {
    let products = |(code, value): (&u8, &i8)| i32::from(*code) * i32::from(*value);
    codes.iter().zip(values).map(|(codes, values)| codes.iter().zip(values).map(products).sum::<i32>()).sum()
}
