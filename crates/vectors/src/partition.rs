//! The rows of one org: immutable parts behind one pointer, replaced as a whole by one writer at a time.
//!
//! A search holds the snapshot it began with. A writer builds the next one beside it and swaps the pointer, so
//! that a search sees all of a change or nothing of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::centre::Centre;
use crate::draft::{Draft, FULL};
use crate::part::Part;
use crate::row::Labels;

/// This many parts of about the same size become one.
const FAN_IN: usize = 4;

/// Rows fetched at once when codes are rebuilt.
const RECODE_ROWS: usize = 1024;

/// One org's parts at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug, Default)]
pub(crate) struct Partition {
    writing: Mutex<()>,
    current: RwLock<Arc<Snapshot>>,
}

impl Partition {
    pub(crate) fn of(parts: Vec<Part>) -> Partition {
        Partition { writing: Mutex::default(), current: RwLock::new(Arc::new(Snapshot { parts })) }
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes rows and adds those of the draft, in one step. Returns how many were removed.
    pub(crate) fn replace(&self, mut remove: Vec<u64>, draft: Draft) -> usize {
        remove.sort_unstable();
        remove.dedup();
        let fresh: Vec<Part> = if draft.rows.is_empty() { Vec::new() } else { sealed(draft) };
        let writing = self.writing();
        let mut parts = self.snapshot().parts.clone();
        let removed = parts.iter_mut().map(|part| part.kill(&part.segment.find(&remove))).sum();
        parts.extend(fresh);
        self.publish(&writing, parts);
        removed
    }

    /// Gives rows new labels and keeps their codes; the last of equal ids counts. Returns how many of them are here.
    pub(crate) fn relabel(&self, rows: &[(u64, Labels)]) -> usize {
        let writing = self.writing();
        let mut parts = self.snapshot().parts.clone();
        let mut drafts: Vec<Draft> = Vec::new();
        let mut relabelled = 0;
        let rows: BTreeMap<u64, &Labels> = rows.iter().map(|(id, labels)| (*id, labels)).collect();
        for (id, labels) in rows {
            let mut places = parts.iter_mut().flat_map(|part| {
                let slot = part.segment.find(&[id]).into_iter().find(|slot| part.is_live(*slot));
                slot.map(|slot| (part, slot))
            });
            let Some((part, slot)) = places.next() else { continue };
            let segment = &part.segment;
            let draft = match drafts.iter_mut().find(|draft| Arc::ptr_eq(&draft.centre, &segment.centre)) {
                Some(draft) => draft,
                None => drafts.push_mut(Draft::new(segment.shape, Arc::clone(&segment.centre))),
            };
            draft.relabel(segment, slot, labels);
            relabelled += part.kill(&[slot]);
        }
        parts.extend(drafts.into_iter().flat_map(sealed));
        self.publish(&writing, parts);
        relabelled
    }

    /// Codes every part anew that is not relative to `centre`, one part at a time. A row whose vector does not
    /// come back is gone. Returns how many rows were coded.
    pub(crate) fn recentre(
        &self,
        centre: &Arc<Centre>,
        mut fetch: impl FnMut(&[u64]) -> Vec<Vec<f32>>,
    ) -> usize {
        let mut coded = 0;
        loop {
            let writing = self.writing();
            let mut parts = self.snapshot().parts.clone();
            let Some(at) = parts.iter().position(|part| !Arc::ptr_eq(&part.segment.centre, centre)) else {
                return coded;
            };
            let old = parts.remove(at);
            let mut draft = Draft::new(old.segment.shape, Arc::clone(centre));
            let slots: Vec<usize> = old.live_slots().collect();
            for slots in slots.chunks(RECODE_ROWS) {
                let ids: Vec<u64> = slots.iter().map(|slot| old.segment.ids.get(*slot)).collect();
                for ((slot, id), vector) in slots.iter().zip(ids.iter()).zip(fetch(&ids)) {
                    if vector.len() == centre.mean.len() {
                        draft.recode(*id, &old.segment.labels(*slot), &vector);
                        coded += 1;
                    }
                }
            }
            parts.extend(sealed(draft));
            self.publish(&writing, parts);
        }
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data: a writer that died published nothing.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, _writing: &MutexGuard<'_, ()>, parts: Vec<Part>) {
        let next = Arc::new(Snapshot { parts: settled(parts) });
        let last = {
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, next)
        };
        // Freeing the last snapshot may take a while; readers need not wait for it.
        drop(last);
    }
}

fn sealed(draft: Draft) -> Vec<Part> {
    draft.seal().into_iter().map(Part::new).collect()
}

/// Merges parts until there are few: every row is copied at most once per power of four.
fn settled(mut parts: Vec<Part>) -> Vec<Part> {
    loop {
        parts.retain(|part| part.live_rows() > 0);
        let Some(group) = next_merge(&parts) else { return parts };
        let first = &parts[group[0]].segment;
        let mut draft = Draft::new(first.shape, Arc::clone(&first.centre));
        for at in group.into_iter().rev() {
            let part = parts.remove(at);
            draft.absorb(&part.segment, part.live_slots());
        }
        parts.extend(sealed(draft));
    }
}

/// The places, in order, of parts that should become one: one with many dead rows, or enough of one size.
fn next_merge(parts: &[Part]) -> Option<Vec<usize>> {
    if let Some(at) = parts.iter().position(|part| part.dead_rows() * 4 > part.segment.len()) {
        return Some(vec![at]);
    }
    let size = |part: &Part| part.live_rows().ilog(4);
    let alike = |a: &Part, b: &Part| {
        size(a) == size(b) && b.live_rows() < FULL / 2 && Arc::ptr_eq(&a.segment.centre, &b.segment.centre)
    };
    parts.iter().filter(|part| part.live_rows() < FULL / 2).find_map(|part| {
        let group: Vec<usize> = (0..parts.len()).filter(|other| alike(part, &parts[*other])).collect();
        (group.len() >= FAN_IN).then_some(group)
    })
}
