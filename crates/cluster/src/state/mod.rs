//! Clusters that stay while items come one by one, and keep their identity when they are found anew.

mod identity;

use serde::{Deserialize, Serialize};

use crate::batch::{Found, cluster};
use crate::item::{Error, Item, Options};
use crate::space::{Space, fnv};

/// The name of a cluster; never given to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClusterId(pub u64);

/// What is remembered of a cluster: enough to take new items, nothing of what its members said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub id: ClusterId,
    /// How many items it has, those included that joined since the last refresh.
    pub size: u64,
    /// How many of them joined since then.
    pub joined: u64,
    middle: Vec<f32>,
    /// The same for the same members, whatever their order.
    fingerprint: u64,
}

/// The clusters as of the last refresh, to be stored by the caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clusters {
    options: Options,
    space: Option<Space>,
    clusters: Vec<Cluster>,
    next_id: u64,
}

/// What a refresh found.
#[derive(Debug, Clone, PartialEq)]
pub struct Refresh {
    /// For each item its cluster; none if it waits for its like.
    pub assignments: Vec<Option<ClusterId>>,
    /// Clusters with all there is to know about them, the largest first, in the order of `ids`.
    pub found: Vec<Found>,
    pub ids: Vec<ClusterId>,
    /// New ones, and those whose members are not the ones of the last refresh. All others need no new summary.
    pub changed: Vec<ClusterId>,
    /// Clusters that are no more.
    pub gone: Vec<ClusterId>,
}

impl Clusters {
    /// No clusters yet.
    pub fn new(options: Options) -> Self {
        Self { options, space: None, clusters: Vec::new(), next_id: 0 }
    }

    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The cluster that an item would join, and how near it is; none if it has to wait for its like. The item is compared with
    /// each cluster, never with its members.
    pub fn nearest(&self, item: &Item<'_>) -> Result<Option<(ClusterId, f32)>, Error> {
        let Some(space) = &self.space else { return Ok(None) };
        let place = space.place(item)?;
        let near = self.clusters.iter().map(|it| (it.id, reflexio_vectors::dot(&place, &it.middle)));
        let best = near.reduce(|best, one| if one.1 > best.1 { one } else { best });
        Ok(best.filter(|best| best.1 >= self.options.nearness.join))
    }

    /// Lets an item join the nearest cluster, if it is near enough. The middle of the cluster stays until the next refresh, so
    /// that it does not matter in which order items join.
    pub fn join(&mut self, item: &Item<'_>) -> Result<Option<ClusterId>, Error> {
        let Some((id, _)) = self.nearest(item)? else { return Ok(None) };
        if let Some(cluster) = self.clusters.iter_mut().find(|it| it.id == id) {
            cluster.size += 1;
            cluster.joined += 1;
        }
        Ok(Some(id))
    }

    /// Finds the clusters of all items anew. `previous` says where each item was, as `join` or the last refresh told; a cluster
    /// keeps its id if no other one has more of its old members.
    pub fn refresh(&mut self, items: &[Item<'_>], previous: &[Option<ClusterId>]) -> Result<Refresh, Error> {
        let partition = cluster(items, &self.options)?;
        let members: Vec<&[usize]> = partition.clusters.iter().map(|it| it.members.as_slice()).collect();
        let ids = identity::keep(&members, previous, &mut self.next_id);
        let clusters: Vec<Cluster> =
            partition.clusters.iter().zip(&ids).map(|(found, &id)| remember(found, id, items)).collect();
        let mut assignments = vec![None; items.len()];
        for (found, &id) in partition.clusters.iter().zip(&ids) {
            for &member in &found.members {
                if let Some(place) = assignments.get_mut(member) {
                    *place = Some(id);
                }
            }
        }
        let same = |now: &Cluster| {
            self.clusters.iter().any(|it| it.id == now.id && it.fingerprint == now.fingerprint)
        };
        let changed = clusters.iter().filter(|it| !same(it)).map(|it| it.id).collect();
        let gone = self.clusters.iter().map(|it| it.id).filter(|id| !ids.contains(id)).collect();
        self.clusters = clusters;
        self.space = Some(partition.space);
        Ok(Refresh { assignments, found: partition.clusters, ids, changed, gone })
    }
}

fn remember(found: &Found, id: ClusterId, items: &[Item<'_>]) -> Cluster {
    let middle = found.sum.iter().map(|value| value / found.weight).collect();
    let prints = found.members.iter().filter_map(|&member| items.get(member)).map(fingerprint);
    Cluster {
        id,
        size: found.members.len() as u64,
        joined: 0,
        middle,
        fingerprint: prints.fold(0, u64::wrapping_add),
    }
}

/// Of everything an item says; not of whose it is, nor of its vector, which another model changes without changing the item.
fn fingerprint(item: &Item<'_>) -> u64 {
    fnv([item.text.as_bytes(), &[0], item.instruction.as_bytes()].concat().as_slice())
}

#[cfg(test)]
mod tests;
