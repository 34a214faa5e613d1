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
    let most: usize = lists.iter().map(|list| segment.lists.list(*list).rows).sum();
    let Some(first) = lists.first() else { return Source::NOTHING };
    let mut cursor = Cursor::new(&segment.lists, *first);
    let each = |then: &mut dyn FnMut(u32, u32)| {
        for list in lists {
            cursor.turn_to(*list);
            cursor.each(slots, &mut *then);
        }
    };
    Source::Rows(if most * SLOTS_PER_ROW < slots.len() { sorted(each) } else { counted(each, slots) })
}

fn sorted(mut each: impl FnMut(&mut dyn FnMut(u32, u32))) -> Vec<(u32, u32)> {
    let mut rows: Vec<(u32, u32)> = Vec::new();
    each(&mut |slot, times| rows.push((slot, times)));
    rows.sort_unstable();
    rows.dedup_by(|next, row| {
        let is_same = next.0 == row.0;
        row.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    rows
}

fn counted(mut each: impl FnMut(&mut dyn FnMut(u32, u32)), slots: &Range<usize>) -> Vec<(u32, u32)> {
    let mut counts = vec![0u32; slots.len()];
    each(&mut |slot, times| counts[slot as usize - slots.start] += times);
    (slots.start as u32..).zip(counts).filter(|(_, times)| *times > 0).collect()
}
