//! Attention within one text: every token looks at every token, no padding, no mask.

use super::math::Lanes;
use super::{Isa, LANES, math, reserve};

/// Numbers per head. MiniLM has twelve heads of 32; a model with another width is refused when it is read.
pub(crate) const HEAD: usize = 32;
/// A head's numbers are two vectors.
const HALVES: usize = HEAD / LANES;
/// Rows that one tile handles.
const TALL: usize = 4;

/// Space that attention reuses from text to text.
#[derive(Debug, Default)]
pub(crate) struct Space {
    /// The keys of one head, one row per dimension, padded to whole lanes.
    keys: Vec<f32>,
    values: Vec<[Lanes; HALVES]>,
    scores: Vec<f32>,
}

/// For each token of one text: the values of all its tokens, weighted by the softmax of query times key.
///
/// A row of `mixed` holds queries, keys and values (`3 * heads * HEAD` numbers), a row of `out` `heads * HEAD`.
pub(crate) fn attend(isa: Isa, mixed: &[f32], heads: usize, space: &mut Space, out: &mut [f32]) {
    let width = heads * HEAD;
    let tokens = out.len() / width;
    let padded = tokens.next_multiple_of(LANES);
    let keys = reserve(&mut space.keys, HEAD * padded);
    let values = reserve(&mut space.values, tokens);
    let scores = reserve(&mut space.scores, TALL * padded);
    isa.run(
        #[inline(always)]
        || {
            for head in 0..heads {
                gather(mixed, width, head, keys, values);
                let head = Head { mixed, width, head, keys, values };
                let mut token = 0;
                while token + TALL <= tokens {
                    tile::<TALL>(&head, token, scores, out);
                    token += TALL;
                }
                match tokens - token {
                    3 => tile::<3>(&head, token, scores, out),
                    2 => tile::<2>(&head, token, scores, out),
                    1 => tile::<1>(&head, token, scores, out),
                    _ => {}
                }
            }
        },
    );
}

/// One head of one text.
struct Head<'a> {
    mixed: &'a [f32],
    width: usize,
    head: usize,
    keys: &'a [f32],
    values: &'a [[Lanes; HALVES]],
}

/// Turns the keys of a head on their side and puts its values together.
#[inline(always)]
fn gather(mixed: &[f32], width: usize, head: usize, keys: &mut [f32], values: &mut [[Lanes; HALVES]]) {
    let padded = keys.len() / HEAD;
    for (token, (row, values)) in mixed.chunks_exact(3 * width).zip(values).enumerate() {
        for (dimension, key) in row[width + head * HEAD..][..HEAD].iter().enumerate() {
            keys[dimension * padded + token] = *key;
        }
        values.as_flattened_mut().copy_from_slice(&row[2 * width + head * HEAD..][..HEAD]);
    }
}

#[inline(always)]
fn tile<const R: usize>(head: &Head<'_>, token: usize, scores: &mut [f32], out: &mut [f32]) {
    let Head { mixed, width, head, keys, values } = *head;
    let tokens = values.len();
    let padded = tokens.next_multiple_of(LANES);
    let mut queries = [[0f32; HEAD]; R];
    for (r, query) in queries.iter_mut().enumerate() {
        query.copy_from_slice(&mixed[(token + r) * 3 * width + head * HEAD..][..HEAD]);
    }
    for at in (0..padded).step_by(LANES) {
        let mut sums = [[0f32; LANES]; R];
        for dimension in 0..HEAD {
            let lane_keys = lanes(&keys[dimension * padded + at..]);
            for r in 0..R {
                sums[r] = math::add_scaled(sums[r], queries[r][dimension], lane_keys);
            }
        }
        for r in 0..R {
            scores[r * padded + at..][..LANES].copy_from_slice(&sums[r]);
        }
    }
    let mut inverse = [0f32; R];
    for r in 0..R {
        inverse[r] = softmax(&mut scores[r * padded..][..padded], tokens);
    }
    let mut weights: [&[f32]; R] = [&[]; R];
    for (r, weights) in weights.iter_mut().enumerate() {
        *weights = &scores[r * padded..][..tokens];
    }
    let mut sums = [[[0f32; LANES]; HALVES]; R];
    for (at, values) in values.iter().enumerate() {
        for r in 0..R {
            let weight = weights[r][at];
            for half in 0..HALVES {
                sums[r][half] = math::add_scaled(sums[r][half], weight, &values[half]);
            }
        }
    }
    for r in 0..R {
        let out = &mut out[(token + r) * width + head * HEAD..][..HEAD];
        for (out, sum) in out.iter_mut().zip(sums[r].as_flattened()) {
            *out = sum * inverse[r];
        }
    }
}

#[inline(always)]
fn lanes(values: &[f32]) -> &Lanes {
    values.first_chunk().unwrap_or(&[0.0; LANES])
}

/// Turns the first `tokens` scores into weights that still have to be multiplied by what is returned. What follows
/// them is padding.
#[inline(always)]
fn softmax(scores: &mut [f32], tokens: usize) -> f32 {
    let scale = 1.0 / (HEAD as f32).sqrt();
    scores[tokens..].fill(f32::MIN);
    let greatest = math::greatest(scores);
    for score in scores.iter_mut() {
        *score = math::exp((*score - greatest) * scale);
    }
    scores[tokens..].fill(0.0);
    1.0 / math::sum(scores, |weight| weight)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, in f64.
    fn by_definition(mixed: &[f32], heads: usize) -> Vec<f64> {
        let width = heads * HEAD;
        let rows: Vec<&[f32]> = mixed.chunks(3 * width).collect();
        let mut out = Vec::new();
        for query in &rows {
            for head in 0..heads {
                let part =
                    |row: &[f32], kind: usize, d: usize| f64::from(row[kind * width + head * HEAD + d]);
                let score = |key: &[f32]| (0..HEAD).map(|d| part(query, 0, d) * part(key, 1, d)).sum::<f64>();
                let weights: Vec<f64> =
                    rows.iter().map(|key| (score(key) / (HEAD as f64).sqrt()).exp()).collect();
                let total: f64 = weights.iter().sum();
                out.extend((0..HEAD).map(|d| {
                    weights.iter().zip(&rows).map(|(weight, row)| weight * part(row, 2, d)).sum::<f64>()
                        / total
                }));
            }
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn attention_is_its_definition_and_the_same_on_every_instruction_set(
            mixed in (1usize..40).prop_flat_map(|tokens| prop::collection::vec(-2f32..2.0, tokens * 3 * 2 * HEAD))
        ) {
            let heads = 2;
            let expected = by_definition(&mixed, heads);
            let run = |isa| {
                let mut out = vec![f32::NAN; expected.len()];
                attend(isa, &mixed, heads, &mut Space::default(), &mut out);
                out
            };
            let portable = run(Isa::PORTABLE);
            for (got, expected) in portable.iter().zip(&expected) {
                prop_assert!((f64::from(*got) - expected).abs() < 1e-5);
            }
            for isa in Isa::all() {
                prop_assert_eq!(run(isa), portable.clone(), "{}", isa.name());
            }
        }
    }
}
