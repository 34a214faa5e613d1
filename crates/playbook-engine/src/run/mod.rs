//! A run of a program: events in, entries and effects out.

mod apply;
mod builtins;
mod calls;
mod context;
mod evaluate;
mod events;
mod firing;
mod frame;
mod hooks;
mod host;
mod ops;
mod outstanding;
mod python;
mod replay;
mod segment;
mod state;
mod steps;
mod wait;

use std::sync::Arc;

use crate::code::Playbooks;
use crate::effect::Effect;
use crate::event::Event;
use crate::journal::Entry;

pub(crate) use frame::Turns;
pub use replay::{ResumeError, Resumed};
pub use state::{Spent, State};

use replay::Replay;

/// A run. It does nothing by itself: [`Run::advance`] takes an event and says what to do.
#[derive(Debug)]
pub struct Run {
    code: Arc<Playbooks>,
    state: State,
    /// Entries made so far.
    position: u64,
    entries: Vec<Entry>,
    effects: Vec<Effect>,
    replay: Replay,
    live: python::Live,
    /// Results of calls that the expressions of the operation at hand have used.
    memo_used: usize,
}

/// What came of an event. The entries belong in the journal before the effects are carried out.
#[derive(Debug, Default, PartialEq)]
pub struct Advance {
    pub entries: Vec<Entry>,
    pub effects: Vec<Effect>,
}

/// An event that does not fit. The run has not changed, and the event belongs in no journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the run has not started; the first event must be `start`")]
    NotStarted,
    #[error("the run has already started")]
    AlreadyStarted,
    #[error("there is no playbook `{0}` to start")]
    NoPlaybook(String),
    #[error("`{0}` cannot start: {1}")]
    Arguments(String, String),
    #[error("the run is over")]
    Over,
    #[error("nothing with number {0} is waited for; it may have been answered already")]
    NotWaitedFor(u64),
    #[error("timer {timer} is due at {due}, and it is {now}")]
    TooEarly { timer: u64, due: u64, now: u64 },
}

impl Run {
    #[must_use]
    pub fn new(code: Arc<Playbooks>) -> Self {
        Self {
            code,
            state: State::default(),
            position: 0,
            entries: Vec::new(),
            effects: Vec::new(),
            replay: Replay::default(),
            live: python::Live::default(),
            memo_used: 0,
        }
    }

    /// Takes an event at a time (milliseconds since 1970) and goes on until something is needed from outside.
    pub fn advance(&mut self, at: u64, event: Event) -> Result<Advance, Refusal> {
        let event = self.admit(at, event)?;
        self.take(at, event);
        Ok(self.harvest())
    }

    fn take(&mut self, at: u64, event: Event) {
        self.state.now = self.state.now.max(at);
        self.tell(Entry::Input { at, event: Box::new(event.clone()) });
        self.on(event);
        self.go_on();
    }

    fn harvest(&mut self) -> Advance {
        Advance { entries: std::mem::take(&mut self.entries), effects: std::mem::take(&mut self.effects) }
    }

    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The number of entries the run has made.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    #[must_use]
    pub fn playbooks(&self) -> &Arc<Playbooks> {
        &self.code
    }

    /// Writes an entry. While a journal is replayed, it is compared with what is there; whether it is new is said.
    fn tell(&mut self, entry: Entry) -> bool {
        self.position += 1;
        if self.replay.expects(&entry, self.position) {
            return false;
        }
        self.entries.push(entry);
        true
    }

    /// Writes an entry that stands for something to do.
    fn ask_for(&mut self, entry: Entry, effect: Effect) {
        if self.tell(entry) {
            self.effects.push(effect);
        }
    }
}
