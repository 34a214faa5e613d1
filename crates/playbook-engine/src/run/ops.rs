//! Native operations.

use std::sync::Arc;

use playbook_lang::{Value, WaitFor};

use super::Run;
use super::calls::Arguments;
use super::evaluate::Eval;
use super::frame::ReturnsTo;
use crate::code::{CallSite, Op, OpKind, PlaybookCode, Question, Returning};
use crate::effect::Outcome;
use crate::eval::{Expression, Place, brief, fitted, is_storable};
use crate::journal::{DecidedBy, Entry};
use crate::settings::Limit;

/// Evaluates, or leaves the function: a call has begun, or the frame has failed.
macro_rules! value_of {
    ($run:expr, $eval:expr) => {
        match $eval {
            Eval::Done(value) => value,
            Eval::Calls => return,
            Eval::Failed(reason) => return $run.fail_step(&reason),
        }
    };
}

impl Run {
    pub(super) fn operate(&mut self, playbook: &PlaybookCode, op: &Op) {
        self.memo_used = 0;
        match &op.kind {
            OpKind::Assign { place, value } => {
                let value = value_of!(self, self.evaluate(value, false));
                if self.assign(place, value) {
                    self.next();
                }
            }
            OpKind::Call { place, site } => self.call_step(place.as_ref(), site),
            OpKind::Say { to, words } => {
                let text = value_of!(self, self.fill(words));
                self.say(to, text);
                self.next();
            }
            OpKind::Test { question, is_negated, otherwise, turns } => {
                self.test(playbook, op, question, *is_negated, *otherwise, *turns);
            }
            OpKind::EnterLoop { slot, most } => {
                if let Some(frame) = self.state.frames.last_mut() {
                    let turns = frame.turns(*slot);
                    (turns.count, turns.most) = (0, *most);
                    turns.items.clear();
                    let is_stepping = frame.is_stepping;
                    frame.go(frame.pc + 1);
                    frame.is_stepping = is_stepping;
                }
            }
            OpKind::Items { slot, items } => self.items(*slot, items.as_ref()),
            OpKind::Next { slot, variable, exit } => self.next_item(*slot, variable, *exit),
            OpKind::Jump(to) => self.go(*to),
            OpKind::Return(Returning::Nothing) => self.end_call(Ok(Value::None)),
            OpKind::Return(Returning::Value(value)) => {
                let value = value_of!(self, self.evaluate(value, false));
                self.end_call(Ok(value));
            }
            OpKind::Return(Returning::Call(site)) => {
                if let Some(value) = self.called(site) {
                    self.end_call(Ok(value));
                }
            }
            OpKind::End => self.end_program(),
            OpKind::Wait(WaitFor::User) => self.wait_for_user_step(),
            OpKind::Wait(WaitFor::Seconds(seconds)) => self.wait_seconds(*seconds),
            // Calls of other agents are over when they return; there is nothing left to wait for.
            OpKind::Wait(WaitFor::Agent(_) | WaitFor::Other(_)) => self.next(),
            OpKind::Approve { who } => self.approve(playbook, op, who.as_deref()),
            OpKind::Model(step) => self.model_step(playbook, op, step),
            OpKind::Raw => self.raw_step(),
        }
    }

    pub(super) fn go(&mut self, pc: usize) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.go(pc);
        }
    }

    pub(super) fn next(&mut self) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.go(frame.pc + 1);
        }
    }

    /// The running step fails, and its playbook with it.
    pub(super) fn fail_step(&mut self, reason: &str) {
        let place = self.place();
        self.fail(&format!("{place}: {reason}"));
    }

    /// Branches and loops. A loop whose author wrote `max 3 times` ends there.
    fn test(
        &mut self,
        playbook: &PlaybookCode,
        op: &Op,
        question: &Question,
        is_negated: bool,
        otherwise: usize,
        turns: Option<usize>,
    ) {
        if let Some(frame) = self.state.frames.last_mut()
            && let Some(slot) = turns
            && frame.turns(slot).most.is_some_and(|most| frame.turns(slot).count >= most)
        {
            return frame.go(otherwise);
        }
        let (is_true, by) = match question {
            Question::Native(native) => {
                let value = value_of!(self, self.evaluate(&native.condition, native.is_lenient));
                (value.is_truthy(), DecidedBy::Expression)
            }
            Question::Model(_) => match self.decision(playbook, op) {
                Some(decision) => {
                    (decision.value, DecidedBy::Model { why: decision.why, evidence: decision.evidence })
                }
                None => return,
            },
        };
        if is_true != is_negated
            && let Some(slot) = turns
            && !self.turn(slot)
        {
            return;
        }
        let Some(frame) = self.state.frames.last_mut() else { return };
        let entry =
            Entry::Decided { frame: frame.id, step: playbook.step_id(op.step), is_true, by: Box::new(by) };
        frame.go(if is_true == is_negated { otherwise } else { frame.pc + 1 });
        self.tell(entry);
    }

    /// Counts a turn of a loop, or stops the run at its limit.
    fn turn(&mut self, slot: usize) -> bool {
        let most = self.state.settings.budget.loop_turns;
        let Some(frame) = self.state.frames.last_mut() else { return false };
        let turns = frame.turns(slot);
        if turns.count >= most {
            self.stop(Limit::LoopTurns);
            return false;
        }
        turns.count += 1;
        true
    }

    fn items(&mut self, slot: usize, items: Option<&Expression>) {
        let Some(items) = items else { return self.next() };
        let items = match value_of!(self, self.evaluate(items, false)) {
            Value::List(items) => items,
            Value::Dict(pairs) => pairs.into_iter().map(|(key, _)| Value::Text(key)).collect(),
            other @ (Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_)) => {
                let kind = crate::eval::literal_text(&brief(&other));
                return self.fail_step(&format!("{kind} is no list to go through"));
            }
        };
        self.set_items(slot, items);
    }

    pub(super) fn set_items(&mut self, slot: usize, items: Vec<Value>) {
        if let Some(frame) = self.state.frames.last_mut() {
            frame.turns(slot).items = items;
            frame.go(frame.pc + 1);
        }
    }

    fn next_item(&mut self, slot: usize, variable: &Arc<str>, exit: usize) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        let turns = frame.turns(slot);
        let at = usize::try_from(turns.count).unwrap_or(usize::MAX);
        let Some(item) = turns.items.get(at).cloned() else { return frame.go(exit) };
        if !self.turn(slot) {
            return;
        }
        let Some(frame) = self.state.frames.last() else { return };
        let (frame_id, instance) = (frame.id, frame.instance);
        self.tell(Entry::Set { frame: frame_id, variable: Arc::clone(variable), value: brief(&item) });
        if let Some(param) = self.state.frames.last_mut().and_then(|frame| frame.locals.get_mut(&**variable))
        {
            param.clone_from(&item);
        }
        self.write(instance, variable, item);
        self.next();
    }

    fn call_step(&mut self, place: Option<&Place>, site: &CallSite) {
        let Some(value) = self.called(site) else { return };
        let is_put = place.is_none_or(|place| self.assign(place, value));
        if is_put {
            self.next();
        }
    }

    /// What a call gave; `None` while it is going on, or when it failed and the frame with it.
    fn called(&mut self, site: &CallSite) -> Option<Value> {
        let returned = self.state.frames.last_mut()?.returned.take();
        match returned {
            Some(Ok(value)) => return Some(value),
            Some(Err(reason)) => {
                self.fail_step(&format!("`{}` failed: {reason}", site.name));
                return None;
            }
            None => {}
        }
        let args = match self.arguments(site) {
            Eval::Done(args) => args,
            Eval::Calls => return None,
            Eval::Failed(reason) => {
                self.fail_step(&reason);
                return None;
            }
        };
        if let Err(reason) =
            self.call(&site.callee, site.instance.as_deref(), args, ReturnsTo::Operation, None)
        {
            self.fail_step(&format!("`{}`: {reason}", site.name));
        }
        None
    }

    fn arguments(&mut self, site: &CallSite) -> Eval<Arguments> {
        let mut args = Vec::new();
        let mut named = Vec::new();
        for arg in &site.args {
            let value = match self.evaluate(&arg.value, false) {
                Eval::Done(value) => value,
                Eval::Calls => return Eval::Calls,
                Eval::Failed(reason) => return Eval::Failed(reason),
            };
            match (&arg.name, arg.is_unpacked, value) {
                (Some(name), _, value) => named.push((name.to_string(), value)),
                (None, true, Value::List(items)) => args.extend(items),
                (None, true, Value::Dict(pairs)) => named.extend(pairs),
                (None, true, _) => return Eval::Failed(format!("`{}` cannot be unpacked", arg.value.source)),
                (None, false, value) => args.push(value),
            }
        }
        Eval::Done((args, named))
    }

    /// Puts a value where it belongs. Says whether that was possible; if not, the step has failed.
    pub(super) fn assign(&mut self, place: &Place, value: Value) -> bool {
        match self.try_assign(place, value) {
            Ok(is_done) => is_done,
            Err(reason) => {
                self.fail_step(&format!("`{}`: {reason}", place.source));
                false
            }
        }
    }

    pub(super) fn try_assign(&mut self, place: &Place, value: Value) -> Result<bool, String> {
        let value = fitted(value, place.ty.as_deref())?;
        is_storable(&value)?;
        let mut path = Vec::new();
        for part in &place.path {
            match part {
                crate::eval::Part::Key(key) => path.push(Value::Text(key.clone())),
                crate::eval::Part::Index(index) => match self.evaluate(index, false) {
                    Eval::Done(key) => path.push(key),
                    Eval::Calls => return Ok(false),
                    Eval::Failed(reason) => return Err(reason),
                },
            }
        }
        let Some(frame) = self.state.frames.last() else { return Ok(false) };
        let (frame_id, instance) = (frame.id, frame.instance);
        let shown = brief(&value);
        let whole = if path.is_empty() {
            value
        } else {
            let mut whole = self.variable(&place.variable).cloned().ok_or("it has no value yet")?;
            crate::eval::put(&mut whole, &path, value)?;
            is_storable(&whole)?;
            whole
        };
        let variable: Arc<str> =
            if path.is_empty() { Arc::clone(&place.variable) } else { Arc::from(&*place.source) };
        self.tell(Entry::Set { frame: frame_id, variable, value: shown });
        let Some(frame) = self.state.frames.last_mut() else { return Ok(false) };
        if place.is_local {
            frame.locals.insert(Arc::clone(&place.variable), whole);
            return Ok(true);
        }
        // A parameter keeps its name: both the call and the agent see the new value.
        if let Some(param) = frame.locals.get_mut(&*place.variable) {
            param.clone_from(&whole);
        }
        self.write(instance, &place.variable, whole);
        Ok(true)
    }

    pub(super) fn end_program(&mut self) {
        self.state.frames.clear();
        self.state.firings.clear();
        self.finish(Outcome::Ended);
    }
}
