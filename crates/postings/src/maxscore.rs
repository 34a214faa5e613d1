//! Any leaf is enough: add up scores, but look up what cannot make a row good enough only for rows that may be.
//!
//! In each window the leaves are ordered by the most they can add there. Those that together cannot reach what a row
//! needs do not find rows; they only add to rows that the others found (Turtle and Flood's MaxScore, in windows).

use std::ops::Range;

use crate::bm25::Scorer;
use crate::cursor::ROWS_PER_LOOKUP;
use crate::search::Work;
use crate::segment::Segment;
use crate::source::Source;
use crate::top::Top;
use crate::window::{Bits, WINDOW, windows};

pub(crate) fn search(work: Work<'_, '_>, top: &mut Top) {
    let Work { share, sources, scorers, scores } = work;
    let segment = &*share.part.segment;
    let mut leaves: Vec<Leaf<'_, '_>> = sources
        .iter_mut()
        .zip(scorers)
        .filter(|(source, _)| !source.is_nothing())
        .filter_map(|(source, scorer)| Some(Leaf { source, scorer: scorer.as_ref()?, bound: 0.0 }))
        .collect();
    scores.resize(WINDOW, 0.0);
    for (base, slots) in windows(share.slots.clone()) {
        let Some(finding) = order(&mut leaves, &slots, segment, top.needed) else { continue };
        let mask = share.mask(base, &slots);
        let (adding, finding) = leaves.split_at_mut(finding);
        let found = match &mask {
            Some(mask) if is_worth_looking_up(finding, mask.count(), slots.len(), segment) => {
                looked_up(finding, mask, base, scores, segment)
            }
            Some(_) | None => add_up(finding, &slots, base, scores, segment),
        };
        for slot in found.iter() {
            let score = std::mem::take(&mut scores[slot]);
            if mask.as_ref().is_none_or(|mask| mask.has(slot))
                && let Some(score) = complete(adding, score, (base + slot) as u32, segment, top.needed)
            {
                top.offer(score, share.part, base + slot);
            }
        }
    }
}

struct Leaf<'a, 'b> {
    source: &'b mut Source<'a>,
    scorer: &'b Scorer,
    /// The most it adds in the window at hand.
    bound: f64,
}

/// Orders the leaves by what they can add in a window. Returns the place of the first one that has to find rows, or
/// nothing if no row can be good enough.
fn order(leaves: &mut [Leaf<'_, '_>], slots: &Range<usize>, segment: &Segment, needed: f64) -> Option<usize> {
    for leaf in leaves.iter_mut() {
        leaf.bound = leaf.source.bound(slots, leaf.scorer, segment);
    }
    leaves.sort_by(|a, b| a.bound.total_cmp(&b.bound));
    let mut sum = 0.0;
    leaves.iter().position(|leaf| {
        sum += leaf.bound;
        sum >= needed
    })
}

fn is_worth_looking_up(leaves: &[Leaf<'_, '_>], admitted: usize, slots: usize, segment: &Segment) -> bool {
    let rows: usize = leaves.iter().map(|leaf| leaf.source.rows()).sum();
    admitted * leaves.len() * ROWS_PER_LOOKUP < rows * slots / segment.len() || admitted == 0
}

/// Adds up the scores of a window, and returns the rows that have one.
fn add_up(
    leaves: &mut [Leaf<'_, '_>],
    slots: &Range<usize>,
    base: usize,
    scores: &mut [f64],
    segment: &Segment,
) -> Bits {
    let mut found = Bits::none();
    for leaf in leaves {
        let scorer = leaf.scorer;
        leaf.source.each(slots, |slot, times| {
            let place = (slot as usize - base) % WINDOW;
            scores[place] += scorer.score(times, segment.lengths.get(slot as usize));
            found.add(place);
        });
    }
    found
}

/// The same for few rows.
fn looked_up(
    leaves: &mut [Leaf<'_, '_>],
    mask: &Bits,
    base: usize,
    scores: &mut [f64],
    segment: &Segment,
) -> Bits {
    let mut found = Bits::none();
    for place in mask.iter() {
        for leaf in leaves.iter_mut() {
            let times = leaf.source.times((base + place) as u32);
            if times > 0 {
                scores[place] += leaf.scorer.score(times, segment.lengths.get(base + place));
                found.add(place);
            }
        }
    }
    found
}

/// The score of a row with all leaves, unless it cannot be good enough.
fn complete(
    leaves: &mut [Leaf<'_, '_>],
    mut score: f64,
    slot: u32,
    segment: &Segment,
    needed: f64,
) -> Option<f64> {
    let mut bound: f64 = leaves.iter().map(|leaf| leaf.bound).sum();
    for leaf in leaves.iter_mut().rev() {
        if score + bound < needed {
            return None;
        }
        bound -= leaf.bound;
        let times = leaf.source.times(slot);
        if times > 0 {
            score += leaf.scorer.score(times, segment.lengths.get(slot as usize));
        }
    }
    (score >= needed).then_some(score)
}
