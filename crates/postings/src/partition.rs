//! The rows of one org: parts behind one pointer, replaced as a whole by one writer at a time.
//!
//! A search holds the snapshot it began with. A writer builds the next one beside it and swaps the pointer, so
//! that a search sees all of a change or nothing of it. Every write also does some merging, in proportion to what it
//! writes: no write waits for a large merge, and yet there are never many parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use reflexio_vectors::Labels;

use crate::draft;
use crate::index::Row;
use crate::merge::Merge;
use crate::part::Part;
use crate::segment::{FULL, MOST_TERMS};

/// This many parts of about the same size become one; so every row is copied once per power of it.
const FAN_IN: usize = 4;
/// Occurrences of terms that a write merges for each one that it brings, read and written. Rows are copied about
/// eight times in their life.
const WORK_PER_OCCURRENCE: u64 = 32;
/// Occurrences that a write merges anyway: less than a millisecond.
const LEAST_WORK: u64 = 1 << 15;

/// One org's parts at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug, Default)]
pub(crate) struct Partition {
    writing: Mutex<Vec<Merge>>,
    current: RwLock<Arc<Snapshot>>,
}

impl Partition {
    pub(crate) fn of(parts: Vec<Part>) -> Partition {
        Partition { writing: Mutex::default(), current: RwLock::new(Arc::new(Snapshot { parts })) }
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes rows and adds others, in one step. Returns how many were removed.
    pub(crate) fn replace(&self, remove: &BTreeSet<u64>, rows: &[&Row<'_>]) -> usize {
        let fresh = draft::parts(rows);
        let mut merges = self.writing();
        let mut parts = self.snapshot().parts.clone();
        let mut removed = 0;
        for part in &mut parts {
            let slots: Vec<usize> = remove.iter().filter_map(|id| part.find(*id)).collect();
            removed += part.kill(&slots);
        }
        self.publish(&mut merges, parts, fresh);
        removed
    }

    /// Gives rows new labels. Returns how many of them are here.
    pub(crate) fn relabel(&self, rows: &BTreeMap<u64, &Labels>) -> usize {
        let mut merges = self.writing();
        let mut parts = self.snapshot().parts.clone();
        let (mut relabelled, mut fresh) = (0, Vec::new());
        for part in &mut parts {
            let found = rows.iter().filter_map(|(id, labels)| Some((*id, part.find(*id)?, *labels)));
            let (staying, moving): (Vec<_>, Vec<_>) =
                found.partition(|(_, slot, labels)| part.segment.user_of(*slot) == labels.user);
            relabelled += staying.len() + moving.len();
            let changes: Vec<(usize, Labels)> =
                staying.into_iter().map(|(_, slot, labels)| (slot, labels.clone())).collect();
            part.relabel(&changes);
            fresh.extend(moved(part, &moving));
        }
        self.publish(&mut merges, parts, fresh);
        relabelled
    }

    fn writing(&self) -> MutexGuard<'_, Vec<Merge>> {
        self.writing.lock().unwrap_or_else(|poisoned| {
            // A writer that died published nothing, but may have left a merge in the middle of a term.
            let mut merges = poisoned.into_inner();
            merges.clear();
            self.writing.clear_poison();
            merges
        })
    }

    fn publish(&self, merges: &mut Vec<Merge>, mut parts: Vec<Part>, fresh: Vec<Part>) {
        let occurrences: u64 = fresh.iter().map(|part| part.segment.lengths.total()).sum();
        parts.extend(fresh);
        settle(&mut parts, merges, LEAST_WORK + WORK_PER_OCCURRENCE * occurrences);
        let next = Arc::new(Snapshot { parts });
        let last = {
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, next)
        };
        // Freeing the last snapshot may take a while; readers need not wait for it.
        drop(last);
    }
}

/// Takes rows that go to another user out of a part. It is rare, and reads the whole part.
fn moved(part: &mut Part, moving: &[(u64, usize, &Labels)]) -> Vec<Part> {
    let slots: Vec<usize> = moving.iter().map(|(_, slot, _)| *slot).collect();
    if slots.is_empty() {
        return Vec::new();
    }
    let texts = part.segment.texts(&slots);
    part.kill(&slots);
    let rows: Vec<Row<'_>> = moving
        .iter()
        .zip(&texts)
        .map(|((id, _, labels), terms)| Row { id: *id, labels: (*labels).clone(), terms })
        .collect();
    draft::parts(&rows.iter().collect::<Vec<_>>())
}

/// Merges parts, the small ones first, as far as the work goes.
fn settle(parts: &mut Vec<Part>, merges: &mut Vec<Merge>, mut work: u64) {
    loop {
        parts.retain(|part| part.live_rows() > 0);
        while let Some(group) = next_group(parts, merges) {
            let group: Vec<&Part> = group.into_iter().map(|at| &parts[at]).collect();
            merges.push(Merge::new(&group));
        }
        merges.sort_by_key(|merge| std::cmp::Reverse(merge.left()));
        let Some(smallest) = merges.last_mut() else { return };
        if !smallest.run(&mut work) {
            return;
        }
        if let Some(merge) = merges.pop() {
            let (inputs, others) = parts.drain(..).partition(|part| merge.has(part));
            *parts = others;
            parts.push(merge.finish(&inputs));
        }
    }
}

/// Places of parts that should become one: one with many dead rows, or enough of one size.
fn next_group(parts: &[Part], merges: &[Merge]) -> Option<Vec<usize>> {
    let mut free: Vec<usize> =
        (0..parts.len()).filter(|at| !merges.iter().any(|merge| merge.has(&parts[*at]))).collect();
    if let Some(at) = free.iter().find(|at| parts[**at].dead_rows() * 4 > parts[**at].segment.len()) {
        return Some(vec![*at]);
    }
    free.retain(|at| parts[*at].live_rows() <= FULL / 2);
    free.sort_by_key(|at| parts[*at].live_rows());
    let tier = |at: &usize| parts[*at].live_rows().max(1).ilog(FAN_IN);
    free.chunk_by(|a, b| tier(a) == tier(b))
        .filter(|group| group.len() >= FAN_IN)
        .find_map(|group| fitting(parts, group))
}

/// As many of a group as fit a segment.
fn fitting(parts: &[Part], group: &[usize]) -> Option<Vec<usize>> {
    let (mut rows, mut terms) = (0, 0);
    let fits = |at: &&usize| {
        rows += parts[**at].live_rows();
        terms += parts[**at].segment.lengths.total();
        rows <= FULL && terms <= MOST_TERMS
    };
    let fitting: Vec<usize> = group.iter().take_while(fits).copied().collect();
    (fitting.len() > 1).then_some(fitting)
}
