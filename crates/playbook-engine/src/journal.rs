//! The journal: everything that happened in a run, in order.
//!
//! [`Entry::Input`] is what came from outside; the entries after it are what the run made of it. Given the inputs,
//! the run makes the same entries again, which is how it is resumed, replayed and looked at in the past. What
//! cannot be repeated exactly, the outcome of code in the sandbox with its limit of time, is in the journal as well
//! ([`Entry::Evaluated`], [`Entry::Python`]) and is taken from there.

use std::sync::Arc;

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

use crate::effect::{Message, Outcome};
use crate::event::Event;
use crate::settings::Limit;

/// One thing that happened. Frames are numbered in the order they begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// An event, and the time it came with (milliseconds since 1970).
    Input {
        at: u64,
        event: Box<Event>,
    },
    /// The user's message got an id.
    Heard {
        message: Arc<Message>,
    },
    /// A playbook, tool or function begins.
    Entered {
        frame: u64,
        call: Box<Call>,
    },
    /// The placeholders of its description were filled in.
    Described {
        frame: u64,
        text: Box<str>,
    },
    /// A step begins.
    Step {
        frame: u64,
        step: Arc<str>,
    },
    /// A variable got a value; long ones are shortened here.
    Set {
        frame: u64,
        variable: Arc<str>,
        value: Value,
    },
    /// A condition was decided.
    Decided {
        frame: u64,
        step: Arc<str>,
        is_true: bool,
        by: Box<DecidedBy>,
    },
    Said {
        message: Arc<Message>,
    },
    /// A model was asked for these steps.
    Asked {
        request: u64,
        frame: Option<u64>,
        purpose: Purpose,
        steps: Box<[Arc<str>]>,
    },
    /// Its answer was accepted.
    Accepted {
        request: u64,
    },
    /// Its answer broke a rule, and nothing of it took effect.
    Refused {
        request: u64,
        problem: Box<str>,
    },
    /// Notes the model says it applied: `N1` of the file, `L1` with the rule it stands for.
    Applied {
        frame: u64,
        notes: Box<[AppliedNote]>,
    },
    /// Learned notes were asked for.
    Recalling {
        recall: u64,
        frame: u64,
        step: Arc<str>,
    },
    ToolCalled {
        call: u64,
        tool: Box<str>,
        args: Box<[(String, Value)]>,
    },
    Waiting {
        frame: Option<u64>,
        r#for: Waiting,
    },
    TimerSet {
        timer: u64,
        due: u64,
        why: Box<str>,
    },
    TimerEnded {
        timer: u64,
    },
    /// A trigger fired, and why.
    Fired {
        trigger: Box<str>,
        because: Box<str>,
    },
    /// A trigger would have fired and was held back.
    HeldBack {
        trigger: Box<str>,
        because: Box<str>,
    },
    /// The outcome of an expression in the sandbox, and how many results of calls it used.
    Evaluated {
        outcome: Box<Evaluated>,
        calls: usize,
    },
    /// How far a Python function came.
    Python {
        frame: u64,
        outcome: Box<PythonOutcome>,
    },
    Returned {
        frame: u64,
        value: Value,
    },
    Failed {
        frame: u64,
        reason: Box<str>,
    },
    /// No playbook wanted a message.
    Unhandled {
        message: Box<str>,
    },
    /// A budget was reached.
    BudgetReached {
        limit: Limit,
        most: u64,
    },
    Finished {
        outcome: Box<Outcome>,
    },
}

/// What was called, how, and what for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// `Agent.Playbook`, or the name of a tool or function.
    pub name: String,
    /// `Name(args)`
    pub text: String,
    pub depth: usize,
    /// The trigger that made it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum DecidedBy {
    Expression,
    Model { why: String, evidence: Option<String> },
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Steps of a playbook.
    Segment,
    /// Which triggers a message fires.
    Triggers,
    /// One completion of a description.
    Raw,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    User,
    Timer,
    Approval,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedNote {
    pub label: String,
    /// The learned rule behind an `L` label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// The outcome of an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evaluated {
    Value(Value),
    Text(String),
    Failed(String),
}

/// The outcome of a stretch of Python.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PythonOutcome {
    /// It calls a playbook, tool or function.
    Calls {
        name: String,
        args: Vec<Value>,
        named: Vec<(String, Value)>,
    },
    Returned(Value),
    Raised(String),
}
