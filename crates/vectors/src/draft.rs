//! Rows on their way into segments: coded, not yet sorted.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::centre::Centre;
use crate::code::{Codes, Shape};
use crate::row::{Facet, Labels, Row};
use crate::segment::Segment;

/// The most rows of a segment: slots and facets fit two bytes, and copying one stays in the milliseconds.
pub(crate) const FULL: usize = 1 << 16;

/// Fewer rows than this are not worth a second thread.
const ROWS_PER_THREAD: usize = 512;

pub(crate) struct Draft {
    pub(crate) shape: Shape,
    pub(crate) centre: Arc<Centre>,
    pub(crate) rows: Vec<DraftRow>,
    pub(crate) facets: Vec<Facet>,
    known: HashMap<Facet, u32>,
    pub(crate) codes: Codes,
}

#[derive(Clone, Copy)]
pub(crate) struct DraftRow {
    pub(crate) user: u32,
    pub(crate) facet: u32,
    pub(crate) id: u64,
    pub(crate) time: i64,
}

impl Draft {
    pub(crate) fn new(shape: Shape, centre: Arc<Centre>) -> Draft {
        let codes = Codes::new(shape.memory);
        Draft { shape, centre, rows: Vec::new(), facets: Vec::new(), known: HashMap::new(), codes }
    }

    /// Codes rows on up to `threads` threads.
    pub(crate) fn encode(&mut self, rows: &[&Row<'_>], threads: usize) {
        for row in rows {
            self.label(row.id, &row.labels);
        }
        let (shape, centre) = (self.shape, &*self.centre);
        let share = rows.len().div_ceil(threads.max(1)).max(ROWS_PER_THREAD);
        let code = |rows: &[&Row<'_>]| {
            let mut codes = Codes::new(shape.memory);
            rows.iter().for_each(|row| codes.push(row.vector, centre, shape));
            codes
        };
        let mut shares = rows.chunks(share);
        let own = shares.next().unwrap_or_default();
        std::thread::scope(|scope| {
            let others: Vec<_> = shares.map(|rows| (rows, scope.spawn(move || code(rows)))).collect();
            self.codes.append(code(own));
            for (rows, other) in others {
                // A thread that could not finish leaves its share to this one.
                self.codes.append(other.join().unwrap_or_else(|_| code(rows)));
            }
        });
    }

    /// Takes over rows of a segment with the same centre, codes and all.
    pub(crate) fn absorb(&mut self, segment: &Segment, slots: impl Iterator<Item = usize>) {
        let mut facets: Vec<Option<u32>> = vec![None; segment.facets.len()];
        for slot in slots {
            let local = usize::from(segment.facet_of[slot]);
            let facet = match facets[local] {
                Some(facet) => facet,
                None => *facets[local].insert(self.intern(segment.facets[local].clone())),
            };
            let (user, id, time) = (segment.user_of(slot), segment.ids.get(slot), segment.time_of(slot));
            self.rows.push(DraftRow { user, facet, id, time });
            self.copy_codes(segment, slot);
        }
    }

    /// Takes over the codes of one row under new labels.
    pub(crate) fn relabel(&mut self, segment: &Segment, slot: usize, labels: &Labels) {
        self.label(segment.ids.get(slot), labels);
        self.copy_codes(segment, slot);
    }

    /// Adds one row whose labels are known but whose codes come from a vector.
    pub(crate) fn recode(&mut self, id: u64, labels: &Labels, vector: &[f32]) {
        self.label(id, labels);
        self.codes.push(vector, &self.centre, self.shape);
    }

    /// Sorts the rows by user and id and cuts them into as few segments of equal size as possible.
    pub(crate) fn seal(self) -> Vec<Segment> {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_unstable_by_key(|row| {
            let row = &self.rows[*row as usize];
            (row.user, row.id)
        });
        let segments = order.len().div_ceil(FULL).max(1);
        let share = order.len().div_ceil(segments).max(1);
        order.chunks(share).map(|order| Segment::build(&self, order)).collect()
    }

    fn label(&mut self, id: u64, labels: &Labels) {
        let facet = self.intern(Facet::of(labels));
        self.rows.push(DraftRow { user: labels.user, facet, id, time: labels.time });
    }

    fn copy_codes(&mut self, segment: &Segment, slot: usize) {
        segment.push_signs(slot, &mut self.codes.signs);
        self.codes.fine.copy(&segment.fine, slot, self.shape.words());
        self.codes.scalars.push(segment.scalars[slot]);
    }

    fn intern(&mut self, facet: Facet) -> u32 {
        match self.known.entry(facet) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.facets.push(new.key().clone());
                *new.insert(self.facets.len() as u32 - 1)
            }
        }
    }
}
