//! Segments: which steps one answer may cover.
//!
//! From where a playbook stands, the steps that can be done without a native step in between are offered together,
//! both branches of a condition the model decides included. The answer says which way it went.

use rustc_hash::FxHashMap;

use crate::code::{ModelKind, ModelStep, Op, OpKind, PlaybookCode, Question};

/// One thing the model is offered, at an operation.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    pub(crate) pc: usize,
    pub(crate) step: usize,
    pub(crate) what: Offered<'a>,
    /// Decisions under which it is reached; those that do not matter are left out.
    pub(crate) when: Vec<(usize, bool)>,
}

#[derive(Debug)]
pub(crate) enum Offered<'a> {
    Step(&'a ModelStep),
    Question(&'a str),
}

/// What is offered from an operation on. `is_asked`: the question there was put and an answer has come.
pub(crate) fn offers(code: &PlaybookCode, pc: usize, is_asked: bool, most: usize) -> Vec<Offer<'_>> {
    let mut walk =
        Walk { ops: &code.ops, start: pc, is_asked, most, offers: Vec::new(), seen: FxHashMap::default() };
    walk.from(pc, Vec::new());
    walk.offers
}

struct Walk<'a> {
    ops: &'a [Op],
    start: usize,
    is_asked: bool,
    most: usize,
    offers: Vec<Offer<'a>>,
    seen: FxHashMap<usize, usize>,
}

impl<'a> Walk<'a> {
    fn from(&mut self, mut pc: usize, mut when: Vec<(usize, bool)>) {
        loop {
            let Some(op) = self.ops.get(pc) else { return };
            if let OpKind::Jump(to) = op.kind {
                // Going back is another turn of a loop, and for another request.
                if to <= pc {
                    return;
                }
                pc = to;
                continue;
            }
            if let Some(&at) = self.seen.get(&pc) {
                self.meet(at, &when);
                return;
            }
            if self.offers.len() >= self.most {
                return;
            }
            #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is native")]
            match &op.kind {
                OpKind::Model(step) => {
                    self.offer(pc, op.step, Offered::Step(step), when.clone());
                    let is_answered = pc == self.start && self.is_asked;
                    if ends_segment(step) && !(is_answered && matches!(step.kind, ModelKind::Ask)) {
                        return;
                    }
                    pc += 1;
                }
                OpKind::Test { question: Question::Model(text), is_negated, otherwise, .. } => {
                    self.offer(pc, op.step, Offered::Question(text), when.clone());
                    let mut taken = when.clone();
                    taken.push((pc, !is_negated));
                    self.from(pc + 1, taken);
                    when.push((pc, *is_negated));
                    pc = *otherwise;
                }
                _ => return,
            }
        }
    }

    fn offer(&mut self, pc: usize, step: usize, what: Offered<'a>, when: Vec<(usize, bool)>) {
        self.seen.insert(pc, self.offers.len());
        self.offers.push(Offer { pc, step, what, when });
    }

    /// Two ways lead here: only what they have in common is a condition, and the same holds for what follows.
    fn meet(&mut self, at: usize, when: &[(usize, bool)]) {
        for offer in self.offers.iter_mut().skip(at) {
            let dropped: Vec<(usize, bool)> =
                offer.when.iter().filter(|(pc, value)| when.contains(&(*pc, !value))).copied().collect();
            offer.when.retain(|condition| !dropped.contains(condition));
        }
    }
}

fn ends_segment(step: &ModelStep) -> bool {
    matches!(step.kind, ModelKind::Ask | ModelKind::Return | ModelKind::Items { .. } | ModelKind::React)
}
