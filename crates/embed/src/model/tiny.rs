//! A model of a few hundred numbers, for tests that need no trained one.

use super::file::Contents;
use super::weights::{Layer, Linear, Norm, Precision, Shape, Table, Weights};
use crate::kernels::matrix::{FloatMatrix, Int8Matrix};

const SHAPE: Shape = Shape { layers: 2, width: 64, heads: 2, inner: 128, vocabulary: 11, window: 16 };

pub(crate) fn contents(precision: Precision) -> Contents {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let Shape { width, inner, .. } = SHAPE;
    let words = numbers.take(SHAPE.vocabulary * width);
    let words = match precision {
        Precision::Int8 => Table::quantize(&words, width),
        Precision::F32 => Table::F32(words),
    };
    let positions = numbers.take(SHAPE.window * width);
    let norm = numbers.norm(width);
    let layers = (0..SHAPE.layers)
        .map(|_| Layer {
            mix: numbers.linear(precision, width, 3 * width),
            join: numbers.linear(precision, width, width),
            join_norm: numbers.norm(width),
            widen: numbers.linear(precision, width, inner),
            narrow: numbers.linear(precision, inner, width),
            narrow_norm: numbers.norm(width),
        })
        .collect();
    let vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##a", "##b", "!", "c"];
    let weights = Weights { shape: SHAPE, words, positions, norm, layers };
    Contents { precision, weights, vocabulary: vocabulary.map(str::to_owned).to_vec() }
}

/// Numbers between -1 and 1 that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn take(&mut self, count: usize) -> Vec<f32> {
        let mut next = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    fn norm(&mut self, width: usize) -> Norm {
        Norm { gain: self.take(width), shift: self.take(width) }
    }

    fn linear(&mut self, precision: Precision, inputs: usize, channels: usize) -> Linear {
        let (weights, bias) = (self.take(inputs * channels), self.take(channels));
        match precision {
            Precision::Int8 => Linear::Int8(Int8Matrix::quantize(&weights, inputs, &bias)),
            Precision::F32 => Linear::F32(FloatMatrix::pack(&weights, inputs, &bias)),
        }
    }
}
