//! Going over what is known without having been done: literal words, conditions and values that depend on nothing the
//! offered steps may write, turns of a loop whose items are known.

use std::sync::Arc;

use playbook_lang::Value;

use super::offer::Walk;
use crate::code::{OpKind, Question};
use crate::eval::{Expression, Place, Scope, fitted};

/// A place the answer may reach.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    pub(super) pc: usize,
    pub(super) when: Vec<(Arc<str>, bool)>,
    /// Turns of loops that were not made yet.
    pub(super) turns: Vec<(usize, u64)>,
    /// Variables that have another value by then.
    pub(super) with: Vec<(Arc<str>, Value)>,
    /// What loops go through that were entered on the way.
    pub(super) items: Vec<(usize, Arc<[Value]>)>,
    /// A loop began another turn on the way.
    pub(super) has_gone_back: bool,
}

impl<'a> Walk<'_, 'a> {
    /// The next step in words, question, or condition that cannot be decided yet.
    pub(super) fn settled(&mut self, mut position: Position) -> Option<Position> {
        // Every operation is passed at most once in a turn, and turns are counted.
        for _ in 0..1_000 {
            let op = self.at.playbook.ops.get(position.pc)?;
            #[expect(clippy::wildcard_enum_match_arm, reason = "the rest ends a segment")]
            match &op.kind {
                // A question in the author's words is not the model's.
                OpKind::Model(step) if step.words.is_some() && !self.is_asked_at(position.pc) => return None,
                OpKind::Model(_) | OpKind::Test { question: Question::Model(_), .. } => {
                    return Some(position);
                }
                OpKind::Say { .. } | OpKind::EnterLoop { .. } => position.pc += 1,
                OpKind::Assign { place, value } => self.assigned(&mut position, place, value)?,
                OpKind::Jump(to) => {
                    let is_loop = matches!(self.at.playbook.ops.get(*to)?.kind, OpKind::Next { .. });
                    position.has_gone_back |= *to <= position.pc && !is_loop;
                    position.pc = *to;
                }
                OpKind::Items { slot, items } => self.entered(&mut position, *slot, items.as_ref()?)?,
                OpKind::Next { slot, variable, exit } => {
                    self.turned(&mut position, *slot, variable, *exit)?
                }
                OpKind::Test { question: Question::Native(native), is_negated, otherwise, .. } => {
                    match self.known(&position, &native.condition, native.is_lenient) {
                        Some(value) => {
                            let is_false = value.is_truthy() == *is_negated;
                            position.pc = if is_false { *otherwise } else { position.pc + 1 };
                        }
                        None => return (native.is_plain && self.at.scope.is_some()).then_some(position),
                    }
                }
                _ => return None,
            }
        }
        None
    }

    /// The value of an expression, if nothing on the way to a position can change it.
    fn known(&self, position: &Position, expression: &Expression, is_lenient: bool) -> Option<Value> {
        let is_with = |name: &str| position.with.iter().any(|(known, _)| &**known == name);
        if expression.reads_any(&|name| self.written.contains(&name) && !is_with(name)) {
            return None;
        }
        let scope = Ahead { with: &position.with, scope: self.at.scope?, is_lenient };
        expression.quick(&scope).map(std::borrow::Cow::into_owned)
    }

    fn assigned(&self, position: &mut Position, place: &Place, value: &Expression) -> Option<()> {
        if !place.path.is_empty() {
            return None;
        }
        let value = fitted(self.known(position, value, false)?, place.ty.as_deref()).ok()?;
        position.with.retain(|(known, _)| *known != place.variable);
        position.with.push((Arc::clone(&place.variable), value));
        position.pc += 1;
        Some(())
    }

    fn entered(&self, position: &mut Position, slot: usize, items: &Expression) -> Option<()> {
        let Value::List(items) = self.known(position, items, false)? else { return None };
        position.items.retain(|(known, _)| *known != slot);
        position.items.push((slot, items.into()));
        position.turns.retain(|(known, _)| *known != slot);
        position.turns.push((slot, 0));
        position.pc += 1;
        Some(())
    }

    /// The next turn of a loop that is being gone through, or its end.
    fn turned(
        &mut self,
        position: &mut Position,
        slot: usize,
        variable: &'a Arc<str>,
        exit: usize,
    ) -> Option<()> {
        let turn = self.turn(position, slot);
        let entered = position.items.iter().find(|(known, _)| *known == slot);
        let items = match entered {
            Some((_, items)) => &**items,
            None => &self.at.turns.get(slot)?.items,
        };
        let item = items.get(usize::try_from(turn).ok()?).cloned();
        position.turns.retain(|(known, _)| *known != slot);
        position.with.retain(|(known, _)| known != variable);
        match item {
            Some(item) => {
                position.turns.push((slot, turn + 1));
                position.with.push((Arc::clone(variable), item));
                position.pc += 1;
            }
            None => {
                // Ways that lead around the loop meet this one: nothing of it may be left but the doubt.
                position.items.retain(|(known, _)| *known != slot);
                self.written.push(variable);
                position.pc = exit;
            }
        }
        Some(())
    }

    pub(super) fn turn(&self, position: &Position, slot: usize) -> u64 {
        let ahead = position.turns.iter().find(|(known, _)| *known == slot).map(|(_, turn)| *turn);
        ahead.unwrap_or_else(|| self.at.turns.get(slot).map_or(0, |turns| turns.count))
    }
}

/// Variables as they will be.
struct Ahead<'a> {
    with: &'a [(Arc<str>, Value)],
    scope: &'a dyn Scope,
    is_lenient: bool,
}

impl Scope for Ahead<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        let ahead = self.with.iter().find(|(known, _)| **known == *name).map(|(_, value)| value);
        ahead.or_else(|| self.scope.get(name)).or_else(|| self.is_lenient.then_some(&Value::None))
    }
}
