//! Driving a run in one process: for tests, for `reflexio playbook test`, and as an example of how to do it.

use std::collections::{BTreeMap, VecDeque};

use playbook_lang::Value;

use crate::effect::Effect;
use crate::event::{Event, Learned, Start, Used};
use crate::journal::Entry;
use crate::model::ModelRequest;
use crate::run::{Refusal, Run};

/// Everything around a run. Only what a program needs must be there.
pub trait World {
    /// The model's answer, or why there is none.
    fn model(&mut self, request: &ModelRequest) -> Result<serde_json::Value, String>;

    fn tool(&mut self, name: &str, args: &[(String, Value)]) -> Result<Value, String> {
        let _ = args;
        Err(format!("there is no tool `{name}`"))
    }

    /// What the user says next; `None` when the user has nothing more to say.
    fn user(&mut self) -> Option<String> {
        None
    }

    fn recall(&mut self, _query: &str) -> Vec<Learned> {
        Vec::new()
    }

    /// Whether somebody approves, and who.
    fn approve(&mut self, _text: &str) -> (bool, String) {
        (false, "nobody".to_owned())
    }

    /// Whether the next timer may be waited for.
    fn lets_time_pass(&mut self) -> bool {
        false
    }
}

/// A run with its journal and its clock.
#[derive(Debug)]
pub struct Drive {
    pub run: Run,
    pub journal: Vec<Entry>,
    /// Milliseconds since 1970.
    pub now: u64,
    pending: VecDeque<Effect>,
}

impl Drive {
    /// Starts a run.
    pub fn start(run: Run, now: u64, start: Start) -> Result<Self, Refusal> {
        let mut drive = Self { run, journal: Vec::new(), now, pending: VecDeque::new() };
        drive.tell(Event::Start(Box::new(start)))?;
        Ok(drive)
    }

    /// Goes on with a run that was resumed.
    #[must_use]
    pub fn resumed(resumed: crate::run::Resumed, mut journal: Vec<Entry>, now: u64) -> Self {
        journal.extend(resumed.entries);
        Self { run: resumed.run, journal, now, pending: resumed.effects.into() }
    }

    /// Tells the run an event and keeps what it asks for.
    pub fn tell(&mut self, event: Event) -> Result<(), Refusal> {
        let advance = self.run.advance(self.now, event)?;
        self.journal.extend(advance.entries);
        self.pending.extend(advance.effects);
        Ok(())
    }

    /// Does what the run asks for until it is over, or the user and the timers have nothing more.
    pub fn until_quiet(&mut self, world: &mut dyn World) -> Result<(), Refusal> {
        loop {
            match self.pending.pop_front() {
                Some(effect) => {
                    if let Some(event) = answer(&effect, world) {
                        self.tell(event)?;
                    }
                }
                None if self.run.state().outcome().is_some() => return Ok(()),
                None if self.run.state().is_waiting_for_user() => match world.user() {
                    Some(text) => self.tell(Event::Message { text })?,
                    None if self.wait(world)? => {}
                    None => return Ok(()),
                },
                None if self.wait(world)? => {}
                None => return Ok(()),
            }
        }
    }

    /// Lets the next timer come.
    fn wait(&mut self, world: &mut dyn World) -> Result<bool, Refusal> {
        let next = self.run.state().timers().min_by_key(|(timer, due)| (*due, *timer));
        match next {
            Some((timer, due)) if world.lets_time_pass() => {
                self.now = self.now.max(due);
                self.tell(Event::Timer { timer })?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// What was said to anybody, in order.
    pub fn said(&self) -> impl Iterator<Item = &str> {
        self.journal.iter().filter_map(|entry| {
            if let Entry::Said { message } = entry { Some(message.text.as_str()) } else { None }
        })
    }
}

fn answer(effect: &Effect, world: &mut dyn World) -> Option<Event> {
    Some(match effect {
        Effect::AskModel(request) => match world.model(request) {
            Ok(answer) => Event::Answer { request: request.id, answer, used: Used::default() },
            Err(reason) => Event::ModelFailed { request: request.id, reason },
        },
        Effect::CallTool { call, tool, args } => match world.tool(tool, args) {
            Ok(value) => Event::ToolResult { call: *call, value },
            Err(reason) => Event::ToolFailed { call: *call, reason },
        },
        Effect::Recall { recall, query, .. } => {
            Event::Recalled { recall: *recall, notes: world.recall(query) }
        }
        Effect::AskApproval { approval, text, .. } => {
            let (is_granted, by) = world.approve(text);
            Event::Approval { approval: *approval, is_granted, by }
        }
        Effect::Say(_)
        | Effect::WaitForUser { .. }
        | Effect::SetTimer { .. }
        | Effect::Unhandled { .. }
        | Effect::Finished(_) => return None,
    })
}

/// A world that was written down: messages, answers and results in the order they are needed.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub messages: VecDeque<String>,
    pub answers: VecDeque<serde_json::Value>,
    /// Results by tool, in order; the last one stays.
    pub tools: BTreeMap<String, VecDeque<Result<Value, String>>>,
    pub learned: Vec<Learned>,
    pub approves: Option<bool>,
    pub timers: usize,
    /// Every request the model got.
    pub asked: Vec<ModelRequest>,
}

impl Script {
    /// Leaves out what a journal shows to have been used.
    #[must_use]
    pub fn after(mut self, journal: &[Entry]) -> Self {
        for entry in journal {
            let Entry::Input { event, .. } = entry else { continue };
            match &**event {
                Event::Message { .. } => drop(self.messages.pop_front()),
                Event::Answer { .. } => drop(self.answers.pop_front()),
                Event::Timer { .. } => self.timers = self.timers.saturating_sub(1),
                Event::ToolResult { call, .. } | Event::ToolFailed { call, .. } => {
                    let made = journal.iter().find_map(|entry| {
                        let Entry::ToolCalled { call: made, tool, .. } = entry else { return None };
                        (made == call).then_some(tool)
                    });
                    if let Some(results) = made.and_then(|tool| self.tools.get_mut(tool.as_ref() as &str)) {
                        next_result(results);
                    }
                }
                Event::Start(_)
                | Event::ModelFailed { .. }
                | Event::Unaffordable { .. }
                | Event::Approval { .. }
                | Event::Recalled { .. }
                | Event::Continue { .. }
                | Event::Tick => {}
            }
        }
        self
    }
}

/// The last result is given again and again.
fn next_result<T: Clone>(results: &mut VecDeque<T>) -> Option<T> {
    if results.len() > 1 { results.pop_front() } else { results.front().cloned() }
}

impl World for Script {
    fn model(&mut self, request: &ModelRequest) -> Result<serde_json::Value, String> {
        self.asked.push(request.clone());
        self.answers.pop_front().ok_or_else(|| "the script has no more answers".to_owned())
    }

    fn tool(&mut self, name: &str, _args: &[(String, Value)]) -> Result<Value, String> {
        let Some(results) = self.tools.get_mut(name) else {
            return Err(format!("there is no tool `{name}`"));
        };
        next_result(results).unwrap_or_else(|| Err(format!("the script has no result of `{name}`")))
    }

    fn user(&mut self) -> Option<String> {
        self.messages.pop_front()
    }

    fn recall(&mut self, _query: &str) -> Vec<Learned> {
        self.learned.clone()
    }

    fn approve(&mut self, _text: &str) -> (bool, String) {
        (self.approves.unwrap_or(false), "the script".to_owned())
    }

    fn lets_time_pass(&mut self) -> bool {
        let left = self.timers > 0;
        self.timers = self.timers.saturating_sub(1);
        left
    }
}
