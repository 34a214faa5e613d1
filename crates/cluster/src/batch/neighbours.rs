use std::collections::BTreeMap;

use super::threads::on_all_cores;
use crate::codes::Codes;

/// How many nearest neighbours of each item are kept.
const KEPT: usize = 24;
/// Each item is listed with so many of its nearest pivots, and looks for neighbours at so many.
const LISTED: usize = 3;
const SEARCHED: usize = 8;
/// However crowded a place is, no item is compared with more than about so many others.
const MOST_COMPARED: usize = 3000;

/// The nearest neighbours of every item, most of them right, without comparing all pairs: items are listed with the
/// nearest of some pivots, and compared with what is listed at the pivots near them. The same for any number of threads.
pub(super) fn neighbours(places: &Codes) -> Vec<Vec<u32>> {
    let mut items: Vec<u32> = (0..places.rows() as u32).collect();
    let pivots = pivots(items.len());
    let near = on_all_cores(&items, |&item| nearest(places, item, &pivots, SEARCHED));
    let lists = Lists::of(&near, &pivots);
    // Items of one place one after the other: what they are compared with is then in the processor's cache.
    items.sort_by_key(|&item| near.get(item as usize).and_then(|pivots| pivots.first().copied()));
    let found = on_all_cores(&items, |&item| {
        let pivots = near.get(item as usize).map_or(&[][..], Vec::as_slice);
        nearest(places, item, &lists.others(item, pivots), KEPT)
    });
    let mut neighbours = vec![Vec::new(); items.len()];
    for (item, found) in items.into_iter().zip(found) {
        if let Some(place) = neighbours.get_mut(item as usize) {
            *place = found;
        }
    }
    neighbours
}

/// Items spread evenly over the canonical order, which says nothing about where they lie.
fn pivots(items: usize) -> Vec<u32> {
    let wanted = (4.0 * (items as f64).sqrt()) as usize;
    (0..items as u32).step_by((items / wanted.max(1)).max(1)).collect()
}

/// What is listed at each pivot, ascending.
struct Lists(BTreeMap<u32, Vec<u32>>);

impl Lists {
    fn of(near: &[Vec<u32>], pivots: &[u32]) -> Self {
        let mut lists: BTreeMap<u32, Vec<u32>> = pivots.iter().map(|&pivot| (pivot, Vec::new())).collect();
        for (item, pivots) in near.iter().enumerate() {
            // A pivot lists itself: it is not among the pivots near it.
            for pivot in pivots.iter().take(LISTED).copied().chain([item as u32]) {
                if let Some(list) = lists.get_mut(&pivot) {
                    list.push(item as u32);
                }
            }
        }
        Self(lists)
    }

    /// Of a crowd every so many-th, beginning at another one for each item: together they see all.
    fn others(&self, item: u32, pivots: &[u32]) -> Vec<u32> {
        let mut others: Vec<u32> = Vec::new();
        for list in pivots.iter().chain([&item]).filter_map(|pivot| self.0.get(pivot)) {
            let step = list.len().div_ceil(MOST_COMPARED / SEARCHED).max(1);
            others.extend(list.iter().skip(item as usize % step).step_by(step));
        }
        others.sort_unstable();
        others.dedup();
        others
    }
}

/// The nearest first, without the item itself; of equally near ones the first given.
fn nearest(codes: &Codes, item: u32, others: &[u32], wanted: usize) -> Vec<u32> {
    let own = codes.row(item as usize);
    let mut best: Vec<(f32, u32)> = Vec::with_capacity(wanted + 1);
    for &other in others.iter().filter(|&&other| other != item) {
        let similarity = Codes::similarity(own, codes.row(other as usize));
        if best.len() < wanted || best.last().is_some_and(|worst| similarity > worst.0) {
            let position = best.partition_point(|better| better.0 >= similarity);
            best.insert(position, (similarity, other));
            best.truncate(wanted);
        }
    }
    best.into_iter().map(|(_, other)| other).collect()
}
