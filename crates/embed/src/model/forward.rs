//! The forward pass: token numbers of several texts in, one vector per text out.

use super::weights::{Layer, Weights};
use crate::kernels::attention::{self, Space};
use crate::kernels::quantize::ByteRows;
use crate::kernels::{Isa, math, reserve};

/// Space that a thread reuses from pass to pass.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    tokens: usize,
    /// The state of every token, texts one after the other: no text is padded to another's length.
    state: Vec<f32>,
    mixed: Vec<f32>,
    attended: Vec<f32>,
    joined: Vec<f32>,
    wide: Vec<f32>,
    bytes: ByteRows,
    space: Space,
}

/// Embeds `texts`, each at least one and at most `window` tokens long.
pub(crate) fn forward(isa: Isa, weights: &Weights, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
    read_tokens(isa, weights, texts, scratch);
    for layer in &weights.layers {
        attend(isa, weights, layer, texts, scratch);
        think(isa, layer, scratch);
    }
    let width = weights.shape.width;
    let mut rest = &scratch.state[..scratch.tokens * width];
    let pool = |text: &&[u32]| {
        let (rows, after) = rest.split_at(text.len() * width);
        rest = after;
        mean(rows, width)
    };
    texts.iter().map(pool).collect()
}

/// Word plus position, normalised.
fn read_tokens(isa: Isa, weights: &Weights, texts: &[&[u32]], scratch: &mut Scratch) {
    let width = weights.shape.width;
    let tokens: usize = texts.iter().map(|text| text.len()).sum();
    scratch.tokens = tokens;
    let state = reserve(&mut scratch.state, tokens * width);
    let positions = reserve(&mut scratch.joined, tokens * width);
    let mut rows = state.chunks_exact_mut(width).zip(positions.chunks_exact_mut(width));
    for text in texts {
        // The text comes first: a pair that it has no token for must stay for the next text.
        for ((token, place), (row, position)) in text.iter().zip(0..).zip(&mut rows) {
            weights.words.read(*token as usize, row);
            position.copy_from_slice(&weights.positions[place * width..][..width]);
        }
    }
    math::add_and_normalize(isa, state, positions, &weights.norm.gain, &weights.norm.shift);
}

/// Lets the tokens of each text look at each other.
fn attend(isa: Isa, weights: &Weights, layer: &Layer, texts: &[&[u32]], scratch: &mut Scratch) {
    let Scratch { tokens, state, mixed, attended, joined, bytes, space, .. } = scratch;
    let width = weights.shape.width;
    let size = *tokens * width;
    let (state, joined) = (&mut state[..size], reserve(joined, size));
    let (mixed, attended) = (reserve(mixed, size * 3), reserve(attended, size));
    layer.mix.apply(isa, state, bytes, mixed);
    let (mut mixed_rest, mut attended_rest) = (&*mixed, &mut *attended);
    for text in texts {
        let (mixed, mixed_after) = mixed_rest.split_at(text.len() * width * 3);
        let (attended, attended_after) = attended_rest.split_at_mut(text.len() * width);
        attention::attend(isa, mixed, weights.shape.heads, space, attended);
        (mixed_rest, attended_rest) = (mixed_after, attended_after);
    }
    layer.join.apply(isa, attended, bytes, joined);
    math::add_and_normalize(isa, state, joined, &layer.join_norm.gain, &layer.join_norm.shift);
}

/// The two linear layers of a block, token by token.
fn think(isa: Isa, layer: &Layer, scratch: &mut Scratch) {
    let Scratch { tokens, state, joined, wide, bytes, .. } = scratch;
    let size = *tokens * layer.narrow_norm.gain.len();
    let (state, joined) = (&mut state[..size], reserve(joined, size));
    let wide = reserve(wide, *tokens * layer.widen.channels());
    layer.widen.apply(isa, state, bytes, wide);
    math::gelu_all(isa, wide);
    layer.narrow.apply(isa, wide, bytes, joined);
    math::add_and_normalize(isa, state, joined, &layer.narrow_norm.gain, &layer.narrow_norm.shift);
}

/// The mean of the rows, scaled to length 1.
fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let mut vector = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        for (sum, value) in vector.iter_mut().zip(row) {
            *sum += value;
        }
    }
    math::unit(&mut vector);
    vector
}
