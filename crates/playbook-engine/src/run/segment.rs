//! Asking the model: one request a segment, one repair, then the playbook's policy.

use std::sync::Arc;

use playbook_lang::placeholder::Template;

use super::Run;
use super::evaluate::Eval;
use super::frame::Frame;
use super::state::{Firing, Open};
use crate::code::{ModelKind, ModelStep, OnFail, Op, PlaybookCode};
use crate::effect::{Effect, Outcome};
use crate::event::Learned;
use crate::journal::{AppliedNote, Entry, Purpose};
use crate::model::{Answer, DecisionAnswer, LearnedContext, ModelRequest, Repair, Rules, check, turn_id};
use crate::settings::Limit;

/// Learned notes shown for one segment.
const MAX_LEARNED: usize = 5;
/// A learned note is a rule, not a document.
const MAX_LEARNED_BYTES: usize = 2_000;

impl Run {
    pub(super) fn model_step(&mut self, playbook: &PlaybookCode, op: &Op, step: &ModelStep) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        if frame.model.doing.is_some() {
            return self.go_on_doing(step);
        }
        let id = turn_of(playbook, op, frame);
        if frame.model.steps.front().is_some_and(|answer| *answer.id == *id) {
            return self.begin_doing(step);
        }
        frame.model.drop_rest();
        if let Some(words) = step.words.as_ref().filter(|_| !frame.model.is_asked) {
            return self.put_question(words);
        }
        if (frame.model.is_asked || frame.model.is_stuck) && !self.has_heard() {
            return;
        }
        let Some(frame) = self.state.frames.last_mut() else { return };
        if frame.model.is_asked && step.writes.is_empty() && matches!(step.kind, ModelKind::Ask) {
            frame.heard = None;
            return self.next();
        }
        self.ask_segment(playbook, playbook.step_id(op.step));
    }

    /// A question in the author's words needs no model; its answer does.
    fn put_question(&mut self, words: &Template) {
        match self.fill(words) {
            Eval::Done(text) => {
                self.say("user", text);
                if let Some(frame) = self.state.frames.last_mut() {
                    frame.model.is_asked = true;
                    frame.heard = None;
                }
            }
            Eval::Calls => {}
            Eval::Failed(reason) => self.fail_step(&reason),
        }
    }

    /// The model's decision of a condition, or a request for it.
    pub(super) fn decision(&mut self, playbook: &PlaybookCode, op: &Op) -> Option<DecisionAnswer> {
        let frame = self.state.frames.last_mut()?;
        let id = turn_of(playbook, op, frame);
        let at = frame.model.decisions.iter().position(|decision| *decision.id == *id);
        if let Some(at) = at {
            return Some(frame.model.decisions.remove(at));
        }
        frame.model.drop_rest();
        if frame.model.is_stuck && !self.has_heard() {
            return None;
        }
        self.ask_segment(playbook, playbook.step_id(op.step));
        None
    }

    pub(super) fn raw_step(&mut self) {
        let returned = self.state.frames.last_mut().and_then(|frame| frame.returned.take());
        match returned {
            Some(outcome) => self.end_call(outcome),
            None => self.ask_model(Purpose::Raw, None),
        }
    }

    fn ask_segment(&mut self, playbook: &PlaybookCode, step: Arc<str>) {
        let Some(frame) = self.state.frames.last() else { return };
        if self.state.settings.recalls && playbook.learns && frame.model.learned.is_none() {
            return self.recall(playbook, step);
        }
        self.ask_model(Purpose::Segment, None);
    }

    fn recall(&mut self, playbook: &PlaybookCode, step: Arc<str>) {
        let Some(frame) = self.state.frames.last().map(|frame| frame.id) else { return };
        let recall = self.number();
        self.state.open = Some(Open::Recall { recall });
        let effect = self.recall_effect(recall, playbook, Arc::clone(&step));
        self.ask_for(Entry::Recalling { recall, frame, step }, effect);
    }

    pub(super) fn recall_effect(&self, recall: u64, playbook: &PlaybookCode, step: Arc<str>) -> Effect {
        let text = playbook.steps.iter().find(|info| info.id == step).map_or("", |info| &*info.text);
        let heard = self.state.transcript.iter().rev();
        let heard = heard.into_iter().find(|message| message.from == crate::effect::Speaker::User);
        let heard = heard.map_or("", |message| message.text.as_str());
        // `$order_id` is about an order: names are words to whoever searches.
        let query = format!("{} {text} {heard}", playbook.plain).replace(['$', '_'], " ");
        Effect::Recall { recall, playbook: playbook.name.clone(), step, query }
    }

    /// Learned notes are data: they get labels, an order and a size, and nothing else.
    pub(super) fn recalled(&mut self, mut notes: Vec<Learned>) {
        self.state.open = None;
        notes.sort_by_key(|note| note.from);
        let label = |(at, note): (usize, Learned)| {
            let end =
                (0..=note.text.len().min(MAX_LEARNED_BYTES)).rev().find(|&at| note.text.is_char_boundary(at));
            let text = note.text[..end.unwrap_or(0)].to_owned();
            LearnedContext { label: format!("L{}", at + 1), rule: note.rule, text }
        };
        let learned = notes.into_iter().take(MAX_LEARNED).enumerate().map(label).collect();
        if let Some(frame) = self.state.frames.last_mut() {
            frame.model.learned = Some(learned);
        }
    }

    pub(super) fn ask_triggers(&mut self) {
        if self.candidates().is_empty() {
            self.state.unjudged = None;
            return;
        }
        self.ask_model(Purpose::Triggers, None);
    }

    fn ask_model(&mut self, purpose: Purpose, repair: Option<Repair>) {
        let budget = &self.state.settings.budget;
        if self.state.spent.model_calls >= budget.model_calls {
            return self.stop(Limit::ModelCalls);
        }
        if self.state.spent.tokens >= budget.tokens {
            return self.stop(Limit::Tokens);
        }
        if self.state.spent.cost_micros >= budget.cost_micros {
            return self.stop(Limit::Money);
        }
        self.state.spent.model_calls += 1;
        let request = self.number();
        self.state.open = Some(Open::Model { request, purpose, repair });
        let built = self.request(request, purpose);
        let ids = built.context.steps.iter().map(|step| &step.id);
        let ids = ids.chain(built.context.questions.iter().map(|question| &question.id));
        let steps: Vec<Arc<str>> = ids.cloned().collect();
        let frame = self.state.frames.last().map(|frame| frame.id);
        let entry = Entry::Asked { request, frame, purpose, steps: steps.into() };
        self.ask_for(entry, Effect::AskModel(Box::new(built)));
    }

    pub(super) fn answered(&mut self, answer: &serde_json::Value) {
        let Some(Open::Model { request, purpose, repair }) = self.state.open.take() else { return };
        if purpose == Purpose::Raw {
            return self.raw_answered(request, answer);
        }
        let built = self.rebuilt(request, purpose, repair.clone());
        match self.checked(&built, purpose, answer) {
            Ok(accepted) => self.accepted(request, purpose, &built, accepted),
            Err(problem) => {
                self.tell(Entry::Refused { request, problem: problem.as_str().into() });
                if repair.is_some() {
                    return self.model_gave_up(purpose, &problem);
                }
                self.ask_model(purpose, Some(Repair { answer: answer.clone(), problem }));
            }
        }
    }

    /// The request that is being answered, as it was made.
    fn rebuilt(&mut self, request: u64, purpose: Purpose, repair: Option<Repair>) -> ModelRequest {
        self.state.open = Some(Open::Model { request, purpose, repair });
        let built = self.request(request, purpose);
        self.state.open = None;
        built
    }

    fn checked(
        &self,
        built: &ModelRequest,
        purpose: Purpose,
        answer: &serde_json::Value,
    ) -> Result<Answer, String> {
        let offers = (purpose == Purpose::Segment).then(|| self.offers());
        let rules = Rules {
            code: &self.code,
            agent: self.running_agent(),
            context: &built.context,
            offers: offers.as_deref(),
        };
        check(&rules, answer)
    }

    fn accepted(&mut self, request: u64, purpose: Purpose, built: &ModelRequest, answer: Answer) {
        self.tell(Entry::Accepted { request });
        if purpose == Purpose::Triggers || !built.context.triggers.is_empty() {
            let message = self.state.unjudged.take();
            self.fire_meant(&answer, message.as_deref());
        }
        if !answer.applied.is_empty() {
            self.tell_applied(built, &answer.applied);
        }
        if purpose == Purpose::Triggers {
            return self.reply(built, answer);
        }
        if let Some(frame) = self.state.frames.last_mut() {
            frame.model.steps = answer.steps.into();
            frame.model.decisions = answer.decisions;
            frame.model.learned = None;
            frame.model.is_stuck = false;
            frame.heard = None;
        }
    }

    fn fire_meant(&mut self, answer: &Answer, message: Option<&str>) {
        let code = Arc::clone(&self.code);
        for fired in &answer.triggers {
            let Some(trigger) = code.triggers.all.iter().position(|trigger| trigger.id == fired.id) else {
                continue;
            };
            let because = format!("{}: {}", message.unwrap_or("the message"), fired.why);
            let (args, steps) = (fired.args.clone(), fired.steps.clone());
            self.state.firings.push_back(Firing { trigger, instance: None, because, args, steps });
        }
    }

    /// Words for a message that no trigger fits, if nothing else would answer it.
    fn reply(&mut self, built: &ModelRequest, answer: Answer) {
        if !answer.triggers.is_empty() || !built.context.wants_reply {
            return;
        }
        match answer.reply.filter(|words| !words.trim().is_empty()) {
            Some(words) => self.say("user", words),
            None => self.unhandled(),
        }
    }

    fn unhandled(&mut self) {
        let Some(message) = self.state.transcript.last().map(|message| message.id.clone()) else { return };
        self.ask_for(Entry::Unhandled { message: message.as_str().into() }, Effect::Unhandled { message });
    }

    fn tell_applied(&mut self, built: &ModelRequest, labels: &[String]) {
        let learned = built.context.playbook.iter().flat_map(|playbook| &playbook.learned);
        let learned: Vec<&LearnedContext> = learned.collect();
        let note = |label: &String| AppliedNote {
            label: label.clone(),
            rule: learned.iter().find(|note| note.label == *label).map(|note| note.rule.clone()),
        };
        let notes = labels.iter().map(note).collect();
        let frame = self.state.frames.last().map_or(0, |frame| frame.id);
        self.tell(Entry::Applied { frame, notes });
    }

    fn raw_answered(&mut self, request: u64, answer: &serde_json::Value) {
        self.tell(Entry::Accepted { request });
        let value = match answer.as_str() {
            Some(text) => playbook_lang::Value::from(text.trim()),
            None => answer.clone().into(),
        };
        if let Some(frame) = self.state.frames.last_mut() {
            frame.returned = Some(crate::eval::is_storable(&value).map(|()| value));
        }
    }

    pub(super) fn model_failed(&mut self, reason: &str) {
        let Some(Open::Model { purpose, .. }) = self.state.open.take() else { return };
        self.model_gave_up(purpose, reason);
    }

    /// The model could not do it: what now is up to the playbook.
    pub(super) fn model_gave_up(&mut self, purpose: Purpose, problem: &str) {
        if purpose == Purpose::Triggers {
            self.state.unjudged = None;
            if self.state.frames.is_empty() {
                self.unhandled();
            }
            return;
        }
        let code = Arc::clone(&self.code);
        let Some(frame) = self.state.frames.last_mut() else { return };
        let Some(playbook) = frame.playbook().and_then(|id| code.playbook(id)) else { return };
        frame.model.drop_rest();
        let policy = if purpose == Purpose::Raw { OnFail::Abort } else { playbook.on_fail };
        match policy {
            OnFail::Retry if frame.model.retries == 0 => frame.model.retries += 1,
            OnFail::Ask => {
                frame.model.is_stuck = true;
                frame.heard = None;
                let step = playbook.ops.get(frame.pc).and_then(|op| playbook.steps.get(op.step));
                let text = step.map_or("", |step| &*step.text);
                self.say("user", format!("I could not do this: \"{text}\". How should I go on?"));
            }
            OnFail::HandOff => {
                let reason = format!("{}: {problem}", self.place());
                self.finish(Outcome::HandedOff { reason });
            }
            OnFail::Abort | OnFail::Retry => self.fail_step(problem),
        }
    }
}

/// The id of a step as it was offered, in the turn its loops are in.
fn turn_of(playbook: &PlaybookCode, op: &Op, frame: &Frame) -> Arc<str> {
    turn_id(playbook, op.step, &|slot| frame.loops.get(slot).map_or(0, |turns| turns.count))
}
