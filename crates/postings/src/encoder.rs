//! Writes the terms of a segment and their lists, term by term in order.

use crate::bits::{BLOCK, BitWriter, PADDING, width};
use crate::block::{Lists, header, position_width};
use crate::bm25::impact;
use crate::bytes::push_varint;
use crate::dictionary::Dictionary;
use crate::lengths::Lengths;

#[derive(Debug, Default)]
pub(crate) struct Encoder {
    dictionary: Dictionary,
    lists: Lists,
    last_term: Vec<u8>,
    /// Where the list of the term at hand begins, whether it is long, and the first slot that is not written yet.
    list_at: usize,
    is_long: bool,
    base: u32,
    /// The rows of its last block.
    slots: Vec<u32>,
    times: Vec<u32>,
    positions: Vec<u32>,
}

impl Encoder {
    /// Begins a term that so many rows hold, at least one.
    pub(crate) fn begin(&mut self, rows: usize) {
        let data = &mut self.lists.data;
        (self.list_at, self.is_long, self.base) = (data.len(), rows > BLOCK, 0);
        push_varint(data, rows as u32);
        if self.is_long {
            push_varint(data, self.lists.lasts.len() as u32);
        }
    }

    /// Adds a row to the term; slots count up, positions too.
    pub(crate) fn row(&mut self, slot: u32, positions: &[u32], lengths: &Lengths) {
        self.slots.push(slot);
        self.times.push(positions.len() as u32);
        self.positions.extend_from_slice(positions);
        if self.slots.len() == BLOCK {
            self.block(lengths);
        }
    }

    pub(crate) fn end(&mut self, term: &[u8], lengths: &Lengths) {
        self.block(lengths);
        let bytes = self.lists.data.len() - self.list_at;
        self.dictionary.push(&self.last_term, term, self.list_at, bytes);
        self.last_term.clear();
        self.last_term.extend_from_slice(term);
    }

    pub(crate) fn finish(mut self) -> (Dictionary, Lists) {
        self.lists.data.extend([0; PADDING]);
        self.dictionary.shrink();
        let Lists { data, lasts, offsets, impacts } = &mut self.lists;
        data.shrink_to_fit();
        lasts.shrink_to_fit();
        offsets.shrink_to_fit();
        impacts.shrink_to_fit();
        (self.dictionary, self.lists)
    }

    /// Writes the rows at hand as a block.
    fn block(&mut self, lengths: &Lengths) {
        let Encoder { lists, slots, times, positions, base, .. } = self;
        let Some(last) = slots.last() else { return };
        if self.is_long {
            lists.note(slots, times, lengths);
        }
        push_block(&mut lists.data, *base, slots, times, positions, lengths);
        *base = last + 1;
        slots.clear();
        times.clear();
        positions.clear();
    }
}

impl Lists {
    /// Enters a block into the directory.
    fn note(&mut self, slots: &[u32], times: &[u32], lengths: &Lengths) {
        let average = lengths.average();
        let impacts =
            slots.iter().zip(times).map(|(slot, times)| impact(*times, lengths.get(*slot as usize), average));
        self.impacts.push(impacts.max().unwrap_or_default());
        self.lasts.extend(slots.last());
        self.offsets.push(self.data.len() as u32);
    }
}

fn push_block(
    to: &mut Vec<u8>,
    base: u32,
    slots: &[u32],
    times: &[u32],
    positions: &[u32],
    lengths: &Lengths,
) {
    let distances = || {
        slots.iter().scan(base, |next, slot| {
            let distance = slot - *next;
            *next = slot + 1;
            Some(distance)
        })
    };
    let slot_width = width(distances().fold(0, |all, distance| all | distance));
    let times_width = width(times.iter().fold(0, |all, times| all | (times - 1)));
    let (header, times_width) = header(slot_width, times_width);
    to.push(header);
    let mut writer = BitWriter::new(to);
    distances().for_each(|distance| writer.push(distance, slot_width));
    if times_width > 0 {
        times.iter().for_each(|times| writer.push(times - 1, times_width));
    }
    let mut positions = positions.iter();
    for (slot, times) in slots.iter().zip(times) {
        let width = position_width(lengths.get(*slot as usize));
        positions.by_ref().take(*times as usize).for_each(|position| writer.push(*position, width));
    }
    writer.finish();
}
