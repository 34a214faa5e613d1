//! Up to 65,536 rows that never change: codes laid out for scanning, and the columns filters look at.
//!
//! Rows are sorted by user and id, so that one user's rows are one range.

use std::ops::Range;
use std::sync::Arc;

use crate::centre::Centre;
use crate::code::{Fine, Scalars, Shape};
use crate::column::{Column, time_key, time_of};
use crate::draft::Draft;
use crate::kernel::LANES;
use crate::row::{Facet, Labels};

/// A batch this many times smaller than a segment is looked up id by id rather than merged with it.
const MUCH_SMALLER: usize = 16;

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) shape: Shape,
    pub(crate) centre: Arc<Centre>,
    pub(crate) ids: Column,
    /// Slots in the order of their ids.
    pub(crate) by_id: Vec<u16>,
    pub(crate) times: Column,
    /// The first and the last time key.
    pub(crate) time_span: (u64, u64),
    pub(crate) facet_of: Vec<u16>,
    pub(crate) facets: Vec<Facet>,
    /// Rows per facet.
    pub(crate) facet_rows: Vec<u32>,
    /// Users in order, each with its first slot.
    pub(crate) users: Vec<(u32, u32)>,
    /// Blocks of `shape.words()` groups; group `w` holds word `w` of eight rows.
    pub(crate) signs: Vec<[u64; LANES]>,
    pub(crate) fine: Fine,
    pub(crate) scalars: Vec<Scalars>,
}

impl Segment {
    /// Lays out the rows of a draft in the given order, which must be by user and id.
    pub(crate) fn build(draft: &Draft, order: &[u32]) -> Segment {
        let rows = || order.iter().map(|row| draft.rows[*row as usize]);
        let words = draft.shape.words();
        let mut fine = Fine::new(draft.shape.memory);
        let mut signs = vec![[0; LANES]; order.len().div_ceil(LANES) * words];
        for (slot, row) in order.iter().map(|row| *row as usize).enumerate() {
            fine.copy(&draft.codes.fine, row, words);
            let own = &draft.codes.signs[row * words..(row + 1) * words];
            for (group, word) in signs[slot / LANES * words..].iter_mut().zip(own) {
                group[slot % LANES] = *word;
            }
        }
        fine.shrink();
        let mut local: Vec<Option<u16>> = vec![None; draft.facets.len()];
        let mut facets = Vec::new();
        let facet_of: Vec<u16> = rows()
            .map(|row| {
                *local[row.facet as usize].get_or_insert_with(|| {
                    facets.push(draft.facets[row.facet as usize].clone());
                    (facets.len() - 1) as u16
                })
            })
            .collect();
        let columns = Columns {
            ids: Column::new(rows().map(|row| row.id).collect()),
            times: Column::new(rows().map(|row| time_key(row.time)).collect()),
            users: rows().map(|row| row.user).collect(),
            facet_of,
            facets,
        };
        let scalars = order.iter().map(|row| draft.codes.scalars[*row as usize]).collect();
        Segment::assemble(draft.shape, Arc::clone(&draft.centre), columns, signs, fine, scalars)
    }

    /// Puts stored columns and codes together and derives what is not stored. Lengths must agree.
    pub(crate) fn assemble(
        shape: Shape,
        centre: Arc<Centre>,
        columns: Columns,
        signs: Vec<[u64; LANES]>,
        fine: Fine,
        scalars: Vec<Scalars>,
    ) -> Segment {
        let Columns { ids, times, users, facet_of, mut facets } = columns;
        let mut by_id: Vec<u16> = (0..ids.len()).map(|slot| slot as u16).collect();
        by_id.sort_unstable_by_key(|slot| ids.get(usize::from(*slot)));
        let mut facet_rows = vec![0; facets.len()];
        facet_of.iter().for_each(|facet| facet_rows[usize::from(*facet)] += 1);
        facets.shrink_to_fit();
        let mut starts: Vec<(u32, u32)> = Vec::new();
        for (slot, user) in users.into_iter().enumerate() {
            if starts.last().is_none_or(|(last, _)| *last != user) {
                starts.push((user, slot as u32));
            }
        }
        starts.shrink_to_fit();
        let time_span = (times.iter().min().unwrap_or_default(), times.iter().max().unwrap_or_default());
        Segment {
            shape,
            centre,
            ids,
            by_id,
            times,
            time_span,
            facet_of,
            facets,
            facet_rows,
            users: starts,
            signs,
            fine,
            scalars,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn user_of(&self, slot: usize) -> u32 {
        let after = self.users.partition_point(|(_, start)| *start as usize <= slot);
        self.users[after - 1].0
    }

    pub(crate) fn time_of(&self, slot: usize) -> i64 {
        time_of(self.times.get(slot))
    }

    /// The slots of one user.
    pub(crate) fn slots_of(&self, user: u32) -> Range<usize> {
        let Ok(at) = self.users.binary_search_by_key(&user, |(user, _)| *user) else { return 0..0 };
        let end = self.users.get(at + 1).map_or(self.len(), |(_, start)| *start as usize);
        self.users[at].1 as usize..end
    }

    pub(crate) fn labels(&self, slot: usize) -> Labels {
        let facet = &self.facets[usize::from(self.facet_of[slot])];
        Labels {
            user: self.user_of(slot),
            version: facet.version,
            name: facet.name,
            source: facet.source,
            status: facet.status,
            time: self.time_of(slot),
            tags: facet.tags.to_vec(),
        }
    }

    /// Appends the sign words of one row.
    pub(crate) fn push_signs(&self, slot: usize, to: &mut Vec<u64>) {
        let words = self.shape.words();
        let block = slot / LANES * words;
        to.extend(self.signs[block..block + words].iter().map(|group| group[slot % LANES]));
    }

    /// The slots of those of the ids that are here. The ids are sorted.
    pub(crate) fn find(&self, ids: &[u64]) -> Vec<usize> {
        let id_at = |place: usize| self.ids.get(usize::from(self.by_id[place]));
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Vec::new() };
        let mut place = 0;
        let mut found = Vec::new();
        if self.len() == 0 || *last < id_at(0) || *first > id_at(self.len() - 1) {
            return found;
        }
        for id in ids {
            if ids.len() < self.len() / MUCH_SMALLER {
                place = self.by_id.partition_point(|slot| self.ids.get(usize::from(*slot)) < *id);
            }
            while place < self.len() && id_at(place) < *id {
                place += 1;
            }
            if place < self.len() && id_at(place) == *id {
                found.push(usize::from(self.by_id[place]));
            }
        }
        found
    }

    /// Bytes of codes, and of everything else.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let codes = self.signs.capacity() * 64 + self.fine.bytes() + self.scalars.capacity() * 4;
        let facets: usize = self.facets.iter().map(|facet| size_of::<Facet>() + facet.tags.len() * 4).sum();
        let columns = self.ids.bytes()
            + self.times.bytes()
            + (self.by_id.capacity() + self.facet_of.capacity()) * 2
            + self.users.capacity() * 8
            + self.facet_rows.capacity() * 4
            + facets;
        (codes, columns + size_of::<Segment>())
    }
}

/// The columns of a segment, by slot.
pub(crate) struct Columns {
    pub(crate) ids: Column,
    pub(crate) times: Column,
    pub(crate) users: Vec<u32>,
    pub(crate) facet_of: Vec<u16>,
    pub(crate) facets: Vec<Facet>,
}
