//! Reading one list: the rows of a range, or whether a row is there, forwards or backwards.

use std::ops::Range;

use crate::block::{Block, List, Lists};
use crate::lengths::Lengths;

/// Looking up a row in a list takes as long as reading this many rows of it.
pub(crate) const ROWS_PER_LOOKUP: usize = 24;

/// No block of a list has this number.
const NONE: usize = usize::MAX;

#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    lists: &'a Lists,
    list: List,
    lasts: &'a [u32],
    impacts: &'a [u8],
    /// The block that is unpacked.
    loaded: usize,
    /// The row of it that was last asked for.
    row: usize,
    block: Box<Block>,
}

impl<'a> Cursor<'a> {
    /// For the list that begins there.
    pub(crate) fn new(lists: &'a Lists, at: usize) -> Cursor<'a> {
        let list = lists.list(at);
        let (lasts, impacts) = (lists.lasts(&list), lists.impacts(&list));
        Cursor { lists, list, lasts, impacts, loaded: NONE, row: 0, block: Box::default() }
    }

    /// The same cursor for another list.
    pub(crate) fn turn_to(&mut self, at: usize) {
        self.list = self.lists.list(at);
        (self.lasts, self.impacts) = (self.lists.lasts(&self.list), self.lists.impacts(&self.list));
        self.loaded = NONE;
    }

    /// How many rows hold the term.
    pub(crate) fn rows(&self) -> usize {
        self.list.rows
    }

    /// Slot and repetitions of each row of a range, in order.
    #[inline]
    pub(crate) fn each(&mut self, slots: &Range<usize>, mut then: impl FnMut(u32, u32)) {
        let (start, end) = (slots.start as u32, slots.end as u32);
        for block in self.block_of(start)..self.list.blocks() {
            self.load(block);
            let own = self.block.slots();
            let from = if own.first().is_some_and(|first| *first >= start) {
                0
            } else {
                own.partition_point(|slot| *slot < start)
            };
            let is_last = own.last().is_none_or(|last| *last >= end);
            let to = if is_last { own.partition_point(|slot| *slot < end) } else { own.len() };
            for (slot, times) in own[from..to.max(from)].iter().zip(&self.block.times()[from..]) {
                then(*slot, *times);
            }
            if is_last {
                return;
            }
        }
    }

    /// How often a row holds the term.
    pub(crate) fn times(&mut self, slot: u32) -> u32 {
        self.seek(slot).map_or(0, |row| self.block.times()[row])
    }

    /// Appends the positions of the term in a row.
    pub(crate) fn push_positions(&mut self, lengths: &Lengths, slot: u32, to: &mut Vec<u32>) {
        if let Some(row) = self.seek(slot) {
            self.block.push_positions(self.lists, lengths, row, to);
        }
    }

    /// How many rows of a range hold the term. Only the blocks at its ends are read.
    pub(crate) fn count(&mut self, slots: &Range<usize>, len: usize) -> usize {
        if *slots == (0..len) {
            return self.list.rows;
        }
        self.before(slots.end as u32).saturating_sub(self.before(slots.start as u32))
    }

    /// The greatest impact among the blocks of a long list that reach into a range.
    pub(crate) fn impact(&self, slots: &Range<usize>) -> Option<u8> {
        let first = self.block_of(slots.start as u32);
        let after =
            self.lasts[first.min(self.lasts.len())..].partition_point(|last| (*last as usize) < slots.end);
        let last = (first + after).min(self.impacts.len().checked_sub(1)?);
        self.impacts.get(first..=last)?.iter().copied().max()
    }

    fn before(&mut self, slot: u32) -> usize {
        let block = self.block_of(slot);
        if block >= self.list.blocks() {
            return self.list.rows;
        }
        self.load(block);
        block * crate::bits::BLOCK + self.block.slots().partition_point(|own| *own < slot)
    }

    fn seek(&mut self, slot: u32) -> Option<usize> {
        let block = self.block_of(slot);
        if block >= self.list.blocks() {
            return None;
        }
        self.load(block);
        let row = self.row_from(slot);
        self.row = row;
        (self.block.slots().get(row) == Some(&slot)).then_some(row)
    }

    /// The first row of the block that is not before a slot. Rows are mostly asked for in order, so that it is near
    /// the last one.
    fn row_from(&self, slot: u32) -> usize {
        let own = self.block.slots();
        let mut from = if own.get(self.row).is_some_and(|at| *at <= slot) { self.row } else { 0 };
        let mut step = 1;
        while own.get(from + step).is_some_and(|at| *at <= slot) {
            from += step;
            step *= 2;
        }
        let to = (from + step).min(own.len());
        from + own[from..to].partition_point(|at| *at < slot)
    }

    /// The first block that ends at a slot or after it.
    fn block_of(&self, slot: u32) -> usize {
        // Usually it is the one at hand or the next.
        let near = if self.loaded == NONE { 0 } else { self.loaded };
        let starts_before = near == 0 || self.lasts.get(near - 1).is_some_and(|last| *last < slot);
        if !starts_before {
            return self.lasts.partition_point(|last| *last < slot);
        }
        match self.lasts.get(near..) {
            Some([last, ..]) if *last >= slot => near,
            Some([_, last, ..]) if *last >= slot => near + 1,
            Some(rest) => near + rest.partition_point(|last| *last < slot),
            None => near,
        }
    }

    fn load(&mut self, block: usize) {
        if self.loaded != block {
            self.block.load(self.lists, &self.list, block);
            self.loaded = block;
            self.row = 0;
        }
    }
}
