use std::cmp::Ordering;
use std::collections::BinaryHeap;

use reflexio_vectors::dot;

use super::tree::Merge;
use crate::codes::Codes;

/// How many neighbours a cluster of clusters keeps.
const KEPT: usize = 48;

/// Average linkage among neighbours: the nearest pair of neighbouring clusters becomes one, with the neighbours of both,
/// until none is nearer than `least`. Means are exact, because the mean similarity of two clusters is the inner product of
/// their sums; only pairs that are nobody's neighbours are never seen. Memory grows with the number of items.
pub(super) fn merges(places: &Codes, weights: &[f32], neighbours: Vec<Vec<u32>>, least: f32) -> Vec<Merge> {
    let mut linkage = Linkage::new(places, weights, neighbours);
    linkage.run(least);
    linkage.merges
}

struct Cluster {
    /// Of the places of its items, by their weights.
    sum: Vec<f32>,
    weight: f32,
    neighbours: Vec<Neighbour>,
    /// The node of the tree it is.
    node: usize,
    /// How often it grew.
    version: u32,
}

/// Another cluster as it was when it was last looked at.
#[derive(Debug, Clone, Copy)]
struct Neighbour {
    cluster: u32,
    version: u32,
    /// None if the one who looks has grown since.
    similarity: Option<f32>,
}

struct Linkage {
    clusters: Vec<Cluster>,
    /// Where the items of a cluster that is gone went.
    moved: Vec<u32>,
    pairs: BinaryHeap<Pair>,
    merges: Vec<Merge>,
}

impl Linkage {
    fn new(places: &Codes, weights: &[f32], neighbours: Vec<Vec<u32>>) -> Self {
        let count = places.rows();
        let clusters = weights.iter().zip(symmetric(neighbours)).enumerate();
        let clusters = clusters.map(|(node, (&weight, neighbours))| {
            let mut sum = vec![0.0; places.width()];
            places.add(node, weight, &mut sum);
            let unseen = |cluster| Neighbour { cluster, version: 0, similarity: None };
            Cluster {
                sum,
                weight,
                neighbours: neighbours.into_iter().map(unseen).collect(),
                node,
                version: 0,
            }
        });
        Self {
            clusters: clusters.collect(),
            moved: (0..count as u32).collect(),
            pairs: BinaryHeap::with_capacity(count),
            merges: Vec::new(),
        }
    }

    fn run(&mut self, least: f32) {
        for cluster in 0..self.clusters.len() as u32 {
            self.look_around(cluster);
        }
        while let Some(pair) = self.pairs.pop() {
            if pair.similarity < least {
                return;
            }
            let is_as_seen = |cluster: u32, version: u32| {
                self.resolve(cluster) == cluster && self.version(cluster) == version
            };
            if !is_as_seen(pair.one, pair.one_version) {
                continue;
            }
            if is_as_seen(pair.other, pair.other_version) {
                self.merge(&pair);
            } else {
                self.look_around(pair.one);
            }
        }
    }

    fn get(&self, cluster: u32) -> Option<&Cluster> {
        self.clusters.get(cluster as usize)
    }

    fn resolve(&self, mut cluster: u32) -> u32 {
        while let Some(&next) = self.moved.get(cluster as usize).filter(|&&next| next != cluster) {
            cluster = next;
        }
        cluster
    }

    fn similarity(&self, one: u32, other: u32) -> f32 {
        match (self.get(one), self.get(other)) {
            (Some(one), Some(other)) => dot(&one.sum, &other.sum) / (one.weight * other.weight),
            _ => f32::NEG_INFINITY,
        }
    }

    /// Finds the nearest neighbour and remembers the pair; forgets the farthest neighbours if there are too many.
    fn look_around(&mut self, cluster: u32) {
        let known = self.clusters.get_mut(cluster as usize).map(|it| std::mem::take(&mut it.neighbours));
        let mut others: Vec<Neighbour> =
            known.unwrap_or_default().into_iter().map(|it| self.as_it_is(it)).collect();
        others.retain(|other| other.cluster != cluster);
        // Of several that became one, the one that was looked at comes first.
        others.sort_unstable_by_key(|other| (other.cluster, other.similarity.is_none()));
        others.dedup_by_key(|other| other.cluster);
        let mut ranked: Vec<(f32, Neighbour)> = others
            .into_iter()
            .map(|it| (it.similarity.unwrap_or_else(|| self.similarity(cluster, it.cluster)), it))
            .map(|(similarity, it)| (similarity, Neighbour { similarity: Some(similarity), ..it }))
            .collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cluster.cmp(&b.1.cluster)));
        ranked.truncate(KEPT);
        if let Some(&(similarity, other)) = ranked.first() {
            self.pairs.push(Pair {
                similarity,
                one: cluster,
                other: other.cluster,
                one_version: self.version(cluster),
                other_version: other.version,
            });
        }
        if let Some(it) = self.clusters.get_mut(cluster as usize) {
            it.neighbours = ranked.into_iter().map(|(_, other)| other).collect();
        }
    }

    /// What became of a neighbour; how near it is has to be found out anew if it grew.
    fn as_it_is(&self, seen: Neighbour) -> Neighbour {
        let cluster = self.resolve(seen.cluster);
        let version = self.version(cluster);
        let is_as_seen = cluster == seen.cluster && version == seen.version;
        Neighbour { cluster, version, similarity: seen.similarity.filter(|_| is_as_seen) }
    }

    fn version(&self, cluster: u32) -> u32 {
        self.get(cluster).map_or(0, |it| it.version)
    }

    fn merge(&mut self, pair: &Pair) {
        let weight = |cluster| self.get(cluster).map_or(0.0, |it| it.weight);
        // The heavier one stays, so that nobody has to be followed through many moves.
        let by_weight = weight(pair.one).total_cmp(&weight(pair.other)).then(pair.other.cmp(&pair.one));
        let (kept, gone) = if by_weight.is_gt() { (pair.one, pair.other) } else { (pair.other, pair.one) };
        let made = self.moved.len() + self.merges.len();
        let Some(taken) = self.clusters.get_mut(gone as usize) else { return };
        let (sum, weight, neighbours) =
            (std::mem::take(&mut taken.sum), taken.weight, std::mem::take(&mut taken.neighbours));
        let right = taken.node;
        if let Some(moved) = self.moved.get_mut(gone as usize) {
            *moved = kept;
        }
        let Some(it) = self.clusters.get_mut(kept as usize) else { return };
        it.sum.iter_mut().zip(&sum).for_each(|(total, value)| *total += value);
        it.weight += weight;
        it.neighbours.extend(neighbours);
        it.neighbours.iter_mut().for_each(|neighbour| neighbour.similarity = None);
        it.version += 1;
        let left = std::mem::replace(&mut it.node, made);
        self.merges.push(Merge { left, right, similarity: pair.similarity });
        self.look_around(kept);
    }
}

/// Whoever has a neighbour is one.
fn symmetric(neighbours: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut all = neighbours.clone();
    for (item, others) in neighbours.into_iter().enumerate() {
        for other in others {
            if let Some(list) = all.get_mut(other as usize) {
                list.push(item as u32);
            }
        }
    }
    all
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    similarity: f32,
    one: u32,
    other: u32,
    one_version: u32,
    other_version: u32,
}

impl Eq for Pair {}

impl Ord for Pair {
    /// The nearest is the greatest; of equally near ones the first.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |pair: &Self| (pair.one.min(pair.other), pair.one.max(pair.other), pair.one);
        self.similarity.total_cmp(&other.similarity).then_with(|| key(other).cmp(&key(self)))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
