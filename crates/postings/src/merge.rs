//! Several parts become one, a slice of work at a time, while they are still searched and written to.

use std::sync::Arc;

use crate::bits::BLOCK;
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
    stage: Stage,
    /// Occurrences that have yet to be read, and those that have yet to be written.
    left: u64,
    found: Found,
}

/// What is to be done next: even one term may take too long for one write.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// The next term has to be found.
    Choosing,
    /// Its lists are read.
    Reading { input: usize, block: usize },
    /// Its new list is written.
    Writing { row: usize },
}

#[derive(Debug)]
struct Input {
    segment: Arc<Segment>,
    /// The new slot of each slot.
    slots: Vec<u32>,
    walk: Walk,
    /// Whether the walk stands at a term.
    is_on: bool,
    /// Whether that is the term at hand.
    has_term: bool,
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
            left += 2 * segment.lengths.total();
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
            stage: Stage::Choosing,
            left,
            found: Found::default(),
        }
    }

    /// How much work is left, in occurrences of terms that are read or written.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    pub(crate) fn has(&self, part: &Part) -> bool {
        self.inputs.iter().any(|input| Arc::ptr_eq(&input.segment, &part.segment))
    }

    /// Copies lists until the work is used up. Returns whether all are copied.
    pub(crate) fn run(&mut self, work: &mut u64) -> bool {
        while *work > 0 {
            let done = match self.stage {
                Stage::Choosing => match self.choose() {
                    true => 1,
                    false => return true,
                },
                Stage::Reading { input, block } => self.read(input, block),
                Stage::Writing { row } => self.write(row),
            };
            self.left = self.left.saturating_sub(done);
            *work = work.saturating_sub(done);
        }
        false
    }

    /// Turns to the next term, if there is one.
    fn choose(&mut self) -> bool {
        let on = self.inputs.iter().filter(|input| input.is_on);
        let Some(least) = on.min_by(|a, b| a.order().cmp(&b.order())) else { return false };
        let first_bytes = least.first_bytes;
        self.term.clone_from(&least.walk.term);
        self.found.rows.clear();
        self.found.positions.clear();
        let term = (first_bytes, self.term.as_slice());
        self.inputs.iter_mut().for_each(|input| input.has_term = input.is_on && input.order() == term);
        self.stage = Stage::Reading { input: 0, block: 0 };
        true
    }

    /// Reads a block of the term, or turns to the next input with it. Returns how much work that was.
    fn read(&mut self, at: usize, block: usize) -> u64 {
        let Some(input) = self.inputs.get_mut(at) else { return self.sort() };
        let before = self.found.positions.len();
        self.stage = if input.has_term && input.read(&mut self.block, block, &mut self.found) {
            Stage::Reading { input: at, block: block + 1 }
        } else {
            Stage::Reading { input: at + 1, block: 0 }
        };
        (self.found.positions.len() - before) as u64 + 1
    }

    /// Puts the rows of all inputs in order, and goes on.
    fn sort(&mut self) -> u64 {
        let with_term = self.inputs.iter_mut().filter(|input| input.has_term);
        let lists = with_term.map(Input::advance).count();
        let rows = &mut self.found.rows;
        if lists > 1 {
            rows.sort_by_key(|(slot, ..)| *slot);
        }
        self.stage = Stage::Choosing;
        if !rows.is_empty() {
            self.encoder.begin(rows.len());
            self.stage = Stage::Writing { row: 0 };
        }
        (rows.len() / 8) as u64
    }

    /// Writes some rows of the term, and ends it with the last one. Returns how much work that was.
    fn write(&mut self, row: usize) -> u64 {
        let Found { rows, positions } = &self.found;
        let end = (row + BLOCK).min(rows.len());
        let mut done = 0;
        for (slot, from, to) in &rows[row..end] {
            self.encoder.row(*slot, &positions[*from as usize..*to as usize], &self.lengths);
            done += u64::from(to - from);
        }
        self.stage = Stage::Writing { row: end };
        if end == rows.len() {
            self.encoder.end(&self.term, &self.lengths);
            self.stage = Stage::Choosing;
        }
        done
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
        let mut input =
            Input { segment, slots, walk: Walk::default(), is_on: true, has_term: false, first_bytes: 0 };
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

    /// Reads a block of the list of the term that the walk stands at. Returns whether there was one.
    fn read(&self, block: &mut Block, at: usize, found: &mut Found) -> bool {
        let Segment { lists, lengths, .. } = &*self.segment;
        let list = lists.list(self.walk.list());
        if at >= list.blocks() {
            return false;
        }
        block.load(lists, &list, at);
        block.each(lists, lengths, |slot, own| {
            let new = self.slots[slot as usize];
            if new != GONE {
                let from = found.positions.len() as u32;
                found.positions.extend_from_slice(own);
                found.rows.push((new, from, found.positions.len() as u32));
            }
        });
        true
    }
}
