//! What must hold when a conversation is over.

use std::collections::BTreeMap;

use playbook_engine::{Entry, Outcome, State, Value};
use playbook_lang::placeholder::{Host, Limits, evaluate_value};

#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// An expression over variables.
    Holds(String),
    ModelCalls(u64),
    Calls {
        name: String,
        times: u64,
    },
    /// Steps of a playbook, in this order, others between them.
    Steps {
        playbook: String,
        steps: Vec<String>,
    },
    Said(String),
    NotSaid(String),
    Outcome(OutcomeKind),
    /// A note, or a learned rule.
    Applied(String),
    Fired(String),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    Waiting,
    Done,
    Ended,
    Partial,
    HandedOff,
    Failed,
}

impl OutcomeKind {
    pub const ALL: [Self; 6] =
        [Self::Waiting, Self::Done, Self::Ended, Self::Partial, Self::HandedOff, Self::Failed];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Ended => "ended",
            Self::Partial => "partial",
            Self::HandedOff => "handed off",
            Self::Failed => "failed",
        }
    }

    pub(super) fn of(state: &State) -> Self {
        match state.outcome() {
            None => Self::Waiting,
            Some(Outcome::Done { .. }) => Self::Done,
            Some(Outcome::Ended) => Self::Ended,
            Some(Outcome::Partial { .. }) => Self::Partial,
            Some(Outcome::HandedOff { .. }) => Self::HandedOff,
            Some(Outcome::Failed { .. }) => Self::Failed,
        }
    }
}

/// A run that is over, as far as the test goes.
pub(super) struct Evidence<'a> {
    pub(super) state: &'a State,
    pub(super) journal: &'a [Entry],
}

impl Evidence<'_> {
    /// Why an expectation is not met.
    pub(super) fn against(&self, expectation: &Expectation) -> Option<String> {
        match expectation {
            Expectation::Holds(source) => self.holds(source),
            Expectation::ModelCalls(count) => {
                let found = self.state.spent().model_calls;
                (found != *count).then(|| format!("there were {found} model calls and not {count}"))
            }
            Expectation::Calls { name, times } => {
                let found = self.entered().filter(|call| called(call, name)).count() as u64;
                (found != *times).then(|| format!("`{name}` was called {found} times and not {times}"))
            }
            Expectation::Steps { playbook, steps } => self.steps(playbook, steps),
            Expectation::Said(text) => {
                let is_said = self.said().any(|said| contains(said, text));
                (!is_said).then(|| format!("nothing that was said holds \"{text}\""))
            }
            Expectation::NotSaid(text) => {
                let said = self.said().find(|said| contains(said, text));
                said.map(|said| format!("it was said: \"{said}\""))
            }
            Expectation::Outcome(kind) => self.outcome(*kind),
            Expectation::Applied(note) => self.applied(note),
            Expectation::Fired(name) => {
                let fired = self.journal.iter().any(|entry| {
                    matches!(entry, Entry::Fired { trigger, .. } if called(trigger.split(':').next().unwrap_or_default(), name))
                });
                (!fired).then(|| format!("no trigger of `{name}` fired"))
            }
        }
    }

    fn said(&self) -> impl Iterator<Item = &str> {
        self.journal.iter().filter_map(|entry| {
            if let Entry::Said { message } = entry { Some(message.text.as_str()) } else { None }
        })
    }

    fn entered(&self) -> impl Iterator<Item = &str> {
        self.journal.iter().filter_map(|entry| {
            if let Entry::Entered { call, .. } = entry { Some(call.name.as_str()) } else { None }
        })
    }

    fn holds(&self, source: &str) -> Option<String> {
        let mut variables = Variables(self.state);
        match evaluate_value(source, &mut variables, &Limits::default()) {
            Ok(value) if value.is_truthy() => None,
            Ok(_) => {
                let shown = names(source).into_iter().map(|name| match self.state.variable(&name) {
                    Some(value) => format!("${name} is {}", serde_json::to_string(value).unwrap_or_default()),
                    None => format!("${name} was never set"),
                });
                let shown: Vec<String> = shown.collect();
                Some(format!("it does not hold: {}", shown.join(", ")))
            }
            Err(error) => Some(error.to_string()),
        }
    }

    fn steps(&self, playbook: &str, expected: &[String]) -> Option<String> {
        let mut frames: BTreeMap<u64, &str> = BTreeMap::new();
        let mut done: Vec<&str> = Vec::new();
        for entry in self.journal {
            if let Entry::Entered { frame, call } = entry {
                frames.insert(*frame, call.name.as_str());
            } else if let Entry::Step { frame, step } = entry
                && frames.get(frame).is_some_and(|name| called(name, playbook))
            {
                done.push(step);
            }
        }
        let mut left = done.iter();
        let missing = expected.iter().find(|step| !left.any(|found| found == step))?;
        Some(format!(
            "step {missing} of `{playbook}` did not come in this order; done were: {}",
            done.join(", ")
        ))
    }

    fn outcome(&self, kind: OutcomeKind) -> Option<String> {
        let found = OutcomeKind::of(self.state);
        if found == kind {
            return None;
        }
        let why = match self.state.outcome() {
            Some(Outcome::Failed { reason } | Outcome::HandedOff { reason }) => format!(" ({reason})"),
            Some(Outcome::Partial { limit, most, at }) => format!(" ({most} {limit} at {at})"),
            Some(Outcome::Done { .. } | Outcome::Ended) | None => String::new(),
        };
        Some(format!("the run is {}{why} and not {}", found.as_str(), kind.as_str()))
    }

    fn applied(&self, note: &str) -> Option<String> {
        let is_applied = self.journal.iter().any(|entry| {
            matches!(entry, Entry::Applied { notes, .. }
                if notes.iter().any(|found| found.label == note || found.rule.as_deref() == Some(note)))
        });
        (!is_applied).then(|| format!("`{note}` was not applied"))
    }
}

/// `Agent.Playbook` answers to `Playbook` as well.
fn called(name: &str, wanted: &str) -> bool {
    let key = playbook_lang::name::key;
    let plain = name.split_once('.').map_or(name, |(_, plain)| plain);
    key(name) == key(wanted) || key(plain) == key(wanted)
}

/// Line breaks and blanks do not matter.
pub(super) fn contains(said: &str, wanted: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    plain(said).contains(&plain(wanted))
}

/// The `$names` of an expression.
fn names(source: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in source.split('$').skip(1) {
        let name: String =
            part.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

struct Variables<'a>(&'a State);

impl Host for Variables<'_> {
    fn variable(&mut self, name: &str) -> Option<Value> {
        self.0.variable(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.0.variables().flat_map(|(_, variables)| variables.keys().map(ToString::to_string)).collect()
    }
}
