use std::collections::{BTreeMap, BTreeSet};

use super::guard;
use super::item::{Item, Wording};
use super::meeting::Meeting;

/// What somebody would do with a new row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Proposal {
    Independent,
    Reject { by: usize },
    Unify { with: Vec<usize>, wording: Wording },
    Differentiate { from: usize, trigger: String, known_trigger: String },
}

/// What becomes of a new row.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Verdict {
    /// It is stored beside the others.
    #[default]
    Independent,
    /// A known row says it already and is confirmed.
    Known { by: usize },
    /// One row takes the place of it and of the known ones.
    Unify { with: Vec<usize>, wording: Wording },
    /// Both stay, each in a situation of its own.
    Differentiate { from: usize, trigger: String, known_trigger: String },
}

/// What becomes of all rows of a meeting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdicts {
    /// One for each new row.
    pub new: Vec<Verdict>,
    /// Known facts that go because the user wants it.
    pub forgotten: BTreeSet<usize>,
    /// Proposals that were refused, by reason.
    pub objections: BTreeMap<&'static str, u32>,
    pub decided_by: String,
    decided: BTreeSet<usize>,
    /// Known rows that give way already.
    taken: BTreeSet<usize>,
}

impl Verdicts {
    /// Everything stays as it is.
    pub fn independent(meeting: &Meeting, decided_by: &str) -> Self {
        Self {
            new: meeting.new.iter().map(|_| Verdict::Independent).collect(),
            decided_by: decided_by.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn object(&mut self, reason: &'static str) {
        *self.objections.entry(reason).or_insert(0) += 1;
    }

    /// Takes a proposal for a new row, if it holds and is the first.
    pub(super) fn propose(&mut self, meeting: &Meeting, new: usize, proposal: Proposal) {
        if !self.decided.insert(new) {
            return self.object("decided twice");
        }
        match self.checked(meeting, new, proposal) {
            Ok(verdict) => {
                if let Some(place) = self.new.get_mut(new) {
                    *place = verdict;
                }
            }
            Err(reason) => self.object(reason),
        }
    }

    /// Lets a known fact go, if it is one and has to do with what is to be forgotten.
    pub(super) fn propose_forgetting(&mut self, meeting: &Meeting, request: usize, known: usize) {
        let (Some(forget), Some(item)) = (meeting.forget.get(request), meeting.known.get(known)) else {
            return self.object(super::answer::UNKNOWN);
        };
        if !matches!(item, Item::Profile(_)) || !forget.similar.iter().any(|similar| similar.known == known) {
            return self.object("has nothing to do with what is to be forgotten");
        }
        self.forgotten.insert(known);
    }

    fn checked(
        &mut self,
        meeting: &Meeting,
        new: usize,
        proposal: Proposal,
    ) -> Result<Verdict, &'static str> {
        let item = &meeting.new.get(new).ok_or(super::answer::UNKNOWN)?.item;
        Ok(match proposal {
            Proposal::Independent => Verdict::Independent,
            Proposal::Reject { by } => {
                akin(item, meeting, &[by])?;
                Verdict::Known { by }
            }
            Proposal::Unify { with, wording } => {
                let known = self.replaceable(item, meeting, &with)?;
                guard::unified(item, &known, &wording)?;
                self.taken.extend(with.iter().copied());
                Verdict::Unify { with, wording }
            }
            Proposal::Differentiate { from, trigger, known_trigger } => {
                let known = self.replaceable(item, meeting, &[from])?;
                for known in known {
                    guard::narrower(item, &trigger)?;
                    guard::narrower(known, &known_trigger)?;
                }
                self.taken.insert(from);
                Verdict::Differentiate { from, trigger, known_trigger }
            }
        })
    }

    /// The known rows, if they may give way.
    fn replaceable<'m>(
        &self,
        item: &Item,
        meeting: &'m Meeting,
        places: &[usize],
    ) -> Result<Vec<&'m Item>, &'static str> {
        let known = akin(item, meeting, places)?;
        if places.iter().any(|place| self.taken.contains(place)) {
            return Err("a row gives way twice");
        }
        if known.iter().any(|known| known.is_by_a_person()) {
            return Err("a person wrote the row that was to give way");
        }
        Ok(known)
    }
}

fn akin<'m>(item: &Item, meeting: &'m Meeting, places: &[usize]) -> Result<Vec<&'m Item>, &'static str> {
    let known = places.iter().map(|place| meeting.known.get(*place).filter(|known| item.is_akin_to(known)));
    known.collect::<Option<Vec<&Item>>>().ok_or("rows of different kinds")
}
