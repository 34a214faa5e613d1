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
    bias: -6.335,
    cosine: 3.692,
    trigrams: 1.670,
    order: 1.887,
    length: 3.598,
    extra: -1.069,
    numbers: -0.774,
};

const WORDS_ONLY: Weights = Weights {
    bias: -4.242,
    cosine: 0.0,
    trigrams: 3.478,
    order: 1.850,
    length: 3.572,
    extra: -1.227,
    numbers: -0.793,
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
