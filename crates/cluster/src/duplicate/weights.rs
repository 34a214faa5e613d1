//! A small logistic model. `bench/quality/duplicates.py` fits the numbers and prints this table.

use super::Features;

/// From this probability on, at least nine of ten pairs mean the same.
pub(super) const SURE: f64 = 0.81;

struct Weights {
    bias: f64,
    cosine: f64,
    trigrams: f64,
    order: f64,
    length: f64,
    extra: f64,
    numbers: f64,
}

const WITH_VECTORS: Weights = Weights {
    bias: -6.354,
    cosine: 3.666,
    trigrams: 1.882,
    order: 1.711,
    length: 3.630,
    extra: -1.045,
    numbers: -0.760,
};

const WORDS_ONLY: Weights = Weights {
    bias: -4.252,
    cosine: 0.0,
    trigrams: 3.481,
    order: 1.854,
    length: 3.575,
    extra: -1.221,
    numbers: -0.792,
};

pub(super) fn probability(features: &Features) -> f64 {
    let (weights, cosine) = match features.cosine {
        Some(cosine) => (&WITH_VECTORS, cosine),
        None => (&WORDS_ONLY, 0.0),
    };
    let sum = weights.bias
        + weights.cosine * cosine
        + weights.trigrams * features.trigrams
        + weights.order * features.order
        + weights.length * features.length
        + weights.extra * features.extra
        + weights.numbers * features.numbers;
    1.0 / (1.0 + (-sum).exp())
}
