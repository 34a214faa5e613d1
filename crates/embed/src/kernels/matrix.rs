//! Weight matrices, laid out in the order in which the kernels read them.
//!
//! Channels (rows of the trained matrix) are taken in groups of sixteen. Within a group the inputs follow each
//! other: one cache line holds sixteen channels of four inputs (int8) or of one input (f32).

use super::LANES;

/// Inputs that one int8 cache line holds per channel: what one dot-product instruction consumes.
pub(crate) const QUAD: usize = 4;

/// One cache line of int8 weights: sixteen channels of four inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Int8Line(pub(crate) [i8; LANES * QUAD]);

/// One cache line of f32 weights: sixteen channels of one input.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct FloatLine(pub(crate) [f32; LANES]);

/// A linear layer with int8 weights, one scale per output channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Int8Matrix {
    /// Inputs divided by [`QUAD`].
    pub(crate) quads: usize,
    pub(crate) lines: Vec<Int8Line>,
    pub(crate) scales: Vec<f32>,
    /// The sum of each channel's weights: what a zero point of the inputs is multiplied with.
    pub(crate) sums: Vec<i32>,
    pub(crate) bias: Vec<f32>,
}

/// A linear layer with f32 weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FloatMatrix {
    pub(crate) inputs: usize,
    pub(crate) lines: Vec<FloatLine>,
    pub(crate) bias: Vec<f32>,
}

impl Int8Matrix {
    /// Quantises a trained matrix (channel after channel) to the nearest of 255 levels per channel.
    ///
    /// Channels must come in sixteens and inputs in fours; what is over is left out.
    pub(crate) fn quantize(weights: &[f32], inputs: usize, bias: &[f32]) -> Self {
        let quads = inputs / QUAD;
        let channels = bias.len() / LANES * LANES;
        let mut lines = vec![Int8Line([0; LANES * QUAD]); channels / LANES * quads];
        let mut scales = Vec::with_capacity(channels);
        for (channel, row) in weights.chunks_exact(inputs).take(channels).enumerate() {
            // Cutting off the largest weights of a channel for finer steps was tried: the vectors got worse.
            let largest = row.iter().fold(0f32, |largest, weight| largest.max(weight.abs()));
            let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
            scales.push(scale);
            let (group, lane) = (channel / LANES, channel % LANES);
            for (quad, four) in row.chunks_exact(QUAD).enumerate() {
                let line = &mut lines[group * quads + quad].0[lane * QUAD..][..QUAD];
                for (code, weight) in line.iter_mut().zip(four) {
                    *code = (weight / scale).round().clamp(-127.0, 127.0) as i8;
                }
            }
        }
        Self::from_lines(quads, lines, scales, bias[..channels].to_vec())
    }

    /// A matrix from what a model file holds.
    pub(crate) fn from_lines(quads: usize, lines: Vec<Int8Line>, scales: Vec<f32>, bias: Vec<f32>) -> Self {
        let mut sums = vec![0; bias.len()];
        if quads > 0 {
            for (group, sums) in lines.chunks_exact(quads).zip(sums.chunks_exact_mut(LANES)) {
                for line in group {
                    for (sum, codes) in sums.iter_mut().zip(line.0.chunks_exact(QUAD)) {
                        *sum += codes.iter().map(|&code| i32::from(code)).sum::<i32>();
                    }
                }
            }
        }
        Self { quads, lines, scales, sums, bias }
    }

    pub(crate) fn channels(&self) -> usize {
        self.bias.len()
    }
}

impl FloatMatrix {
    /// Lays out a trained matrix (channel after channel); channels must come in sixteens.
    pub(crate) fn pack(weights: &[f32], inputs: usize, bias: &[f32]) -> Self {
        let channels = bias.len() / LANES * LANES;
        let mut lines = vec![FloatLine([0.0; LANES]); channels / LANES * inputs];
        for (channel, row) in weights.chunks_exact(inputs).take(channels).enumerate() {
            let (group, lane) = (channel / LANES, channel % LANES);
            for (input, weight) in row.iter().enumerate() {
                lines[group * inputs + input].0[lane] = *weight;
            }
        }
        Self { inputs, lines, bias: bias[..channels].to_vec() }
    }

    pub(crate) fn channels(&self) -> usize {
        self.bias.len()
    }
}
