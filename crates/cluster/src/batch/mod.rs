//! All clusters of a set of items at once.

mod canonical;
mod exact;
mod neighbours;
mod sparse;
mod split;
mod threads;
mod tree;
mod wording;

use std::collections::BTreeSet;

use reflexio_vectors::dot;

use crate::codes::Codes;
use crate::item::{Count, Error, Item, Options};
use crate::polarity::Stance;
use crate::space::Space;
use canonical::Distinct;
use tree::Tree;

/// Up to so many different items every pair is compared; above, memory must not grow with their square.
const MOST_EXACT: usize = 5000;

/// Members that joined a cluster later may be a little less alike than those it was made of.
const TOLERANCE: f32 = 0.8;

/// Items that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Which of the given items, ascending.
    pub members: Vec<usize>,
    /// The member that stands for all: the nearest to their middle.
    pub medoid: usize,
    /// How many different groups its members have.
    pub groups: usize,
    /// The mean similarity of a member to the others, from 0 to 1.
    pub agreement: f32,
    pub(crate) sum: Vec<f32>,
    pub(crate) weight: f32,
}

/// All clusters, the largest first; items in none are noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    pub clusters: Vec<Found>,
    pub(crate) space: Space,
}

impl Partition {
    /// For each of the given items the number of its cluster, -1 for noise.
    pub fn labels(&self, items: usize) -> Vec<i64> {
        let mut labels = vec![-1; items];
        for (label, cluster) in self.clusters.iter().enumerate() {
            for &member in &cluster.members {
                if let Some(place) = labels.get_mut(member) {
                    *place = label as i64;
                }
            }
        }
        labels
    }
}

/// Puts items with their like.
///
/// The same items make the same clusters, numbers included, in whatever order they are given: equal items are treated as one with
/// their weight, and everything happens in the order of what items say. Equally large clusters are numbered in that order.
pub fn cluster(items: &[Item<'_>], options: &Options) -> Result<Partition, Error> {
    cluster_exactly_up_to(MOST_EXACT, items, options)
}

fn cluster_exactly_up_to(most: usize, items: &[Item<'_>], options: &Options) -> Result<Partition, Error> {
    let weights = canonical::weights(items);
    crate::item::dimension(items)?;
    let distinct = canonical::distinct(items, &weights);
    // In canonical order, so that sums of floats do not depend on the order of the items.
    let representatives: Vec<Item<'_>> =
        distinct.iter().filter_map(|it| items.get(*it.rows.first()?).copied()).collect();
    let weights: Vec<f32> = distinct.iter().map(|it| it.weight).collect();
    let space = Space::fit(&representatives, &weights)?;
    let mut places = Codes::new(space.width(), distinct.len());
    for item in &representatives {
        places.push(&space.place(item)?);
    }
    let merges = if places.rows() <= most {
        exact::merges(&places, &weights)
    } else {
        sparse::merges(&places, &weights, neighbours::neighbours(&places), options.nearness.large)
    };
    let selected = Tree::new(&distinct, &merges, options.count).select(options);
    let work = Work { items: &representatives, distinct, places, options };
    let joined = work.with_near_noise(selected);
    let mut clusters: Vec<Found> = joined
        .into_iter()
        .filter(|leaves| !space.has_only_words() || work.shares_words(&space, leaves))
        .flat_map(|leaves| work.agreeing(&leaves))
        .map(|leaves| work.found(&leaves))
        .collect();
    clusters.sort_by_key(|found| std::cmp::Reverse(found.members.len()));
    Ok(Partition { clusters, space })
}

/// The items in canonical order, with what was found out about them.
struct Work<'a> {
    items: &'a [Item<'a>],
    distinct: Vec<Distinct>,
    places: Codes,
    options: &'a Options,
}

impl Work<'_> {
    /// Clusters in the order of their first leaf, with the leaves that are in none but near enough to one.
    fn with_near_noise(&self, mut clusters: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        clusters.sort_unstable();
        let middles: Vec<Vec<f32>> = clusters.iter().map(|leaves| self.middle(leaves)).collect();
        let placed: BTreeSet<usize> = clusters.iter().flatten().copied().collect();
        let noise: Vec<usize> = (0..self.places.rows()).filter(|leaf| !placed.contains(leaf)).collect();
        let joined = threads::on_all_cores(&noise, |&leaf| self.near_enough(leaf, &middles));
        for (leaf, cluster) in noise.into_iter().zip(joined) {
            if let Some(cluster) = cluster.and_then(|at| clusters.get_mut(at)) {
                cluster.push(leaf);
            }
        }
        clusters
    }

    /// The nearest middle, if it is near enough; of equally near ones the first.
    fn near_enough(&self, leaf: usize, middles: &[Vec<f32>]) -> Option<usize> {
        let place = self.places.place(leaf);
        let near = middles.iter().map(|middle| dot(&place, middle)).enumerate();
        let best = near.reduce(|best, one| if one.1 > best.1 { one } else { best })?;
        (best.1 >= self.options.nearness.join).then_some(best.0)
    }

    /// Whether the members are as alike as they seemed; one text that was said often is like itself.
    fn shares_words(&self, space: &Space, leaves: &[usize]) -> bool {
        let rows = self.distinct_of(leaves).map(|it| it.rows.len()).sum();
        let needed = self.options.nearness.needed(rows, self.options.min_cluster_size);
        let item = |&leaf: &usize| Some((self.items.get(leaf)?, self.distinct.get(leaf)?.weight));
        wording::likeness(space, leaves.iter().filter_map(item)) >= needed * TOLERANCE
    }

    /// Without contradictions; a side that is too small is no cluster.
    fn agreeing(&self, leaves: &[usize]) -> Vec<Vec<usize>> {
        let mut leaves = leaves.to_vec();
        leaves.sort_unstable();
        let instruction = |&leaf: &usize| self.items.get(leaf).map_or("", |item| item.instruction);
        if leaves.iter().all(|leaf| instruction(leaf).is_empty()) {
            return vec![leaves];
        }
        let stances: Vec<Stance> = leaves.iter().map(|leaf| Stance::of(instruction(leaf))).collect();
        let sides = split::sides(&stances);
        let of = |side: Vec<usize>| side.into_iter().filter_map(|at| leaves.get(at).copied()).collect();
        sides.into_iter().map(of).filter(|side: &Vec<usize>| self.is_large_enough(side)).collect()
    }

    fn is_large_enough(&self, leaves: &[usize]) -> bool {
        let counted = match self.options.count {
            Count::Rows => self.distinct_of(leaves).map(|it| it.rows.len()).sum(),
            Count::Groups => self.groups(leaves),
        };
        counted >= self.options.min_cluster_size.max(1)
    }

    fn found(&self, leaves: &[usize]) -> Found {
        let mut members: Vec<usize> =
            self.distinct_of(leaves).flat_map(|it| it.rows.iter().copied()).collect();
        members.sort_unstable();
        let sum = self.sum(leaves);
        let weight: f32 = self.distinct_of(leaves).map(|it| it.weight).sum();
        // The first of equally near ones, so only a nearer one takes its place.
        let to_middle = leaves.iter().map(|&leaf| (leaf, dot(&self.places.place(leaf), &sum)));
        let medoid = to_middle.reduce(|best, one| if one.1 > best.1 { one } else { best });
        let medoid = medoid.and_then(|(leaf, _)| self.distinct.get(leaf)?.rows.first().copied()).unwrap_or(0);
        let agreement = (dot(&sum, &sum) / (weight * weight)).clamp(0.0, 1.0);
        Found { members, medoid, groups: self.groups(leaves), agreement, sum, weight }
    }

    fn distinct_of<'s>(&'s self, leaves: &'s [usize]) -> impl Iterator<Item = &'s Distinct> {
        leaves.iter().filter_map(|&leaf| self.distinct.get(leaf))
    }

    fn groups(&self, leaves: &[usize]) -> usize {
        self.distinct_of(leaves).flat_map(|it| &it.groups).collect::<BTreeSet<_>>().len()
    }

    fn sum(&self, leaves: &[usize]) -> Vec<f32> {
        let mut sum = vec![0f32; self.places.width()];
        for &leaf in leaves {
            let weight = self.distinct.get(leaf).map_or(0.0, |it| it.weight);
            self.places.add(leaf, weight, &mut sum);
        }
        sum
    }

    fn middle(&self, leaves: &[usize]) -> Vec<f32> {
        let weight: f32 = self.distinct_of(leaves).map(|it| it.weight).sum();
        let mut sum = self.sum(leaves);
        sum.iter_mut().for_each(|value| *value /= weight);
        sum
    }
}

#[cfg(test)]
mod tests;
