use std::ops::Range;

use super::tree::Merge;
use crate::codes::Codes;

/// So many rows are compared with so many others at a time, which then stay in the processor's cache.
const TILE: usize = 48;

/// Average linkage of every pair, by chains of nearest neighbours over the triangle of similarities: n² / 2 numbers.
pub(super) fn merges(places: &Codes, weights: &[f32]) -> Vec<Merge> {
    let rows = places.rows();
    let mut linkage = Linkage {
        similarities: Triangle::of(places),
        weights: weights.to_vec(),
        nodes: (0..rows).collect(),
        alive: (0..rows).collect(),
        merges: Vec::with_capacity(rows.saturating_sub(1)),
    };
    linkage.run(rows);
    linkage.merges
}

struct Linkage {
    similarities: Triangle,
    weights: Vec<f32>,
    /// The node of the tree that stands in each place.
    nodes: Vec<usize>,
    /// Places still in use, ascending.
    alive: Vec<usize>,
    merges: Vec<Merge>,
}

impl Linkage {
    fn run(&mut self, leaves: usize) {
        let mut chain: Vec<usize> = Vec::new();
        while self.alive.len() > 1 {
            let tip = match chain.last() {
                Some(&tip) => tip,
                None => {
                    chain.extend(self.alive.first());
                    continue;
                }
            };
            let before = chain.len().checked_sub(2).and_then(|at| chain.get(at)).copied();
            let (next, similarity) = self.nearest(tip, before);
            if Some(next) == before {
                chain.truncate(chain.len() - 2);
                self.merge(leaves, next.min(tip), next.max(tip), similarity);
            } else {
                chain.push(next);
            }
        }
    }

    /// The nearest other place; of equally near ones the one before in the chain, so that chains end, then the first.
    fn nearest(&self, of: usize, before: Option<usize>) -> (usize, f32) {
        let mut best = match before {
            Some(before) => (before, self.similarities.get(of, before)),
            None => (usize::MAX, f32::NEG_INFINITY),
        };
        for &other in self.alive.iter().filter(|&&other| other != of) {
            let similarity = self.similarities.get(of, other);
            if similarity > best.1 {
                best = (other, similarity);
            }
        }
        best
    }

    fn merge(&mut self, leaves: usize, kept: usize, gone: usize, similarity: f32) {
        let weight = |at: usize| self.weights.get(at).copied().unwrap_or(0.0);
        let (kept_weight, gone_weight) = (weight(kept), weight(gone));
        let total = kept_weight + gone_weight;
        self.alive.retain(|&place| place != gone);
        for &other in self.alive.iter().filter(|&&other| other != kept) {
            let near = kept_weight * self.similarities.get(kept, other)
                + gone_weight * self.similarities.get(gone, other);
            self.similarities.set(kept, other, near / total);
        }
        let node = |at: usize| self.nodes.get(at).copied().unwrap_or(at);
        self.merges.push(Merge { left: node(kept), right: node(gone), similarity });
        let made = leaves + self.merges.len() - 1;
        if let Some(weight) = self.weights.get_mut(kept) {
            *weight = total;
        }
        if let Some(node) = self.nodes.get_mut(kept) {
            *node = made;
        }
    }
}

/// Similarities of pairs, each once.
struct Triangle(Vec<f32>);

impl Triangle {
    fn of(places: &Codes) -> Self {
        let rows = places.rows();
        let mut triangle = Self(vec![0.0; rows * rows.saturating_sub(1) / 2]);
        for low in (0..rows).step_by(TILE) {
            for high in (low..rows).step_by(TILE) {
                triangle.fill(places, low..rows.min(low + TILE), high..rows.min(high + TILE));
            }
        }
        triangle
    }

    fn fill(&mut self, codes: &Codes, low: Range<usize>, high: Range<usize>) {
        for one in high {
            for other in low.start..low.end.min(one) {
                self.set(one, other, Codes::similarity(codes.row(one), codes.row(other)));
            }
        }
    }

    fn at(a: usize, b: usize) -> usize {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        high * high.saturating_sub(1) / 2 + low
    }

    fn get(&self, a: usize, b: usize) -> f32 {
        self.0.get(Self::at(a, b)).copied().unwrap_or(f32::NEG_INFINITY)
    }

    fn set(&mut self, a: usize, b: usize, similarity: f32) {
        if let Some(place) = self.0.get_mut(Self::at(a, b)) {
            *place = similarity;
        }
    }
}
