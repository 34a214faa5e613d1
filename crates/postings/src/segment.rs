//! Rows whose terms never change: their terms, the lists of the terms, and who they are.
//!
//! Rows are sorted by user and id, so that one user's rows are one range of slots.

use std::ops::Range;

use crate::block::{Block, Lists};
use crate::column::Column;
use crate::dictionary::{Dictionary, Walk};
use crate::lengths::Lengths;

/// The most rows of a segment: merging one stays below a second of work, done in slices.
pub(crate) const FULL: usize = 1 << 19;
/// The most terms of a segment, so that places within its lists fit four bytes.
pub(crate) const MOST_TERMS: u64 = 1 << 27;

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) ids: Column,
    /// Slots in the order of their ids; `None` if that is the order of the slots.
    pub(crate) by_id: Option<Column>,
    /// Users in order, each with its first slot.
    pub(crate) users: Vec<(u32, u32)>,
    pub(crate) lengths: Lengths,
    pub(crate) dictionary: Dictionary,
    pub(crate) lists: Lists,
}

impl Segment {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn user_of(&self, slot: usize) -> u32 {
        let after = self.users.partition_point(|(_, start)| *start as usize <= slot);
        self.users.get(after.wrapping_sub(1)).map_or(0, |(user, _)| *user)
    }

    /// The slots of one user.
    pub(crate) fn slots_of(&self, user: u32) -> Range<usize> {
        let Ok(at) = self.users.binary_search_by_key(&user, |(user, _)| *user) else { return 0..0 };
        let end = self.users.get(at + 1).map_or(self.len(), |(_, start)| *start as usize);
        self.users[at].1 as usize..end
    }

    /// The user of each slot.
    pub(crate) fn users(&self) -> impl Iterator<Item = u32> {
        let ends = self.users.iter().skip(1).map(|(_, start)| *start).chain([self.len() as u32]);
        self.users.iter().zip(ends).flat_map(|((user, start), end)| (*start..end).map(|_| *user))
    }

    /// The slot with the `place`th smallest id.
    pub(crate) fn slot_by_id(&self, place: usize) -> usize {
        self.by_id.as_ref().map_or(place, |by_id| by_id.get(place) as usize)
    }

    /// The slot of an id.
    pub(crate) fn find(&self, id: u64) -> Option<usize> {
        let id_at = |place: usize| self.ids.get(self.slot_by_id(place));
        // Most ids that are looked for are new, and greater than all.
        let last = self.len().checked_sub(1)?;
        if id < id_at(0) || id > id_at(last) {
            return None;
        }
        let (mut from, mut to) = (0, last);
        while from < to {
            let middle = usize::midpoint(from, to);
            if id_at(middle) < id { from = middle + 1 } else { to = middle }
        }
        (id_at(from) == id).then(|| self.slot_by_id(from))
    }

    /// The terms of some rows, with spaces between them. Every list is read for it.
    pub(crate) fn texts(&self, slots: &[usize]) -> Vec<String> {
        let mut terms: Vec<Vec<(u32, String)>> = vec![Vec::new(); slots.len()];
        let mut walk = Walk::default();
        let mut block = Block::default();
        while walk.advance(&self.dictionary) {
            let list = self.lists.list(walk.list());
            for at in 0..list.blocks() {
                block.load(&self.lists, &list, at);
                block.each(&self.lists, &self.lengths, |slot, positions| {
                    let Some(row) = slots.iter().position(|asked| *asked == slot as usize) else { return };
                    let term = String::from_utf8_lossy(&walk.term);
                    terms[row]
                        .extend(positions.iter().map(|position| (*position, term.clone().into_owned())));
                });
            }
        }
        let text = |mut terms: Vec<(u32, String)>| {
            terms.sort_unstable();
            terms.into_iter().map(|(_, term)| term).collect::<Vec<_>>().join(" ")
        };
        terms.into_iter().map(text).collect()
    }

    /// Bytes of everything that is neither a list nor a term.
    pub(crate) fn column_bytes(&self) -> usize {
        self.ids.bytes()
            + self.by_id.as_ref().map_or(0, Column::bytes)
            + self.users.capacity() * 8
            + self.lengths.bytes()
            + size_of::<Segment>()
    }
}

/// Users in order, each with its first slot, from the user of each slot.
pub(crate) fn starts(users: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut starts: Vec<(u32, u32)> = Vec::new();
    for (slot, user) in users.enumerate() {
        if starts.last().is_none_or(|(last, _)| *last != user) {
            starts.push((user, slot as u32));
        }
    }
    starts.shrink_to_fit();
    starts
}

/// Slots in the order of their ids, or nothing if that is their order.
pub(crate) fn by_id(ids: &[u64]) -> Option<Column> {
    if ids.is_sorted() {
        return None;
    }
    let mut slots: Vec<u64> = (0..ids.len() as u64).collect();
    // Every user's slots are in order already, which this kind of sort makes use of.
    slots.sort_by_key(|slot| ids[*slot as usize]);
    Some(Column::new(&slots))
}
