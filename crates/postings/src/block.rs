//! The lists of a segment: for each term the rows that hold it, how often, and where.
//!
//! A list is the number of its rows, for more than one block the place of its first block in the directory, and
//! its blocks. A block is a byte with two widths, then the distances between slots, the repetitions, and the positions, each as
//! a stream of bits. A position takes as many bits as the row's length needs, so that short rows cost little.

use std::ops::Range;

use crate::bits::{self, BLOCK, read, unpack};
use crate::bytes::varint;
use crate::lengths::Lengths;

/// The two widths.
const HEADER: usize = 1;
/// Three bits for the width of repetitions: these, or all 32 bits.
const MOST_TIMES_WIDTH: u32 = 6;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Lists {
    pub(crate) data: Vec<u8>,
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
    /// The list that begins there.
    pub(crate) fn list(&self, at: usize) -> List {
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
        self.data.capacity() + (self.lasts.capacity() + self.offsets.capacity()) * 4 + self.impacts.capacity()
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
    /// How many bits after that the positions of each row begin; empty until somebody asks.
    position_starts: Vec<u32>,
    /// Room for the positions of a row.
    scratch: Vec<u32>,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            rows: 0,
            slots: [0; BLOCK],
            times: [0; BLOCK],
            positions: 0,
            position_starts: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl Block {
    pub(crate) fn load(&mut self, lists: &Lists, list: &List, block: usize) {
        let Place { at, base, rows } = lists.place(list, block);
        let Some(header) = lists.data.get(at) else {
            self.rows = 0;
            return;
        };
        let (slot_width, times_width) = widths(*header);
        self.rows = rows;
        let bits = [slot_width, times_width].map(|width| rows * width as usize);
        let times_at = (at + HEADER) * 8 + bits[0];
        unpack(&lists.data[at + HEADER..], slot_width, &mut self.slots[..rows]);
        let mut next = base;
        for slot in &mut self.slots[..rows] {
            *slot += next;
            next = *slot + 1;
        }
        self.load_times(lists, times_at, times_width);
        self.positions = times_at + bits[1];
        self.position_starts.clear();
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
    pub(crate) fn push_positions(&mut self, lists: &Lists, lengths: &Lengths, row: usize, to: &mut Vec<u32>) {
        if self.position_starts.is_empty() {
            let bits = |(slot, times): (&u32, &u32)| *times * position_width(lengths.get(*slot as usize));
            let bits = self.slots[..self.rows].iter().zip(&self.times).map(bits);
            self.position_starts
                .extend(bits.scan(0, |next, bits| Some(std::mem::replace(next, *next + bits))));
        }
        let bit = self.positions + self.position_starts[row] as usize;
        let width = position_width(lengths.get(self.slots[row] as usize));
        to.extend((0..self.times[row]).map(|time| read(&lists.data, bit + (time * width) as usize, width)));
    }

    /// Slot, and positions, of each of its rows.
    pub(crate) fn each(&mut self, lists: &Lists, lengths: &Lengths, mut then: impl FnMut(u32, &[u32])) {
        let mut bit = self.positions;
        let mut positions = std::mem::take(&mut self.scratch);
        for (slot, times) in self.slots().iter().zip(self.times()) {
            let width = position_width(lengths.get(*slot as usize));
            positions.clear();
            for _ in 0..*times {
                positions.push(read(&lists.data, bit, width));
                bit += width as usize;
            }
            then(*slot, &positions);
        }
        self.scratch = positions;
    }
}

/// The byte that begins a block, and the width that repetitions get.
pub(crate) fn header(slot_width: u32, times_width: u32) -> (u8, u32) {
    if times_width <= MOST_TIMES_WIDTH {
        ((slot_width << 3 | times_width) as u8, times_width)
    } else {
        ((slot_width << 3 | (MOST_TIMES_WIDTH + 1)) as u8, 32)
    }
}

fn widths(header: u8) -> (u32, u32) {
    let (slot_width, times_width) = (u32::from(header >> 3), u32::from(header & 7));
    (slot_width, if times_width <= MOST_TIMES_WIDTH { times_width } else { 32 })
}

/// The bits of a position in a row of this length.
pub(crate) fn position_width(length: u32) -> u32 {
    bits::width(length.saturating_sub(1))
}
