//! Events: whether they fit, and what they change.

use super::frame::ReturnsTo;
use super::state::{Firing, Open, State};
use super::{Refusal, Run};
use crate::bind;
use crate::code::Callee;
use crate::effect::Outcome;
use crate::event::{Event, Start};
use crate::journal::Entry;
use crate::settings::Limit;

/// How deep the JSON of an answer may be.
const MAX_DEPTH: usize = 64;

impl Run {
    /// Lets an event in, or says why not. Nothing changes here.
    pub(super) fn admit(&self, at: u64, event: Event) -> Result<Event, Refusal> {
        if let Event::Start(start) = event {
            return self.admit_start(start);
        }
        if !self.state.is_started {
            return Err(Refusal::NotStarted);
        }
        let can_continue = matches!(self.state.outcome, Some(Outcome::Partial { .. }));
        match (&event, &self.state.outcome) {
            (Event::Continue { .. }, Some(_)) if can_continue => return Ok(event),
            (_, Some(_)) => return Err(Refusal::Over),
            _ => {}
        }
        let waits = |number: u64, is_open: bool| {
            if is_open { Ok(()) } else { Err(Refusal::NotWaitedFor(number)) }
        };
        let open = self.state.open.as_ref();
        match &event {
            Event::Answer { request, .. }
            | Event::ModelFailed { request, .. }
            | Event::Unaffordable { request, .. } => {
                let is_open = matches!(open, Some(Open::Model { request: known, .. }) if known == request);
                waits(*request, is_open)?;
            }
            Event::ToolResult { call, .. } | Event::ToolFailed { call, .. } => {
                waits(*call, matches!(open, Some(Open::Tool { call: known }) if known == call))?;
            }
            Event::Approval { approval, .. } => {
                let is_open = matches!(open, Some(Open::Approval { approval: known }) if known == approval);
                waits(*approval, is_open)?;
            }
            Event::Recalled { recall, .. } => {
                waits(*recall, matches!(open, Some(Open::Recall { recall: known }) if known == recall))?;
            }
            Event::Timer { timer } => {
                let Some(found) = self.state.timers.get(timer) else {
                    return Err(Refusal::NotWaitedFor(*timer));
                };
                let now = self.state.now.max(at);
                if now < found.due {
                    return Err(Refusal::TooEarly { timer: *timer, due: found.due, now });
                }
            }
            Event::Start(_) | Event::Message { .. } | Event::Continue { .. } | Event::Tick => {}
        }
        Ok(storable(event))
    }

    fn admit_start(&self, mut start: Box<Start>) -> Result<Event, Refusal> {
        if self.state.is_started {
            return Err(Refusal::AlreadyStarted);
        }
        for (name, value) in start.args.iter().chain(&start.variables) {
            crate::eval::is_storable(value).map_err(|why| Refusal::Arguments(name.clone(), why))?;
        }
        if let Some(name) = &start.playbook {
            let Some(id) = self.code.find(name) else { return Err(Refusal::NoPlaybook(name.clone())) };
            let params = self.code.parameters_of(&Callee::Playbook(id));
            let args = start.args.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            bind::bind(&params, Vec::new(), args).map_err(|why| Refusal::Arguments(name.clone(), why))?;
        }
        self.code.fingerprint().clone_into(&mut start.program);
        Ok(Event::Start(start))
    }

    pub(super) fn on(&mut self, event: Event) {
        match event {
            Event::Start(start) => self.start(*start),
            Event::Message { text } => {
                self.state.inbox.push_back(text);
                if self.state.open == Some(Open::User) {
                    self.state.open = None;
                }
            }
            Event::Answer { answer, used, .. } => {
                self.state.spent.add(used);
                self.answered(&answer);
            }
            Event::ModelFailed { reason, .. } => self.model_failed(&reason),
            Event::Unaffordable { reason, .. } => {
                self.state.open = None;
                let at = format!("{} ({reason})", self.place());
                self.stop_at(Limit::Money, at);
            }
            Event::ToolResult { value, .. } => self.tool_returned(Ok(value)),
            Event::ToolFailed { reason, .. } => self.tool_returned(Err(reason)),
            Event::Timer { timer } => self.timer_due(timer),
            Event::Approval { is_granted, by, .. } => {
                self.state.open = None;
                if let Some(frame) = self.state.frames.last_mut() {
                    frame.approval =
                        Some(if is_granted { Ok(()) } else { Err(format!("{by} did not approve it")) });
                }
            }
            Event::Recalled { notes, .. } => self.recalled(notes),
            Event::Continue { budget } => {
                self.state.settings.budget = budget;
                self.state.outcome = None;
            }
            Event::Tick => {}
        }
    }

    fn start(&mut self, start: Start) {
        self.state.is_started = true;
        self.state.started = self.state.now;
        self.state.settings = start.settings;
        self.state.start_args = start.args;
        self.state.start_variables = start.variables;
        self.set_timers();
        let code = std::sync::Arc::clone(&self.code);
        if let Some(id) = start.playbook.and_then(|name| code.find(&name)) {
            self.state.is_single = true;
            let args = self.state.start_args.clone().into_iter().collect();
            if let Err(why) = self.call(&Callee::Playbook(id), None, (Vec::new(), args), ReturnsTo::Run, None)
            {
                self.finish(Outcome::Failed { reason: why });
            }
            return;
        }
        for &trigger in &code.triggers.begin {
            let because = "the program starts".to_owned();
            let args = self.state.start_args.clone().into_iter().collect();
            self.state.firings.push_back(Firing {
                trigger,
                instance: None,
                because,
                args,
                steps: Vec::new(),
            });
        }
    }

    /// Ends the run. What it knows stays as it is.
    pub(super) fn finish(&mut self, outcome: Outcome) {
        if self.state.outcome.is_some() {
            return;
        }
        self.state.outcome = Some(outcome.clone());
        let effect = crate::effect::Effect::Finished(outcome.clone());
        self.ask_for(Entry::Finished { outcome: Box::new(outcome) }, effect);
    }

    pub(super) fn number(&mut self) -> u64 {
        State::take_number(&mut self.state.next.request)
    }
}

/// An event as the journal can keep it: JSON has no infinite numbers, and readers of JSON refuse to go very deep.
fn storable(event: Event) -> Event {
    match event {
        Event::ToolResult { call, value } => match crate::eval::is_storable(&value) {
            Ok(()) => Event::ToolResult { call, value },
            Err(reason) => Event::ToolFailed { call, reason },
        },
        Event::Answer { request, answer, used } if is_deeper(&answer, MAX_DEPTH) => {
            let answer = serde_json::Value::from("(an answer that was nested too deeply)");
            Event::Answer { request, answer, used }
        }
        event @ (Event::Start(_)
        | Event::Message { .. }
        | Event::Answer { .. }
        | Event::ModelFailed { .. }
        | Event::Unaffordable { .. }
        | Event::ToolFailed { .. }
        | Event::Timer { .. }
        | Event::Approval { .. }
        | Event::Recalled { .. }
        | Event::Continue { .. }
        | Event::Tick) => event,
    }
}

fn is_deeper(value: &serde_json::Value, most: usize) -> bool {
    let Some(left) = most.checked_sub(1) else { return true };
    match value {
        serde_json::Value::Array(items) => items.iter().any(|item| is_deeper(item, left)),
        serde_json::Value::Object(map) => map.values().any(|item| is_deeper(item, left)),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => false,
    }
}
