//! Rows as they come in, on their way into a segment.

use std::collections::HashMap;

use reflexio_vectors::time_key;

use crate::block::Lists;
use crate::column::Column;
use crate::dictionary::{Dictionary, first_bytes};
use crate::encoder::Encoder;
use crate::index::Row;
use crate::labels::{Facet, Facets, LabelColumns};
use crate::lengths::Lengths;
use crate::part::Part;
use crate::segment::{FULL, MOST_TERMS, Segment, by_id, starts};

/// Parts with these rows, as few as possible. No id is there twice.
pub(crate) fn parts(rows: &[&Row<'_>]) -> Vec<Part> {
    let mut rows = rows.to_vec();
    rows.sort_unstable_by_key(|row| (row.labels.user, row.id));
    let mut rest = rows.as_slice();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (own, others) = rest.split_at(fitting(rest));
        parts.push(part(own));
        rest = others;
    }
    parts
}

/// How many of the rows, and at least one, fit a segment.
fn fitting(rows: &[&Row<'_>]) -> usize {
    // A term and its space take two bytes at least.
    let mut bytes = 0;
    let fits = |row: &&&Row<'_>| {
        bytes += row.terms.len() as u64;
        bytes / 2 < MOST_TERMS
    };
    rows.iter().take(FULL).take_while(fits).count().max(1)
}

fn part(rows: &[&Row<'_>]) -> Part {
    let tokens = Tokens::read(rows);
    let lengths = Lengths::new(tokens.lengths.iter().copied());
    let (dictionary, lists) = tokens.encode(&lengths);
    let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
    let by_id = by_id(&ids);
    let users = starts(rows.iter().map(|row| row.labels.user));
    let mut facets = Facets::default();
    let facet_of: Vec<u64> = rows.iter().map(|row| u64::from(facets.place(Facet::of(&row.labels)))).collect();
    let times: Vec<u64> = rows.iter().map(|row| time_key(row.labels.time)).collect();
    let labels = LabelColumns::new(Column::new(&times), Column::new(&facet_of), facets.finish());
    Part::new(Segment { ids: Column::new(&ids), by_id, users, lengths, dictionary, lists }, labels)
}

/// The terms of rows as numbers, in the order in which they were first seen.
#[derive(Default)]
struct Tokens<'a> {
    terms: Vec<&'a str>,
    /// How often each term occurs.
    counts: Vec<u32>,
    /// All terms of all rows, row by row.
    sequence: Vec<u32>,
    lengths: Vec<u32>,
}

impl<'a> Tokens<'a> {
    fn read(rows: &[&Row<'a>]) -> Tokens<'a> {
        let mut tokens = Tokens::default();
        let mut known: HashMap<&str, u32> = HashMap::new();
        for row in rows {
            let before = tokens.sequence.len();
            for term in row.terms.split_ascii_whitespace() {
                let number = *known.entry(term).or_insert_with(|| {
                    tokens.terms.push(term);
                    tokens.counts.push(0);
                    tokens.terms.len() as u32 - 1
                });
                tokens.counts[number as usize] += 1;
                tokens.sequence.push(number);
            }
            tokens.lengths.push((tokens.sequence.len() - before) as u32);
        }
        tokens
    }

    fn encode(&self, lengths: &Lengths) -> (Dictionary, Lists) {
        let order = self.order();
        let occurrences = self.by_term(&order);
        let mut encoder = Encoder::default();
        let mut rest = occurrences.as_slice();
        let mut positions = Vec::new();
        for term in order {
            let (own, others) = rest.split_at(self.counts[term as usize] as usize);
            let rows = || own.chunk_by(|a, b| a.0 == b.0);
            encoder.begin(rows().count());
            for row in rows() {
                positions.clear();
                positions.extend(row.iter().map(|(_, position)| *position));
                encoder.row(row[0].0, &positions, lengths);
            }
            encoder.end(self.terms[term as usize].as_bytes(), lengths);
            rest = others;
        }
        encoder.finish()
    }

    /// The terms in order.
    fn order(&self) -> Vec<u32> {
        let mut keys: Vec<(u64, u32)> =
            self.terms.iter().map(|term| first_bytes(term.as_bytes())).zip(0..).collect();
        keys.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| self.terms[a.1 as usize].cmp(self.terms[b.1 as usize]))
        });
        keys.into_iter().map(|(_, term)| term).collect()
    }

    /// Slot and position of every occurrence, term by term in the order given, in order of slot and position.
    fn by_term(&self, order: &[u32]) -> Vec<(u32, u32)> {
        let mut next = vec![0; self.terms.len()];
        let mut start = 0;
        for term in order {
            next[*term as usize] = start;
            start += self.counts[*term as usize] as usize;
        }
        let mut occurrences = vec![(0, 0); self.sequence.len()];
        let mut rest = self.sequence.as_slice();
        for (slot, length) in (0..).zip(&self.lengths) {
            let (own, others) = rest.split_at(*length as usize);
            for (position, term) in (0..).zip(own) {
                let place = &mut next[*term as usize];
                occurrences[*place] = (slot, position);
                *place += 1;
            }
            rest = others;
        }
        occurrences
    }
}
