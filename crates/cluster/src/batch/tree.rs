use std::collections::BTreeSet;

use super::canonical::Distinct;
use crate::item::{Count, Options};

/// Two nodes that became one. Leaves are numbered first, then merges in order; children come before parents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Merge {
    pub(super) left: usize,
    pub(super) right: usize,
    /// The mean similarity between the items of one and those of the other.
    pub(super) similarity: f32,
}

/// What was merged with what, and how much each node counts.
pub(super) struct Tree<'a> {
    merges: &'a [Merge],
    leaves: usize,
    sizes: Vec<usize>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(distinct: &[Distinct], merges: &'a [Merge], count: Count) -> Self {
        let sizes = match count {
            Count::Rows => rows(distinct, merges),
            Count::Groups => groups(distinct, merges),
        };
        Self { merges, leaves: distinct.len(), sizes }
    }

    /// The largest nodes that hold together well enough for their size, as lists of leaves.
    pub(super) fn select(&self, options: &Options) -> Vec<Vec<usize>> {
        let least = options.min_cluster_size.max(1);
        let mut open = self.roots();
        let mut selected = Vec::new();
        while let Some(node) = open.pop() {
            let size = self.sizes.get(node).copied().unwrap_or(0);
            if size < least {
                continue;
            }
            match self.merge(node) {
                Some(merge) if merge.similarity < options.nearness.needed(size, least) => {
                    open.extend([merge.left, merge.right]);
                }
                _ => selected.push(self.leaves_of(node)),
            }
        }
        selected
    }

    fn merge(&self, node: usize) -> Option<&Merge> {
        self.merges.get(node.checked_sub(self.leaves)?)
    }

    fn roots(&self) -> Vec<usize> {
        let mut is_root = vec![true; self.leaves + self.merges.len()];
        for child in self.merges.iter().flat_map(|merge| [merge.left, merge.right]) {
            if let Some(root) = is_root.get_mut(child) {
                *root = false;
            }
        }
        is_root.iter().enumerate().filter(|&(_, &root)| root).map(|(node, _)| node).collect()
    }

    fn leaves_of(&self, node: usize) -> Vec<usize> {
        let mut open = vec![node];
        let mut leaves = Vec::new();
        while let Some(node) = open.pop() {
            match self.merge(node) {
                Some(merge) => open.extend([merge.left, merge.right]),
                None => leaves.push(node),
            }
        }
        leaves.sort_unstable();
        leaves
    }
}

fn rows(distinct: &[Distinct], merges: &[Merge]) -> Vec<usize> {
    let mut sizes: Vec<usize> = distinct.iter().map(|item| item.rows.len()).collect();
    for merge in merges {
        let size = |node: usize| sizes.get(node).copied().unwrap_or(0);
        sizes.push(size(merge.left) + size(merge.right));
    }
    sizes
}

/// The smaller set goes into the larger one, so that no group is moved more often than the logarithm of their number.
fn groups(distinct: &[Distinct], merges: &[Merge]) -> Vec<usize> {
    let mut sets: Vec<BTreeSet<u32>> =
        distinct.iter().map(|item| item.groups.iter().copied().collect()).collect();
    let mut sizes: Vec<usize> = sets.iter().map(BTreeSet::len).collect();
    for merge in merges {
        let mut take = |node: usize| sets.get_mut(node).map(std::mem::take).unwrap_or_default();
        let (one, other) = (take(merge.left), take(merge.right));
        let (small, mut large) = if one.len() < other.len() { (one, other) } else { (other, one) };
        large.extend(small);
        sizes.push(large.len());
        sets.push(large);
    }
    sizes
}
