//! What a leaf of a query is in a part.

use std::ops::Range;

use reflexio_search::Node;

use crate::cursor::Cursor;
use crate::phrase::phrase;
use crate::plan::Share;
use crate::segment::Segment;
use crate::source::Source;

/// With one row to gather for fewer slots than this, counting slot by slot is faster than sorting.
const SLOTS_PER_ROW: usize = 16;

/// The rows of the share's scope that hold the leaf, perhaps among others.
pub(crate) fn source<'a>(share: &Share<'a>, node: &Node) -> Source<'a> {
    let segment = &*share.part.segment;
    match node {
        Node::Term(term) => match segment.dictionary.find(term) {
            Some(list) => Source::Term(Cursor::new(&segment.lists, list)),
            None => Source::NOTHING,
        },
        Node::Prefix(start) => beginning(segment, &segment.dictionary.beginning(start), &share.slots),
        Node::Phrase(terms) => phrase(segment, terms, &share.slots),
        Node::And(_) | Node::Or(_) | Node::Not(..) => Source::NOTHING,
    }
}

/// The rows of any of the lists.
fn beginning<'a>(segment: &'a Segment, lists: &[usize], slots: &Range<usize>) -> Source<'a> {
    if let [list] = lists {
        return Source::Term(Cursor::new(&segment.lists, *list));
    }
    let mut cursors: Vec<Cursor<'_>> = lists.iter().map(|list| Cursor::new(&segment.lists, *list)).collect();
    let most: usize = cursors.iter_mut().map(|cursor| cursor.count(slots, segment.len())).sum();
    if most * SLOTS_PER_ROW < slots.len() {
        sorted(&mut cursors, slots)
    } else {
        counted(&mut cursors, slots)
    }
}

fn sorted<'a>(cursors: &mut [Cursor<'a>], slots: &Range<usize>) -> Source<'a> {
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for cursor in cursors {
        cursor.each(slots, |slot, times| rows.push((slot, times)));
    }
    rows.sort_unstable();
    rows.dedup_by(|next, row| {
        let is_same = next.0 == row.0;
        row.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    Source::Rows(rows)
}

fn counted<'a>(cursors: &mut [Cursor<'a>], slots: &Range<usize>) -> Source<'a> {
    let mut counts = vec![0u32; slots.len()];
    for cursor in cursors {
        cursor.each(slots, |slot, times| counts[slot as usize - slots.start] += times);
    }
    let rows = (slots.start as u32..).zip(counts).filter(|(_, times)| *times > 0);
    Source::Rows(rows.collect())
}
