//! The terms of a segment in order, each told by what it does not share with the one before it, and where the list
//! of each begins.

use std::cmp::Ordering;

use crate::bytes::{push_varint, varint};

/// One term of so many is written out.
const GROUP: usize = 16;
/// Four bits that stand for "this or more: the rest follows".
const MORE: usize = 15;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Dictionary {
    pub(crate) data: Vec<u8>,
    /// Where each group begins, and where the list of its first term does.
    pub(crate) groups: Vec<u32>,
    pub(crate) lists: Vec<u32>,
    pub(crate) terms: usize,
}

impl Dictionary {
    /// Adds a term that is greater than all before it, of which `last` is the greatest, with its list.
    pub(crate) fn push(&mut self, last: &[u8], term: &[u8], list_at: usize, list_bytes: usize) {
        let mut shared = 0;
        if self.terms.is_multiple_of(GROUP) {
            self.groups.push(self.data.len() as u32);
            self.lists.push(list_at as u32);
        } else {
            shared = last.iter().zip(term).take_while(|(a, b)| a == b).count();
        }
        let rest = term.len() - shared;
        self.data.push((shared.min(MORE) << 4 | rest.min(MORE)) as u8);
        for number in [shared, rest] {
            if let Some(more) = number.checked_sub(MORE) {
                push_varint(&mut self.data, more as u32);
            }
        }
        self.data.extend_from_slice(&term[shared..]);
        push_varint(&mut self.data, list_bytes as u32);
        self.terms += 1;
    }

    /// Where the list of a term begins.
    pub(crate) fn find(&self, term: &str) -> Option<usize> {
        self.from(term.as_bytes()).filter(|walk| walk.term == term.as_bytes()).map(|walk| walk.list())
    }

    /// Where the lists of the terms begin that begin so.
    pub(crate) fn beginning(&self, start: &str) -> Vec<usize> {
        let mut lists = Vec::new();
        let Some(mut walk) = self.from(start.as_bytes()) else { return lists };
        while walk.term.starts_with(start.as_bytes()) {
            lists.push(walk.list());
            if !walk.advance(self) {
                break;
            }
        }
        lists
    }

    /// A walk that stands at the first term that is not less.
    fn from(&self, term: &[u8]) -> Option<Walk> {
        let group = self.groups.partition_point(|at| self.compare_head(*at as usize, term).is_lt());
        // The heads from `group` on are not less: it is that head, or a term of the group before.
        let mut walk = Walk::at_group(self, group.saturating_sub(1));
        while walk.advance(self) {
            if walk.term.as_slice() >= term {
                return Some(walk);
            }
        }
        None
    }

    fn compare_head(&self, at: usize, term: &[u8]) -> Ordering {
        let (_, rest, at) = self.entry(at);
        self.data.get(at..at + rest).unwrap_or_default().cmp(term)
    }

    /// How much a term shares with the one before it, how long the rest is, and where that begins.
    fn entry(&self, at: usize) -> (usize, usize, usize) {
        let both = usize::from(self.data.get(at).copied().unwrap_or_default());
        let (mut shared, mut rest, mut at) = (both >> 4, both & MORE, at + 1);
        for number in [&mut shared, &mut rest] {
            if *number == MORE {
                let (more, after) = varint(&self.data, at);
                *number += more as usize;
                at = after;
            }
        }
        (shared, rest, at)
    }

    /// Whether its groups are as many as its terms need.
    pub(crate) fn is_whole(&self) -> bool {
        self.groups.len() == self.terms.div_ceil(GROUP) && self.lists.len() == self.groups.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.data.capacity() + (self.groups.capacity() + self.lists.capacity()) * 4
    }

    pub(crate) fn shrink(&mut self) {
        self.data.shrink_to_fit();
        self.groups.shrink_to_fit();
        self.lists.shrink_to_fit();
    }
}

/// A walk over the terms; it owns what it knows, so that it can pause.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    next: usize,
    at: usize,
    list: usize,
    list_bytes: usize,
    pub(crate) term: Vec<u8>,
}

impl Walk {
    fn at_group(dictionary: &Dictionary, group: usize) -> Walk {
        let at = dictionary.groups.get(group).map_or(0, |at| *at as usize);
        let list = dictionary.lists.get(group).map_or(0, |at| *at as usize);
        Walk { next: group * GROUP, at, list, ..Walk::default() }
    }

    /// Where the list of the term begins that it stands at.
    pub(crate) fn list(&self) -> usize {
        self.list
    }

    /// Goes to the next term, if there is one.
    pub(crate) fn advance(&mut self, dictionary: &Dictionary) -> bool {
        if self.next >= dictionary.terms {
            return false;
        }
        let (shared, rest, at) = dictionary.entry(self.at);
        self.term.truncate(shared);
        self.term.extend_from_slice(dictionary.data.get(at..at + rest).unwrap_or_default());
        self.list += self.list_bytes;
        let (list_bytes, at) = varint(&dictionary.data, at + rest);
        self.list_bytes = list_bytes as usize;
        self.at = at;
        self.next += 1;
        true
    }
}

/// The first bytes of a term as a number of the same order: it settles nearly every comparison without a look at
/// the text.
pub(crate) fn first_bytes(term: &[u8]) -> u64 {
    if let Some(bytes) = term.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(term).for_each(|(own, byte)| *own = *byte);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn terms_are_found_and_so_are_those_that_begin_alike(
            terms in prop::collection::btree_set("[abé東]{1,6}|[a-c]{1,4}|z{100,400}", 0..120), asked in "[abé東]{1,3}|[a-c]{1,4}|z{1,200}",
        ) {
            let mut dictionary = Dictionary::default();
            let mut last: &[u8] = &[];
            let places: Vec<(usize, &String)> = (0..).map(|at: usize| at * 300).zip(&terms).collect();
            for (place, term) in &places {
                dictionary.push(last, term.as_bytes(), *place, 300);
                last = term.as_bytes();
            }
            for (place, term) in &places {
                prop_assert_eq!(dictionary.find(term), Some(*place));
            }
            let place = places.iter().find(|(_, term)| **term == asked).map(|(place, _)| *place);
            prop_assert_eq!(dictionary.find(&asked), place);
            let beginning = places.iter().filter(|(_, term)| term.starts_with(&asked)).map(|(place, _)| *place);
            prop_assert_eq!(dictionary.beginning(&asked), beginning.collect::<Vec<_>>());
            let mut walk = Walk::default();
            let mut walked = Vec::new();
            while walk.advance(&dictionary) {
                walked.push(String::from_utf8(walk.term.clone()).unwrap());
            }
            prop_assert!(walked.iter().eq(&terms));
        }
    }
}
