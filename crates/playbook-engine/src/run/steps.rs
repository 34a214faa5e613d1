//! The loop: small steps until something is needed from outside.

use std::sync::Arc;

use playbook_lang::WaitFor;

use super::Run;
use super::frame::{Body, ReturnsTo};
use super::state::{Firing, Open, Wakes};
use crate::code::{OpKind, Question};
use crate::effect::{Effect, Outcome};
use crate::journal::{Call, Entry, Waiting};
use crate::settings::Limit;

impl Run {
    pub(super) fn go_on(&mut self) {
        let elapsed = self.state.now.saturating_sub(self.state.started);
        if elapsed > self.state.settings.budget.wall_ms {
            self.stop(Limit::WallTime);
        }
        while self.state.outcome.is_none() && self.state.open.is_none() && !self.replay.is_stopped() {
            if self.can_fire()
                && let Some(firing) = self.next_firing()
            {
                self.fire(firing);
            } else if self.state.frames.is_empty() {
                self.idle();
            } else {
                self.step();
            }
        }
    }

    /// The result of a call reaches its place before a trigger fires.
    fn can_fire(&self) -> bool {
        self.state.frames.last().is_none_or(|frame| frame.returned.is_none() && frame.memo.is_empty())
    }

    /// What begins with the run begins one after the other; anything else fires on top of what is going on.
    fn next_firing(&mut self) -> Option<Firing> {
        let is_busy = !self.state.frames.is_empty();
        let begin = &self.code.triggers.begin;
        let may_fire = |firing: &Firing| !is_busy || !begin.contains(&firing.trigger);
        let at = self.state.firings.iter().position(may_fire)?;
        self.state.firings.remove(at)
    }

    /// Nothing is going on: a message is looked at, or waited for, or the run is over.
    fn idle(&mut self) {
        if self.state.unjudged.is_some() {
            self.ask_triggers();
        } else if let Some(text) = self.state.inbox.pop_front() {
            let id = self.hear(text);
            if self.state.unjudged.is_none() {
                self.ask_for(
                    Entry::Unhandled { message: id.as_str().into() },
                    Effect::Unhandled { message: id },
                );
            }
        } else if self.is_listening() {
            self.state.open = Some(Open::User);
            let effect = Effect::WaitForUser { playbook: None, step: None };
            self.ask_for(Entry::Waiting { frame: None, r#for: Waiting::User }, effect);
        } else {
            let result = std::mem::take(&mut self.state.result);
            self.finish(Outcome::Done { result });
        }
    }

    fn is_listening(&self) -> bool {
        !self.code.triggers.meaning.is_empty() || !self.state.timers.is_empty()
    }

    fn step(&mut self) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        if !frame.is_told {
            frame.is_told = true;
            return self.tell_entered();
        }
        if !frame.is_begun {
            return self.begin();
        }
        match &frame.body {
            Body::Playbook(id) => {
                let id = *id;
                self.playbook_step(id);
            }
            Body::Tool { .. } => self.tool_step(),
            Body::Python { .. } => self.python_step(),
        }
    }

    fn tell_entered(&mut self) {
        let depth = self.state.frames.len();
        let Some(frame) = self.state.frames.last() else { return };
        let name = match &frame.body {
            Body::Tool { tool, .. } => self.code.tools.get(*tool).map_or("", |tool| tool.name.as_str()),
            Body::Playbook(_) | Body::Python { .. } => {
                match frame.playbook().and_then(|id| self.code.playbook(id)) {
                    Some(playbook) => playbook.name.as_str(),
                    None => frame.call.split('(').next().unwrap_or_default(),
                }
            }
        };
        let trigger =
            frame.trigger.and_then(|at| self.code.triggers.get(at)).map(|trigger| trigger.id.clone());
        let call = Call { name: name.to_owned(), text: frame.call.clone(), depth, trigger };
        let frame = frame.id;
        self.tell(Entry::Entered { frame, call: Box::new(call) });
    }

    fn playbook_step(&mut self, id: usize) {
        let code = Arc::clone(&self.code);
        let Some(playbook) = code.playbook(id) else { return self.fail("the playbook is gone") };
        let Some(frame) = self.state.frames.last_mut() else { return };
        let Some(op) = playbook.ops.get(frame.pc) else { return self.fail("there is no such step") };
        let is_asked = frame.model.is_asked;
        if op.is_begin && !frame.is_stepping {
            if self.state.spent.steps >= self.state.settings.budget.steps {
                return self.stop(Limit::Steps);
            }
            frame.is_stepping = true;
            self.state.spent.steps += 1;
            let entry = Entry::Step { frame: frame.id, step: playbook.step_id(op.step) };
            self.tell(entry);
        }
        if self.state.unjudged.is_some() && !can_judge_later(&op.kind, is_asked) {
            return self.ask_triggers();
        }
        self.operate(playbook, op);
    }

    /// The running call fails.
    pub(super) fn fail(&mut self, reason: &str) {
        self.end_call(Err(reason.to_owned()));
    }

    /// A limit was reached: the run stops where it is.
    pub(super) fn stop(&mut self, limit: Limit) {
        let at = self.place();
        self.stop_at(limit, at);
    }

    pub(super) fn stop_at(&mut self, limit: Limit, at: String) {
        let budget = &self.state.settings.budget;
        let most = match limit {
            Limit::ModelCalls => budget.model_calls,
            Limit::Tokens => budget.tokens,
            Limit::Money => budget.cost_micros,
            Limit::WallTime => budget.wall_ms,
            Limit::LoopTurns => budget.loop_turns,
            Limit::Steps => budget.steps,
            Limit::Depth => budget.depth,
        };
        self.tell(Entry::BudgetReached { limit, most });
        self.finish(Outcome::Partial { limit, most, at });
    }

    /// Where the run stands, in words.
    pub(super) fn place(&self) -> String {
        let Some(frame) = self.state.frames.last() else { return "the beginning".to_owned() };
        let playbook = frame.playbook().and_then(|id| self.code.playbook(id));
        let step =
            playbook.and_then(|playbook| playbook.ops.get(frame.pc).map(|op| playbook.step_id(op.step)));
        match (playbook, step) {
            (Some(playbook), Some(step)) => format!("{} step {step}", playbook.name),
            _ => frame.call.clone(),
        }
    }

    /// A call is over.
    pub(super) fn end_call(&mut self, outcome: super::frame::CallOutcome) {
        let Some(frame) = self.state.frames.pop() else { return };
        self.live.forget(frame.id);
        self.state.timers.retain(|_, timer| timer.wakes != Wakes::Frame(frame.id));
        match &outcome {
            Ok(value) => self.tell(Entry::Returned { frame: frame.id, value: crate::eval::brief(value) }),
            Err(reason) => self.tell(Entry::Failed { frame: frame.id, reason: reason.as_str().into() }),
        };
        let outcome = match self.after_call(&frame, outcome) {
            Some(outcome) => outcome,
            None => return,
        };
        match frame.returns_to {
            ReturnsTo::Memo => {
                if let Some(below) = self.state.frames.last_mut() {
                    below.memo.push(outcome);
                }
            }
            ReturnsTo::Operation => {
                if let Some(below) = self.state.frames.last_mut() {
                    below.returned = Some(outcome);
                }
            }
            ReturnsTo::Nobody => {}
            ReturnsTo::Veto => {
                if outcome == Ok(playbook_lang::Value::Bool(false)) {
                    let name = frame.call.split('(').next().unwrap_or_default().to_owned();
                    self.fail(&format!("`{name}` did not allow it"));
                }
            }
            ReturnsTo::Run => self.run_returned(outcome),
        }
    }

    fn run_returned(&mut self, outcome: super::frame::CallOutcome) {
        match outcome {
            Err(reason) => self.finish(Outcome::Failed { reason }),
            Ok(result) if self.state.is_single => self.finish(Outcome::Done { result }),
            Ok(result) => self.state.result = result,
        }
    }
}

/// Whether the triggers of a message need not be judged before an operation: it asks the model anyway, which judges
/// them in the same request, or it does nothing that could be seen.
fn can_judge_later(kind: &OpKind, is_asked: bool) -> bool {
    if let OpKind::Model(step) = kind {
        return step.words.is_none() || is_asked;
    }
    matches!(
        kind,
        OpKind::Test { question: Question::Model(_), .. }
            | OpKind::Wait(WaitFor::User)
            | OpKind::Jump(_)
            | OpKind::EnterLoop { .. }
    )
}
