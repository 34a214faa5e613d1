use std::collections::{BTreeMap, BTreeSet};

use super::ClusterId;

/// Names for new clusters: the pair of an old and a new one with the most common members comes first, and each is in one pair
/// only. A cluster that has nobody of an old one, or fewer than another, gets a name of its own.
pub(super) fn keep(
    members: &[&[usize]],
    previous: &[Option<ClusterId>],
    next_id: &mut u64,
) -> Vec<ClusterId> {
    let mut names: BTreeMap<usize, ClusterId> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for (_, old, new) in overlaps(members, previous) {
        if !names.contains_key(&new) && taken.insert(old) {
            names.insert(new, old);
        }
    }
    // A caller may know ids that this state has forgotten; none of them is given again.
    let known = previous.iter().flatten().map(|id| id.0 + 1).max().unwrap_or(0);
    *next_id = (*next_id).max(known);
    let mut fresh = || {
        let id = ClusterId(*next_id);
        *next_id += 1;
        id
    };
    (0..members.len()).map(|new| names.get(&new).copied().unwrap_or_else(&mut fresh)).collect()
}

/// How many members an old and a new cluster share, most first; then by old name and new number.
fn overlaps(members: &[&[usize]], previous: &[Option<ClusterId>]) -> Vec<(usize, ClusterId, usize)> {
    let mut shared: BTreeMap<(ClusterId, usize), usize> = BTreeMap::new();
    for (new, members) in members.iter().enumerate() {
        for old in members.iter().filter_map(|&member| previous.get(member).copied().flatten()) {
            *shared.entry((old, new)).or_insert(0) += 1;
        }
    }
    let mut overlaps: Vec<_> = shared.into_iter().map(|((old, new), count)| (count, old, new)).collect();
    overlaps.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    overlaps
}
