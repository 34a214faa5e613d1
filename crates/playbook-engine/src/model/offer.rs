//! Segments: which steps one answer may cover.
//!
//! From where a playbook stands, steps in words are offered together as long as what comes between them is certain:
//! literal words, conditions that read nothing the offered steps may write, turns of a loop whose items are known.
//! Both branches of a condition the model decides are offered; the answer says which way it went. A native step that
//! computes, calls or waits ends the segment. If things turn out differently after all, what is left of the answer is
//! dropped and the model is asked again.

use std::sync::Arc;

use playbook_lang::Value;
use rustc_hash::FxHashMap;

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

/// A place the answer may reach.
#[derive(Clone, Debug, Default)]
struct Position {
    pc: usize,
    when: Vec<(Arc<str>, bool)>,
    /// Turns of loops that were not made yet.
    turns: Vec<(usize, u64)>,
    with: Vec<(Arc<str>, Value)>,
}

struct Walk<'s, 'a> {
    at: &'s Standing<'s, 'a>,
    offers: Vec<Offer<'a>>,
    seen: FxHashMap<(usize, Vec<(usize, u64)>), usize>,
    /// Variables that may be different by then.
    written: Vec<&'a str>,
}

impl<'a> Walk<'_, 'a> {
    /// Offers what is at a position and after it; gives its place among the offers.
    fn build(&mut self, position: Position) -> Option<usize> {
        let position = self.settled(position)?;
        let key = (position.pc, position.turns.clone());
        if let Some(&known) = self.seen.get(&key) {
            self.meet(known, &position.when);
            return Some(known);
        }
        if self.offers.len() >= self.at.most {
            return None;
        }
        let op = self.at.playbook.ops.get(position.pc)?;
        let id = turn_id(self.at.playbook, op.step, &|slot| self.turn(&position, slot));
        let index = self.offers.len();
        self.seen.insert(key, index);
        let what = if let OpKind::Model(step) = &op.kind {
            Offered::Step(step, None)
        } else if let OpKind::Test { question: Question::Model(text), .. } = &op.kind {
            Offered::Question(text, [None, None])
        } else {
            return None;
        };
        let (when, with) = (position.when.clone(), position.with.clone());
        self.offers.push(Offer { id: Arc::clone(&id), step: op.step, what, when, with });
        self.follow(index, &id, position);
        Some(index)
    }

    fn follow(&mut self, index: usize, id: &Arc<str>, position: Position) {
        let Some(op) = self.at.playbook.ops.get(position.pc) else { return };
        if let OpKind::Model(step) = &op.kind {
            self.written.extend(step.writes.iter().map(|(name, _)| &**name));
            let is_answered =
                position.pc == self.at.pc && self.at.is_asked && matches!(step.kind, ModelKind::Ask);
            if ends_segment(step) && !is_answered {
                return;
            }
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
            if let Some(Offer { what: Offered::Question(_, after), .. }) = self.offers.get_mut(index) {
                *after = ways;
            }
        }
    }

    /// Goes over what is certain, to the next step in words.
    fn settled(&self, mut position: Position) -> Option<Position> {
        // Every operation is passed at most once in a turn, and turns are counted.
        for _ in 0..1_000 {
            let op = self.at.playbook.ops.get(position.pc)?;
            #[expect(clippy::wildcard_enum_match_arm, reason = "the rest ends a segment")]
            match &op.kind {
                OpKind::Model(_) | OpKind::Test { question: Question::Model(_), .. } => {
                    return Some(position);
                }
                OpKind::Say { .. } | OpKind::EnterLoop { .. } => position.pc += 1,
                OpKind::Jump(to) => {
                    let is_loop = matches!(self.at.playbook.ops.get(*to)?.kind, OpKind::Next { .. });
                    if *to <= position.pc && !is_loop {
                        return None;
                    }
                    position.pc = *to;
                }
                OpKind::Next { slot, variable, exit } => {
                    self.turned(&mut position, *slot, variable, *exit)?
                }
                OpKind::Test {
                    question: Question::Native { condition, is_lenient },
                    is_negated,
                    otherwise,
                    ..
                } => {
                    let is_open = |name: &str| {
                        self.written.contains(&name)
                            || position.with.iter().any(|(known, _)| &**known == name)
                    };
                    if condition.reads_any(&is_open) {
                        return None;
                    }
                    let scope = Lenient { scope: self.at.scope?, is_lenient: *is_lenient };
                    let is_true = condition.quick(&scope)?.is_truthy();
                    position.pc = if is_true == *is_negated { *otherwise } else { position.pc + 1 };
                }
                _ => return None,
            }
        }
        None
    }

    /// The next turn of a loop that is being gone through, or its end.
    fn turned(&self, position: &mut Position, slot: usize, variable: &Arc<str>, exit: usize) -> Option<()> {
        let turn = self.turn(position, slot);
        let items = &self.at.turns.get(slot)?.items;
        let Some(item) = items.get(usize::try_from(turn).ok()?) else {
            position.pc = exit;
            return Some(());
        };
        position.turns.retain(|(known, _)| *known != slot);
        position.turns.push((slot, turn + 1));
        position.with.retain(|(known, _)| known != variable);
        position.with.push((Arc::clone(variable), item.clone()));
        position.pc += 1;
        Some(())
    }

    fn turn(&self, position: &Position, slot: usize) -> u64 {
        let ahead = position.turns.iter().find(|(known, _)| *known == slot).map(|(_, turn)| *turn);
        ahead.unwrap_or_else(|| self.at.turns.get(slot).map_or(0, |turns| turns.count))
    }

    /// Two ways lead here: only what they have in common is a condition, and the same holds for what follows.
    fn meet(&mut self, at: usize, when: &[(Arc<str>, bool)]) {
        for offer in self.offers.iter_mut().skip(at) {
            offer.when.retain(|(id, value)| !when.iter().any(|(other, found)| other == id && found != value));
        }
    }
}

fn ends_segment(step: &ModelStep) -> bool {
    matches!(step.kind, ModelKind::Ask | ModelKind::Return | ModelKind::Items { .. } | ModelKind::React)
}

struct Lenient<'a> {
    scope: &'a dyn Scope,
    is_lenient: bool,
}

impl Scope for Lenient<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.scope.get(name).or_else(|| self.is_lenient.then_some(&Value::None))
    }
}
