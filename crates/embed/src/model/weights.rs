//! What a model consists of, in memory.

use crate::kernels::matrix::{FloatMatrix, Int8Matrix, QUAD};
use crate::kernels::quantize::ByteRows;
use crate::kernels::{Isa, float, int8};

/// How the weights are stored, and with which arithmetic they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// One byte per weight: four times smaller, about five times faster.
    Int8,
    /// The weights as they were trained.
    F32,
}

impl Precision {
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::F32 => "f32",
        }
    }
}

/// The sizes of a BERT encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) layers: usize,
    /// Numbers per token, and dimensions of the vector.
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// Numbers per token between the two linear layers of a block.
    pub(crate) inner: usize,
    pub(crate) vocabulary: usize,
    /// The longest text in tokens, marks included.
    pub(crate) window: usize,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) shape: Shape,
    pub(crate) words: Table,
    /// One row per position, with the vector of the first segment already added.
    pub(crate) positions: Vec<f32>,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<Layer>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Layer {
    /// Queries, keys and values of all heads, in one product.
    pub(crate) mix: Linear,
    pub(crate) join: Linear,
    pub(crate) join_norm: Norm,
    pub(crate) widen: Linear,
    pub(crate) narrow: Linear,
    pub(crate) narrow_norm: Norm,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Norm {
    pub(crate) gain: Vec<f32>,
    pub(crate) shift: Vec<f32>,
}

/// The vector of each vocabulary entry.
#[derive(Debug, PartialEq)]
pub(crate) enum Table {
    F32(Vec<f32>),
    /// One scale per row.
    Int8 {
        codes: Vec<i8>,
        scales: Vec<f32>,
    },
}

#[derive(Debug, PartialEq)]
pub(crate) enum Linear {
    Int8(Int8Matrix),
    F32(FloatMatrix),
}

impl Table {
    pub(crate) fn quantize(rows: &[f32], width: usize) -> Self {
        let (mut codes, mut scales) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows.chunks_exact(width) {
            let largest = row.iter().fold(0f32, |largest, value| largest.max(value.abs()));
            let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
            scales.push(scale);
            codes.extend(row.iter().map(|value| (value / scale).round() as i8));
        }
        Self::Int8 { codes, scales }
    }

    /// Writes the row of an entry; one that does not exist is all zeros.
    pub(crate) fn read(&self, entry: usize, out: &mut [f32]) {
        let place = entry * out.len()..(entry + 1) * out.len();
        match self {
            Self::F32(rows) => match rows.get(place) {
                Some(row) => out.copy_from_slice(row),
                None => out.fill(0.0),
            },
            Self::Int8 { codes, scales } => match (codes.get(place), scales.get(entry)) {
                (Some(row), Some(scale)) => {
                    for (out, code) in out.iter_mut().zip(row) {
                        *out = f32::from(*code) * scale;
                    }
                }
                _ => out.fill(0.0),
            },
        }
    }
}

impl Linear {
    pub(crate) fn channels(&self) -> usize {
        match self {
            Self::F32(matrix) => matrix.channels(),
            Self::Int8(matrix) => matrix.channels(),
        }
    }

    /// `out = rows · weights + bias`; `bytes` is space for quantised rows.
    pub(crate) fn apply(&self, isa: Isa, rows: &[f32], bytes: &mut ByteRows, out: &mut [f32]) {
        match self {
            Self::F32(matrix) => float::multiply(isa, rows, matrix, out),
            Self::Int8(matrix) => {
                bytes.fill(isa, rows, matrix.quads * QUAD);
                int8::multiply(isa, bytes, matrix, out);
            }
        }
    }
}
