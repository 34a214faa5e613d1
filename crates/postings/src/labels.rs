//! The columns that filters look at. They may change while the terms of a part stay.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

pub(crate) use reflexio_vectors::Facet;
use reflexio_vectors::{Filter, Labels, time_key, time_of};

use crate::column::Column;

/// The labels of a part but for the users, by slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelColumns {
    pub(crate) times: Column,
    /// The first and the last time key.
    pub(crate) time_span: (u64, u64),
    pub(crate) facet_of: Column,
    pub(crate) facets: Arc<Vec<Facet>>,
}

impl LabelColumns {
    /// `facet_of` are places in `facets`.
    pub(crate) fn new(times: Column, facet_of: Column, facets: Vec<Facet>) -> LabelColumns {
        let time_span = (times.iter().min().unwrap_or_default(), times.iter().max().unwrap_or_default());
        LabelColumns { times, time_span, facet_of, facets: Arc::new(facets) }
    }

    /// Gives rows new times and facets. A facet that has lost its last row stays until the part is merged.
    pub(crate) fn with(&self, changes: &[(usize, Labels)]) -> LabelColumns {
        let mut new = self.clone();
        for (slot, labels) in changes {
            let facet = Facet::of(labels);
            let place = new.facets.iter().position(|own| *own == facet).unwrap_or_else(|| {
                Arc::make_mut(&mut new.facets).push(facet);
                new.facets.len() - 1
            });
            new.facet_of.set(*slot, place as u64);
            let time = time_key(labels.time);
            new.times.set(*slot, time);
            new.time_span = (new.time_span.0.min(time), new.time_span.1.max(time));
        }
        new
    }

    pub(crate) fn time(&self, slot: usize) -> i64 {
        time_of(self.times.get(slot))
    }

    /// Which facets a filter admits; `None` if it admits all.
    pub(crate) fn admitted(&self, filter: &Filter) -> Option<Vec<bool>> {
        let asked = || self.facets.iter().map(|facet| filter.admits_facet(facet)).collect();
        filter.looks_at_facets().then(asked)
    }

    pub(crate) fn bytes(&self) -> usize {
        let facets: usize = self.facets.iter().map(|facet| size_of::<Facet>() + facet.tags.len() * 4).sum();
        self.times.bytes() + self.facet_of.bytes() + facets + size_of::<LabelColumns>()
    }
}

/// Gathers distinct facets.
#[derive(Debug, Default)]
pub(crate) struct Facets {
    list: Vec<Facet>,
    known: HashMap<Facet, u32>,
    /// What became of the places of another list.
    renumbered: Vec<Option<u32>>,
}

impl Facets {
    pub(crate) fn place(&mut self, facet: Facet) -> u32 {
        match self.known.entry(facet) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.list.push(new.key().clone());
                *new.insert(self.list.len() as u32 - 1)
            }
        }
    }

    /// The place here of a facet of another list; the same list until [`Facets::next_list`].
    pub(crate) fn renumber(&mut self, others: &[Facet], place: usize) -> u32 {
        if let Some(Some(known)) = self.renumbered.get(place) {
            return *known;
        }
        let own = self.place(others[place].clone());
        self.renumbered.resize(others.len(), None);
        self.renumbered[place] = Some(own);
        own
    }

    pub(crate) fn next_list(&mut self) {
        self.renumbered.clear();
    }

    pub(crate) fn finish(mut self) -> Vec<Facet> {
        self.list.shrink_to_fit();
        self.list
    }
}
