use std::collections::{BTreeMap, BTreeSet, HashSet};

use reflexio_store::{AggregationScope, Confirmed, Lesson, Retired, Retirement};
use reflexio_types::{InteractionId, LineageSubject, ProfileId, Status};

use crate::aggregate;
use crate::consolidate::Item;

/// What one or more windows gave, ready to be stored.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// In the order in which they were made. A row that gave way to a later one is none.
    made: Vec<Option<Item>>,
    /// Which later row took the place of one that is gone.
    moved: BTreeMap<usize, usize>,
    retired: Vec<(Item, Retirement, usize)>,
    confirmed: Vec<Confirmed>,
    forgotten: Vec<ProfileId>,
    /// Types and versions that got new playbooks from conversations that want them aggregated.
    grown: BTreeSet<AggregationScope>,
    seen: HashSet<String>,
}

impl Rows {
    /// Whether a text comes up for the first time.
    pub(super) fn is_first_of(&mut self, text: String) -> bool {
        self.seen.insert(text)
    }

    /// Playbooks of this type and version are worth a look, if any of them is new.
    pub(super) fn grows(&mut self, scope: AggregationScope) {
        self.grown.insert(scope);
    }

    /// The place of the new row.
    pub(super) fn add(&mut self, item: Item) -> usize {
        self.made.push(Some(item));
        self.made.len() - 1
    }

    /// A stored row was shown once more.
    pub(super) fn confirm(&mut self, row: LineageSubject, evidence: Vec<InteractionId>) {
        self.confirmed.push(Confirmed { row, evidence });
    }

    /// A row that was made before was shown once more.
    pub(super) fn confirm_made(&mut self, place: usize, evidence: &[InteractionId]) {
        if let Some(Some(item)) = self.made.get_mut(place) {
            let known = item.evidence_mut();
            known.extend_from_slice(evidence);
            known.sort_unstable();
            known.dedup();
        }
    }

    /// A stored row gives way to a new one.
    pub(super) fn retire(&mut self, known: Item, how: Retirement, successor: usize) {
        self.retired.push((known, how, successor));
    }

    /// A row that was made before gives way to a new one, or to none.
    pub(super) fn drop_made(&mut self, place: usize, successor: Option<usize>) {
        if let Some(row) = self.made.get_mut(place) {
            *row = None;
        }
        if let Some(successor) = successor {
            self.moved.insert(place, successor);
        }
    }

    pub(super) fn forget(&mut self, id: ProfileId) {
        self.forgotten.push(id);
    }

    /// The rows that were made and are still there, with their places.
    pub(super) fn made(&self) -> impl Iterator<Item = (usize, &Item)> {
        self.made.iter().enumerate().filter_map(|(place, item)| Some((place, item.as_ref()?)))
    }

    /// How many facts and rules are new, and how many facts are to be forgotten.
    pub(super) fn count(&self) -> (u64, u64, u64) {
        let facts = self.made().filter(|(_, item)| matches!(item, Item::Profile(_))).count() as u64;
        let rules = self.made().count() as u64 - facts;
        (facts, rules, self.forgotten.len() as u64)
    }

    /// Puts all rows into a lesson. Successors are named there by their place among the rows of their kind.
    pub(super) fn into_lesson(self, mut lesson: Lesson) -> Lesson {
        let mut places = BTreeMap::new();
        let grown = self.grown;
        for (place, item) in self.made.into_iter().enumerate() {
            match item {
                Some(Item::Profile(row)) => {
                    places.insert(place, lesson.profiles.len());
                    lesson.profiles.push(row);
                }
                Some(Item::Playbook(row)) => {
                    places.insert(place, lesson.user_playbooks.len());
                    let scope = AggregationScope {
                        agent_version: row.agent_version.clone(),
                        playbook_name: row.playbook_name.clone(),
                    };
                    if row.status == Status::Current && grown.contains(&scope) {
                        lesson.jobs.push(aggregate::due(&scope));
                    }
                    lesson.user_playbooks.push(row);
                }
                None => {}
            }
        }
        for (known, how, mut successor) in self.retired {
            while let Some(later) = self.moved.get(&successor) {
                successor = *later;
            }
            // A row whose successor was forgotten goes with it.
            match (places.get(&successor), known.subject()) {
                (Some(successor), row) => {
                    let content = known.content().to_owned();
                    lesson.retired.push(Retired { row, content, how, successor: *successor });
                }
                (None, LineageSubject::Profile(id)) => lesson.forgotten.push(id),
                (None, LineageSubject::UserPlaybook(_) | LineageSubject::AgentPlaybook(_)) => {}
            }
        }
        lesson.confirmed = self.confirmed;
        lesson.forgotten.extend(self.forgotten);
        lesson
    }
}
