//! The lists of a segment: for each term the rows that hold it, how often, and where.
//!
//! A list is the number of its rows, for more than one block the place of its first block in the directory, and
//! its blocks. A block is two widths, then the distances between slots, the repetitions, and the positions, each as
//! a stream of bits. A position takes as many bits as the row's length needs, so that short rows cost little.

use std::ops::Range;

use crate::bits::{self, BLOCK, read, unpack};
use crate::bytes::varint;
use crate::lengths::Lengths;

/// The two widths.
pub(crate) const HEADER: usize = 2;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Lists {
    pub(crate) data: Vec<u8>,
    /// Where the list of each term begins.
    pub(crate) starts: Vec<u32>,
    /// The directory of the blocks of long lists: last slot, where it begins, and the impact of its best row.
    pub(crate) lasts: Vec<u32>,
    pub(crate) offsets: Vec<u32>,
    pub(crate) impacts: Vec<u8>,
}

/// Where a list lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    pub(crate) rows: usize,
    /// The place of its first block in the directory, if it has more than one.
    directory: Option<usize>,
    /// Where its first block begins.
    at: usize,
}

/// Where a block lies.
struct Place {
    at: usize,
    /// The first slot that it may hold.
    base: u32,
    rows: usize,
}

impl Lists {
    pub(crate) fn list(&self, term: usize) -> List {
        let at = self.starts.get(term).map_or(usize::MAX - 64, |at| *at as usize);
        let (rows, at) = varint(&self.data, at);
        let rows = rows as usize;
        if rows <= BLOCK {
            return List { rows, directory: None, at };
        }
        let (first, at) = varint(&self.data, at);
        List { rows, directory: Some(first as usize), at }
    }

    fn place(&self, list: &List, block: usize) -> Place {
        let rows = (list.rows - block * BLOCK).min(BLOCK);
        match list.directory {
            None => Place { at: list.at, base: 0, rows },
            Some(first) => {
                let base = if block == 0 { 0 } else { self.lasts[first + block - 1] + 1 };
                Place { at: self.offsets[first + block] as usize, base, rows }
            }
        }
    }

    /// The last slot of each block of a long list; nothing for a short one.
    pub(crate) fn lasts(&self, list: &List) -> &[u32] {
        self.lasts.get(list.directory_range()).unwrap_or_default()
    }

    pub(crate) fn impacts(&self, list: &List) -> &[u8] {
        self.impacts.get(list.directory_range()).unwrap_or_default()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.data.capacity()
            + (self.starts.capacity() + self.lasts.capacity() + self.offsets.capacity()) * 4
            + self.impacts.capacity()
    }
}

impl List {
    pub(crate) fn blocks(&self) -> usize {
        self.rows.div_ceil(BLOCK)
    }

    fn directory_range(&self) -> Range<usize> {
        self.directory.map_or(0..0, |first| first..first + self.blocks())
    }
}

/// A block that was unpacked.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) rows: usize,
    slots: [u32; BLOCK],
    times: [u32; BLOCK],
    /// The bit at which positions begin.
    positions: usize,
}

impl Default for Block {
    fn default() -> Block {
        Block { rows: 0, slots: [0; BLOCK], times: [0; BLOCK], positions: 0 }
    }
}

impl Block {
    pub(crate) fn load(&mut self, lists: &Lists, list: &List, block: usize) {
        let Place { at, base, rows } = lists.place(list, block);
        let Some([slot_width, times_width]) =
            lists.data.get(at..).and_then(|rest| rest.first_chunk()).copied()
        else {
            self.rows = 0;
            return;
        };
        self.rows = rows;
        let bits = [slot_width, times_width].map(|width| rows * usize::from(width));
        let times_at = (at + HEADER) * 8 + bits[0];
        unpack(&lists.data[at + HEADER..], u32::from(slot_width), &mut self.slots[..rows]);
        let mut next = base;
        for slot in &mut self.slots[..rows] {
            *slot += next;
            next = *slot + 1;
        }
        self.load_times(lists, times_at, u32::from(times_width));
        self.positions = times_at + bits[1];
    }

    fn load_times(&mut self, lists: &Lists, at: usize, width: u32) {
        let times = &mut self.times[..self.rows];
        if width == 0 {
            times.fill(1);
        } else if at.is_multiple_of(8) {
            unpack(&lists.data[at / 8..], width, times);
            times.iter_mut().for_each(|times| *times += 1);
        } else {
            let bits = (at..).step_by(width as usize);
            times.iter_mut().zip(bits).for_each(|(times, bit)| *times = 1 + read(&lists.data, bit, width));
        }
    }

    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots[..self.rows]
    }

    pub(crate) fn times(&self) -> &[u32] {
        &self.times[..self.rows]
    }

    /// Appends the positions of one of its rows.
    pub(crate) fn push_positions(&self, lists: &Lists, lengths: &Lengths, row: usize, to: &mut Vec<u32>) {
        let mut bit = self.positions;
        for (slot, times) in self.slots[..row].iter().zip(&self.times) {
            bit += (*times * position_width(lengths.get(*slot as usize))) as usize;
        }
        let width = position_width(lengths.get(self.slots[row] as usize));
        to.extend((0..self.times[row]).map(|time| read(&lists.data, bit + (time * width) as usize, width)));
    }

    /// Slot, and positions, of each of its rows.
    pub(crate) fn each(&self, lists: &Lists, lengths: &Lengths, mut then: impl FnMut(u32, &[u32])) {
        let mut bit = self.positions;
        let mut positions = Vec::new();
        for (slot, times) in self.slots().iter().zip(self.times()) {
            let width = position_width(lengths.get(*slot as usize));
            positions.clear();
            for _ in 0..*times {
                positions.push(read(&lists.data, bit, width));
                bit += width as usize;
            }
            then(*slot, &positions);
        }
    }
}

/// The bits of a position in a row of this length.
pub(crate) fn position_width(length: u32) -> u32 {
    bits::width(length.saturating_sub(1))
}
