//! Exact arithmetic on f32 vectors, summed in one fixed order so that scores are the same everywhere.

const LANES: usize = 16;

/// The inner product; over the shorter length if the lengths differ.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Whether a vector has length one, up to what f16 storage or a sloppy normalisation may cost. An index takes rows
/// together or not at all, so whoever cannot trust where vectors come from asks this first.
pub fn is_unit(vector: &[f32]) -> bool {
    (dot(vector, vector) - 1.0).abs() < 0.02
}
