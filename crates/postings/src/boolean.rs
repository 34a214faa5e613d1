//! Leaves that combine: sets of rows, window by window.

use std::ops::Range;

use crate::cursor::ROWS_PER_LOOKUP;
use crate::query::Tree;
use crate::search::Work;
use crate::source::Source;
use crate::top::Top;
use crate::window::{Bits, windows};

pub(crate) fn search(work: Work<'_, '_>, tree: &Tree, top: &mut Top) {
    let Work { share, sources, scorers, .. } = work;
    let segment = &*share.part.segment;
    let tree = cheapest_first(tree, sources);
    for (base, slots) in windows(share.slots.clone()) {
        let mask =
            share.mask(base, &slots).unwrap_or_else(|| Bits::range(slots.start - base..slots.end - base));
        let mut window = Window { base, slots, sources: &mut *sources, rows: segment.len() };
        let matching = window.matching(&tree, mask);
        let mut scores = Vec::new();
        for place in matching.iter() {
            scores.push((place, 0.0));
        }
        for (leaf, scorer) in scorers.iter().enumerate() {
            let Some(scorer) = scorer.as_ref().filter(|_| !scores.is_empty()) else { continue };
            let mut add = |score: &mut f64, slot: usize, times| {
                *score += scorer.score(times, segment.lengths.get(slot))
            };
            window.each_of(leaf, &mut scores, &mut add);
        }
        for (place, score) in scores {
            top.offer(score, share.part, base + place);
        }
    }
}

/// The same tree with alternatives as they are, and what must all hold in the order of how few rows do.
fn cheapest_first(tree: &Tree, sources: &[Source<'_>]) -> Tree {
    let all = |trees: &[Tree]| trees.iter().map(|tree| cheapest_first(tree, sources)).collect::<Vec<Tree>>();
    match tree {
        Tree::Leaf(leaf) => Tree::Leaf(*leaf),
        Tree::Or(trees) => Tree::Or(all(trees)),
        Tree::Not(keep, drop) => {
            Tree::Not(Box::new(cheapest_first(keep, sources)), Box::new(cheapest_first(drop, sources)))
        }
        Tree::And(trees) => {
            let mut trees = all(trees);
            trees.sort_by_key(|tree| most_rows(tree, sources));
            Tree::And(trees)
        }
    }
}

fn most_rows(tree: &Tree, sources: &[Source<'_>]) -> usize {
    let each = |trees: &[Tree]| trees.iter().map(|tree| most_rows(tree, sources)).collect::<Vec<usize>>();
    match tree {
        Tree::Leaf(leaf) => sources[*leaf].rows(),
        Tree::And(trees) => each(trees).into_iter().min().unwrap_or_default(),
        Tree::Or(trees) => each(trees).into_iter().sum(),
        Tree::Not(keep, _) => most_rows(keep, sources),
    }
}

struct Window<'a, 'b> {
    base: usize,
    slots: Range<usize>,
    sources: &'b mut [Source<'a>],
    /// Of the whole segment.
    rows: usize,
}

impl Window<'_, '_> {
    /// Those of some rows that match.
    fn matching(&mut self, tree: &Tree, within: Bits) -> Bits {
        if within.is_empty() {
            return within;
        }
        match tree {
            Tree::Leaf(leaf) => self.holding(*leaf, within),
            Tree::And(trees) => trees.iter().fold(within, |within, tree| self.matching(tree, within)),
            Tree::Or(trees) => trees.iter().fold(Bits::none(), |mut any, tree| {
                any.join(&self.matching(tree, within.clone()));
                any
            }),
            Tree::Not(keep, drop) => {
                let mut keep = self.matching(keep, within);
                let drop = self.matching(drop, keep.clone());
                keep.remove(&drop);
                keep
            }
        }
    }

    fn holding(&mut self, leaf: usize, mut within: Bits) -> Bits {
        let mut holding = Bits::none();
        if self.is_worth_looking_up(leaf, within.count()) {
            let places =
                within.iter().filter(|place| self.sources[leaf].times((self.base + place) as u32) > 0);
            places.for_each(|place| holding.add(place));
            return holding;
        }
        self.sources[leaf].each(&self.slots, |slot, _| holding.add(slot as usize - self.base));
        within.keep(&holding);
        within
    }

    /// Adds the score of a leaf to rows, which are in order.
    fn each_of(
        &mut self,
        leaf: usize,
        rows: &mut [(usize, f64)],
        add: &mut impl FnMut(&mut f64, usize, u32),
    ) {
        if self.is_worth_looking_up(leaf, rows.len()) {
            for (place, score) in rows {
                let times = self.sources[leaf].times((self.base + *place) as u32);
                if times > 0 {
                    add(score, self.base + *place, times);
                }
            }
            return;
        }
        let (mut next, base) = (0, self.base);
        self.sources[leaf].each(&self.slots, |slot, times| {
            let slot = slot as usize;
            while rows.get(next).is_some_and(|(place, _)| base + place < slot) {
                next += 1;
            }
            if let Some((_, score)) = rows.get_mut(next).filter(|(place, _)| base + place == slot) {
                add(score, slot, times);
            }
        });
    }

    fn is_worth_looking_up(&self, leaf: usize, rows: usize) -> bool {
        rows * ROWS_PER_LOOKUP < self.sources[leaf].rows() * self.slots.len() / self.rows
    }
}
