//! The terms of a segment in order, each told by what it does not share with the one before it.
//!
//! The place of a term in this order is its number: the terms that begin alike are a range of numbers.

use std::cmp::Ordering;
use std::ops::Range;

use crate::bytes::{push_varint, varint};

/// One term of so many is written out.
const GROUP: usize = 16;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Dictionary {
    pub(crate) data: Vec<u8>,
    /// Where each group begins.
    pub(crate) groups: Vec<u32>,
    pub(crate) terms: usize,
}

impl Dictionary {
    /// Adds a term that is greater than all before it. `last` is the one before.
    pub(crate) fn push(&mut self, last: &[u8], term: &[u8]) {
        let mut shared = 0;
        if self.terms.is_multiple_of(GROUP) {
            self.groups.push(self.data.len() as u32);
        } else {
            shared = last.iter().zip(term).take_while(|(a, b)| a == b).count();
            push_varint(&mut self.data, shared as u32);
        }
        push_varint(&mut self.data, (term.len() - shared) as u32);
        self.data.extend_from_slice(&term[shared..]);
        self.terms += 1;
    }

    /// The number of a term.
    pub(crate) fn find(&self, term: &str) -> Option<usize> {
        let (number, is_it) = self.lower_bound(|own| own.cmp(term.as_bytes()));
        is_it.then_some(number)
    }

    /// The numbers of the terms that begin so.
    pub(crate) fn beginning(&self, start: &str) -> Range<usize> {
        let start = start.as_bytes();
        let cut = |own: &[u8]| own[..own.len().min(start.len())].cmp(start);
        let first = self.lower_bound(|own| own.cmp(start)).0;
        let after = self.lower_bound(|own| if cut(own).is_gt() { Ordering::Greater } else { Ordering::Less });
        first..after.0
    }

    /// The first term that is not less, and whether it is equal.
    fn lower_bound(&self, compare: impl Fn(&[u8]) -> Ordering) -> (usize, bool) {
        let group = self.groups.partition_point(|at| compare(self.head(*at as usize)).is_lt());
        // The heads from `group` on are not less: it is that head, or a term of the group before.
        let mut walk = Walk::at_group(self, group.saturating_sub(1));
        while walk.advance(self) {
            let order = compare(&walk.term);
            if order.is_ge() {
                return (walk.number(), order.is_eq());
            }
        }
        (self.terms, false)
    }

    fn head(&self, at: usize) -> &[u8] {
        let (length, at) = varint(&self.data, at);
        self.data.get(at..at + length as usize).unwrap_or_default()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.data.capacity() + self.groups.capacity() * 4
    }

    pub(crate) fn shrink(&mut self) {
        self.data.shrink_to_fit();
        self.groups.shrink_to_fit();
    }
}

/// A walk over the terms; it owns what it knows, so that it can pause.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    next: usize,
    at: usize,
    pub(crate) term: Vec<u8>,
}

impl Walk {
    fn at_group(dictionary: &Dictionary, group: usize) -> Walk {
        let at = dictionary.groups.get(group).map_or(0, |at| *at as usize);
        Walk { next: group * GROUP, at, term: Vec::new() }
    }

    /// The number of the term it stands at.
    pub(crate) fn number(&self) -> usize {
        self.next.saturating_sub(1)
    }

    /// Goes to the next term, if there is one.
    pub(crate) fn advance(&mut self, dictionary: &Dictionary) -> bool {
        if self.next >= dictionary.terms {
            return false;
        }
        let (mut shared, mut at) = (0, self.at);
        if !self.next.is_multiple_of(GROUP) {
            (shared, at) = varint(&dictionary.data, at);
        }
        let (length, at) = varint(&dictionary.data, at);
        self.term.truncate(shared as usize);
        self.term.extend_from_slice(dictionary.data.get(at..at + length as usize).unwrap_or_default());
        self.at = at + length as usize;
        self.next += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn terms_are_found_and_those_that_begin_alike_are_a_range(
            terms in prop::collection::btree_set("[abé東]{1,6}|[a-c]{1,4}|z{100,400}", 0..120), asked in "[abé東]{1,3}|[a-c]{1,4}|z{1,200}",
        ) {
            let mut dictionary = Dictionary::default();
            let mut last: &[u8] = &[];
            for term in &terms {
                dictionary.push(last, term.as_bytes());
                last = term.as_bytes();
            }
            for (number, term) in terms.iter().enumerate() {
                prop_assert_eq!(dictionary.find(term), Some(number));
            }
            let place = terms.iter().position(|term| *term == asked);
            prop_assert_eq!(dictionary.find(&asked), place);
            let beginning: BTreeSet<usize> = (0..).zip(&terms).filter(|(_, term)| term.starts_with(&asked)).map(|(number, _)| number).collect();
            prop_assert_eq!(dictionary.beginning(&asked).collect::<BTreeSet<_>>(), beginning);
            let mut walk = Walk::default();
            let mut walked = Vec::new();
            while walk.advance(&dictionary) {
                walked.push(String::from_utf8(walk.term.clone()).unwrap());
            }
            prop_assert!(walked.iter().eq(&terms));
        }
    }
}
