//! Several parts become one, a slice of work at a time, while they are still searched and written to.

use std::sync::Arc;

use crate::block::Block;
use crate::column::Column;
use crate::dictionary::{Walk, first_bytes};
use crate::encoder::Encoder;
use crate::labels::{Facet, Facets, LabelColumns};
use crate::lengths::Lengths;
use crate::part::Part;
use crate::segment::{Segment, starts};

/// The new slot of a row that was dead when the merge began.
const GONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Merge {
    inputs: Vec<Input>,
    ids: Vec<u64>,
    users: Vec<u32>,
    lengths: Lengths,
    encoder: Encoder,
    block: Box<Block>,
    /// The term at hand.
    term: Vec<u8>,
    /// Occurrences that have yet to be copied.
    left: u64,
    found: Found,
}

#[derive(Debug)]
struct Input {
    segment: Arc<Segment>,
    /// The new slot of each slot.
    slots: Vec<u32>,
    walk: Walk,
    /// Whether the walk stands at a term.
    is_on: bool,
    /// The first bytes of that term as a number, which settle nearly every comparison.
    first_bytes: u64,
}

/// The rows of one term: new slot, and which of the positions are its own.
#[derive(Debug, Default)]
struct Found {
    rows: Vec<(u32, u32, u32)>,
    positions: Vec<u32>,
}

impl Merge {
    pub(crate) fn new(parts: &[&Part]) -> Merge {
        let mut rows: Vec<(u32, u64, u32, u32)> = Vec::new();
        let mut left = 0;
        for (input, part) in parts.iter().enumerate() {
            let segment = &part.segment;
            left += segment.lengths.total() + segment.len() as u64;
            let live =
                segment.users().zip(segment.ids.iter()).enumerate().filter(|(slot, _)| part.is_live(*slot));
            rows.extend(live.map(|(slot, (user, id))| (user, id, input as u32, slot as u32)));
        }
        // Each input is in order: this kind of sort only merges them.
        rows.sort_by_key(|(user, id, ..)| (*user, *id));
        let mut slots: Vec<Vec<u32>> = parts.iter().map(|part| vec![GONE; part.segment.len()]).collect();
        for (new, (_, _, input, slot)) in (0..).zip(&rows) {
            slots[*input as usize][*slot as usize] = new;
        }
        let length = |row: &(u32, u64, u32, u32)| parts[row.2 as usize].segment.lengths.get(row.3 as usize);
        let lengths = Lengths::new(rows.iter().map(length));
        let inputs = parts.iter().zip(slots).map(|(part, slots)| Input::new(&part.segment, slots)).collect();
        let (users, ids) = rows.iter().map(|(user, id, ..)| (*user, *id)).unzip();
        Merge {
            inputs,
            ids,
            users,
            lengths,
            encoder: Encoder::default(),
            block: Box::default(),
            term: Vec::new(),
            left,
            found: Found::default(),
        }
    }

    /// How much work is left, in occurrences of terms.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    pub(crate) fn has(&self, part: &Part) -> bool {
        self.inputs.iter().any(|input| Arc::ptr_eq(&input.segment, &part.segment))
    }

    /// Copies terms until the work is used up. Returns whether all are copied.
    pub(crate) fn run(&mut self, work: &mut u64) -> bool {
        while *work > 0 {
            let on = self.inputs.iter().filter(|input| input.is_on);
            let Some(least) = on.min_by(|a, b| a.order().cmp(&b.order())) else { return true };
            self.term.clone_from(&least.walk.term);
            let copied = self.copy(least.first_bytes);
            self.left = self.left.saturating_sub(copied);
            *work = work.saturating_sub(copied);
        }
        false
    }

    /// Copies the lists of one term and returns how many occurrences that were.
    fn copy(&mut self, first_bytes: u64) -> u64 {
        let Found { rows, positions } = &mut self.found;
        let term = (first_bytes, self.term.as_slice());
        rows.clear();
        positions.clear();
        let mut lists = 0;
        for input in self.inputs.iter_mut().filter(|input| input.is_on && input.order() == term) {
            input.read(&mut self.block, rows, positions);
            input.advance();
            lists += 1;
        }
        if lists > 1 {
            rows.sort();
        }
        for (slot, from, to) in rows {
            self.encoder.row(*slot, &positions[*from as usize..*to as usize]);
        }
        self.encoder.end(&self.term, &self.lengths);
        positions.len() as u64 + lists
    }

    /// The new part. `parts` are as they are now: labels are theirs, and rows that they lost meanwhile are dead.
    pub(crate) fn finish(mut self, parts: &[Part]) -> Part {
        let rows = self.ids.len();
        let (mut times, mut facet_of) = (vec![0; rows], vec![0; rows]);
        let mut facets = Facets::default();
        let mut lost = Vec::new();
        for input in &self.inputs {
            let part = parts.iter().find(|part| Arc::ptr_eq(&part.segment, &input.segment));
            facets.next_list();
            for (slot, new) in input.slots.iter().enumerate().filter(|(_, new)| **new != GONE) {
                let new = *new as usize;
                let Some(part) = part else {
                    lost.push(new);
                    facet_of[new] = u64::from(facets.place(Facet::default()));
                    continue;
                };
                times[new] = part.labels.times.get(slot);
                let facet = facets.renumber(&part.labels.facets, part.labels.facet_of.get(slot) as usize);
                facet_of[new] = u64::from(facet);
                if !part.is_live(slot) {
                    lost.push(new);
                }
            }
        }
        let (dictionary, lists) = std::mem::take(&mut self.encoder).finish();
        let labels = LabelColumns::new(Column::new(&times), Column::new(&facet_of), facets.finish());
        let (by_id, users) = (self.by_id(), starts(self.users.into_iter()));
        let ids = Column::new(&self.ids);
        let mut part =
            Part::new(Segment { ids, by_id, users, lengths: self.lengths, dictionary, lists }, labels);
        part.kill(&lost);
        part
    }
}

impl Merge {
    /// New slots in the order of their ids. The inputs know their own order, so that there is little to sort.
    fn by_id(&self) -> Option<Column> {
        if self.ids.is_sorted() {
            return None;
        }
        let mut slots: Vec<(u64, u64)> = Vec::with_capacity(self.ids.len());
        for Input { segment, slots: new_slots, .. } in &self.inputs {
            let new_slots = (0..segment.len()).map(|place| new_slots[segment.slot_by_id(place)]);
            slots.extend(
                new_slots.filter(|new| *new != GONE).map(|new| (self.ids[new as usize], u64::from(new))),
            );
        }
        slots.sort();
        Some(Column::new(&slots.into_iter().map(|(_, slot)| slot).collect::<Vec<_>>()))
    }
}

impl Input {
    fn new(segment: &Arc<Segment>, slots: Vec<u32>) -> Input {
        let segment = Arc::clone(segment);
        let mut input = Input { segment, slots, walk: Walk::default(), is_on: true, first_bytes: 0 };
        input.advance();
        input
    }

    fn advance(&mut self) {
        self.is_on = self.walk.advance(&self.segment.dictionary);
        self.first_bytes = first_bytes(&self.walk.term);
    }

    /// Terms are in the order of these.
    fn order(&self) -> (u64, &[u8]) {
        (self.first_bytes, &self.walk.term)
    }

    /// Reads the list of the term that the walk stands at.
    fn read(&self, block: &mut Block, rows: &mut Vec<(u32, u32, u32)>, positions: &mut Vec<u32>) {
        let Segment { lists, lengths, .. } = &*self.segment;
        let list = lists.list(self.walk.list());
        for at in 0..list.blocks() {
            block.load(lists, &list, at);
            block.each(lists, lengths, |slot, own| {
                let new = self.slots[slot as usize];
                if new != GONE {
                    let from = positions.len() as u32;
                    positions.extend_from_slice(own);
                    rows.push((new, from, positions.len() as u32));
                }
            });
        }
    }
}
