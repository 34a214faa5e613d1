//! Segments: which steps one answer may cover.
//!
//! From where a playbook stands, steps in words are offered together as long as what comes between them is known (see
//! `ahead.rs`). Both branches of a condition the model decides are offered; the answer says which way it went. Where the
//! program decides by what an offered step sets, both ways are offered too, and the answer goes the one the model
//! expects. A native step that computes from such values, calls or waits ends the segment. If things turn out
//! differently after all, what is left of the answer is dropped and the model is asked again.

use std::sync::Arc;

use playbook_lang::Value;
use rustc_hash::FxHashMap;

use super::ahead::Position;
use crate::code::{ModelKind, ModelStep, OpKind, PlaybookCode, Question};
use crate::eval::Scope;
use crate::run::Turns;

/// One thing the model is offered.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    /// The step's id; inside a loop over a list, with the turn: `05.01[2]`.
    pub(crate) id: Arc<str>,
    pub(crate) step: usize,
    pub(crate) what: Offered<'a>,
    /// Decisions under which it is reached; those that do not matter are left out.
    pub(crate) when: Vec<(Arc<str>, bool)>,
    /// Variables a later turn of a loop gives their values.
    pub(crate) with: Vec<(Arc<str>, Value)>,
}

#[derive(Debug)]
pub(crate) enum Offered<'a> {
    /// And what comes after it.
    Step(&'a ModelStep, Option<usize>),
    /// And what comes if it is so, and if it is not.
    Question(&'a str, [Option<usize>; 2]),
    /// The program decides, once the steps before are done; what comes then, as for a question.
    Fork([Option<usize>; 2]),
}

/// Where a playbook stands.
pub(crate) struct Standing<'s, 'a> {
    pub(crate) playbook: &'a PlaybookCode,
    pub(crate) pc: usize,
    /// The question there was put, and an answer has come.
    pub(crate) is_asked: bool,
    pub(crate) turns: &'s [Turns],
    /// Variables, if conditions can be looked at.
    pub(crate) scope: Option<&'s dyn Scope>,
    pub(crate) most: usize,
}

/// The id of a step in the turns its loops are in.
pub(crate) fn turn_id(playbook: &PlaybookCode, step: usize, turn: &dyn Fn(usize) -> u64) -> Arc<str> {
    let Some(info) = playbook.steps.get(step) else { return Arc::from("") };
    if info.each.is_empty() {
        return Arc::clone(&info.id);
    }
    let turns: Vec<String> = info.each.iter().map(|slot| turn(*slot).to_string()).collect();
    format!("{}[{}]", info.id, turns.join(".")).into()
}

impl<'a> Standing<'_, 'a> {
    /// What is offered from here on; the first is where the answer begins.
    pub(crate) fn offers(&self) -> Vec<Offer<'a>> {
        let mut walk = Walk { at: self, offers: Vec::new(), seen: FxHashMap::default(), written: Vec::new() };
        walk.build(Position { pc: self.pc, ..Position::default() });
        walk.offers
    }
}

/// The way through a playbook, and what was found on it.
pub(super) struct Walk<'s, 'a> {
    pub(super) at: &'s Standing<'s, 'a>,
    offers: Vec<Offer<'a>>,
    seen: FxHashMap<(usize, Vec<(usize, u64)>), usize>,
    /// Variables that may be different by then.
    pub(super) written: Vec<&'a str>,
}

impl<'a> Walk<'_, 'a> {
    /// Offers what is at a position and after it; gives its place among the offers.
    fn build(&mut self, position: Position) -> Option<usize> {
        let position = self.settled(position)?;
        let key = (position.pc, position.turns.clone());
        if let Some(&known) = self.seen.get(&key) {
            return self.meet(known, &position);
        }
        if self.offers.len() >= self.at.most {
            return None;
        }
        let op = self.at.playbook.ops.get(position.pc)?;
        let id = turn_id(self.at.playbook, op.step, &|slot| self.turn(&position, slot));
        let index = self.offers.len();
        #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is stopped at")]
        let what = match &op.kind {
            OpKind::Model(step) => Offered::Step(step, None),
            OpKind::Test { question: Question::Model(text), .. } => Offered::Question(text, [None, None]),
            OpKind::Test { question: Question::Native(_), .. } => Offered::Fork([None, None]),
            _ => return None,
        };
        // A question that was answered may have to be put again in the next turn of its loop.
        let is_answered = self.is_asked_at(position.pc);
        if !is_answered {
            self.seen.insert(key.clone(), index);
        }
        let (when, with) = (position.when.clone(), position.with.clone());
        self.offers.push(Offer { id: Arc::clone(&id), step: op.step, what, when, with });
        self.follow(index, &id, position, is_answered);
        if matches!(self.offers.get(index)?.what, Offered::Fork([None, None])) {
            // Nothing to do on either way.
            self.offers.truncate(index);
            self.seen.remove(&key);
            return None;
        }
        Some(index)
    }

    /// Whether the way begins here, with a question that was put and has got an answer.
    pub(super) fn is_asked_at(&self, pc: usize) -> bool {
        self.offers.is_empty() && pc == self.at.pc && self.at.is_asked
    }

    fn follow(&mut self, index: usize, id: &Arc<str>, mut position: Position, is_answered: bool) {
        let Some(op) = self.at.playbook.ops.get(position.pc) else { return };
        if let OpKind::Model(step) = &op.kind {
            if ends_segment(step) && !(is_answered && matches!(step.kind, ModelKind::Ask)) {
                return;
            }
            self.written.extend(step.writes.iter().map(|(name, _)| &**name));
            position.with.retain(|(name, _)| !step.writes.iter().any(|(written, _)| **written == **name));
            let next = self.build(Position { pc: position.pc + 1, ..position });
            if let Some(Offer { what: Offered::Step(_, after), .. }) = self.offers.get_mut(index) {
                *after = next;
            }
        } else if let OpKind::Test { is_negated, otherwise, .. } = &op.kind {
            let way = |is_true: bool| {
                let pc = if is_true == *is_negated { *otherwise } else { position.pc + 1 };
                let mut when = position.when.clone();
                when.push((Arc::clone(id), is_true));
                Position { pc, when, ..position.clone() }
            };
            let ways = [self.build(way(true)), self.build(way(false))];
            if let Some(Offer { what: Offered::Question(_, after) | Offered::Fork(after), .. }) =
                self.offers.get_mut(index)
            {
                *after = ways;
            }
        }
    }

    /// Two ways lead here: only what they have in common is a condition, and the same holds for what follows. Words
    /// that were found for one turn of a loop, or for other values, are no words for this way.
    fn meet(&mut self, at: usize, position: &Position) -> Option<usize> {
        if position.has_gone_back || self.offers.get(at)?.with != position.with {
            return None;
        }
        let when = &position.when;
        for offer in self.offers.iter_mut().skip(at) {
            offer.when.retain(|(id, value)| !when.iter().any(|(other, found)| other == id && found != value));
        }
        Some(at)
    }
}

fn ends_segment(step: &ModelStep) -> bool {
    matches!(step.kind, ModelKind::Ask | ModelKind::Return | ModelKind::Items { .. } | ModelKind::React)
}
