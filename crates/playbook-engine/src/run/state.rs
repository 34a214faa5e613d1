//! The state of a run: plain data, a fold of its journal.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

use super::frame::Frame;
use crate::effect::{Message, Outcome};
use crate::event::Used;
use crate::journal::Purpose;
use crate::model::{Repair, StepAnswer};
use crate::settings::Settings;

/// Everything a run knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(crate) settings: Settings,
    /// Milliseconds since 1970, as the last event told.
    pub(crate) now: u64,
    pub(crate) started: u64,
    pub(crate) is_started: bool,
    /// The playbook that was asked for, if one was: the run ends with it.
    pub(crate) is_single: bool,
    pub(crate) instances: Vec<Instance>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) transcript: Vec<Arc<Message>>,
    pub(crate) open: Option<Open>,
    /// Messages that came while something else was going on.
    pub(crate) inbox: VecDeque<String>,
    pub(crate) firings: VecDeque<Firing>,
    pub(crate) timers: BTreeMap<u64, Timer>,
    /// A message for which the triggers have not been judged.
    pub(crate) unjudged: Option<String>,
    pub(crate) spent: Spent,
    pub(crate) next: Next,
    /// Arguments of the start, for every playbook that begins with it.
    pub(crate) start_args: BTreeMap<String, Value>,
    pub(crate) start_variables: BTreeMap<String, Value>,
    /// What the last started playbook returned.
    pub(crate) result: Value,
    pub(crate) outcome: Option<Outcome>,
}

/// An agent that lives: its variables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Instance {
    pub(crate) agent: usize,
    pub(crate) id: Option<String>,
    pub(crate) variables: BTreeMap<Arc<str>, Value>,
    pub(crate) artifacts: BTreeMap<String, Value>,
    /// State triggers whose condition holds.
    pub(crate) holding: Vec<usize>,
}

/// What the run cannot go on without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Open {
    Model { request: u64, purpose: Purpose, repair: Option<Repair> },
    Tool { call: u64 },
    User,
    Approval { approval: u64 },
    Timer { timer: u64 },
    Recall { recall: u64 },
}

/// A trigger that fired and whose playbook has not begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Firing {
    pub(crate) trigger: usize,
    pub(crate) instance: Option<usize>,
    pub(crate) because: String,
    pub(crate) args: Vec<(String, Value)>,
    /// The first steps, if the model did them with its decision.
    pub(crate) steps: Vec<StepAnswer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timer {
    pub(crate) due: u64,
    pub(crate) wakes: Wakes,
}

/// What a timer is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wakes {
    Trigger(usize),
    /// A frame that waits.
    Frame(u64),
}

/// What a run has used of its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    pub model_calls: u64,
    pub tokens: u64,
    pub cost_micros: u64,
    pub steps: u64,
}

impl Spent {
    pub(crate) fn add(&mut self, used: Used) {
        self.tokens = self.tokens.saturating_add(used.tokens);
        self.cost_micros = self.cost_micros.saturating_add(used.cost_micros);
        self.model_calls = self.model_calls.saturating_add(used.more_calls);
    }
}

/// Numbers that were not given yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Next {
    pub(crate) message: u64,
    pub(crate) frame: u64,
    /// Of requests, calls, approvals and recalls alike.
    pub(crate) request: u64,
    pub(crate) timer: u64,
}

impl State {
    /// The conversation so far.
    #[must_use]
    pub fn transcript(&self) -> &[Arc<Message>] {
        &self.transcript
    }

    /// The variables of every agent that lives, by its place among the program's agents.
    pub fn variables(&self) -> impl Iterator<Item = (usize, &BTreeMap<Arc<str>, Value>)> {
        self.instances.iter().map(|instance| (instance.agent, &instance.variables))
    }

    /// One variable, of the first agent that has it.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Value> {
        self.instances.iter().find_map(|instance| instance.variables.get(name))
    }

    /// Where it stands: the number of playbooks calling each other.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    #[must_use]
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Whether a message of the user is what the run waits for.
    #[must_use]
    pub fn is_waiting_for_user(&self) -> bool {
        self.outcome.is_none() && self.open == Some(Open::User)
    }

    /// Whether somebody's approval is what the run waits for.
    #[must_use]
    pub fn is_waiting_for_approval(&self) -> bool {
        self.outcome.is_none() && matches!(self.open, Some(Open::Approval { .. }))
    }

    /// When the time that the run may take is over; nothing for one that has not started or is over.
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        let is_running = self.is_started && self.outcome.is_none();
        is_running.then(|| self.started.saturating_add(self.settings.budget.wall_ms))
    }

    /// Timers that are set, with the time they are due.
    pub fn timers(&self) -> impl Iterator<Item = (u64, u64)> {
        self.timers.iter().map(|(timer, found)| (*timer, found.due))
    }

    pub(crate) fn take_number(counter: &mut u64) -> u64 {
        *counter += 1;
        *counter
    }
}
