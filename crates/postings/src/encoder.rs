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
    /// The rows of the term at hand.
    slots: Vec<u32>,
    times: Vec<u32>,
    positions: Vec<u32>,
}

impl Encoder {
    /// Adds a row to the term at hand; slots count up, positions too.
    pub(crate) fn row(&mut self, slot: u32, positions: &[u32]) {
        self.slots.push(slot);
        self.times.push(positions.len() as u32);
        self.positions.extend_from_slice(positions);
    }

    /// Writes the term at hand, unless no row holds it.
    pub(crate) fn end(&mut self, term: &[u8], lengths: &Lengths) {
        if self.slots.is_empty() {
            return;
        }
        let at = self.lists.data.len();
        self.list(lengths);
        self.dictionary.push(&self.last_term, term, at, self.lists.data.len() - at);
        self.last_term.clear();
        self.last_term.extend_from_slice(term);
        self.slots.clear();
        self.times.clear();
        self.positions.clear();
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

    fn list(&mut self, lengths: &Lengths) {
        let Encoder { lists, slots, times, positions, .. } = self;
        push_varint(&mut lists.data, slots.len() as u32);
        let is_long = slots.len() > BLOCK;
        if is_long {
            push_varint(&mut lists.data, lists.lasts.len() as u32);
        }
        let (mut base, mut positions) = (0, positions.as_slice());
        for (slots, times) in slots.chunks(BLOCK).zip(times.chunks(BLOCK)) {
            if is_long {
                lists.note(slots, times, lengths);
            }
            let (own, rest) = positions.split_at(times.iter().sum::<u32>() as usize);
            push_block(&mut lists.data, base, slots, times, own, lengths);
            positions = rest;
            base = slots.last().map_or(base, |last| last + 1);
        }
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
