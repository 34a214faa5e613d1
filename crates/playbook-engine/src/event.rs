//! What happens outside of a run and is told to it. Events are the only way anything gets in.

use std::collections::BTreeMap;

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

use crate::settings::{Budget, Settings};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The first event of every run.
    Start(Box<Start>),
    /// The user says something.
    Message { text: String },
    /// The model answered.
    Answer {
        request: u64,
        answer: serde_json::Value,
        #[serde(default)]
        used: Used,
    },
    /// The model could not be reached or gave nothing usable, retries included.
    ModelFailed { request: u64, reason: String },
    /// The model was not asked because that would have cost too much: the run stops, as at any other budget.
    Unaffordable { request: u64, reason: String },
    /// A tool gave a value.
    ToolResult { call: u64, value: Value },
    /// A tool failed.
    ToolFailed { call: u64, reason: String },
    /// A timer is due. Telling it twice does nothing.
    Timer { timer: u64 },
    /// Somebody decided about an approval.
    Approval { approval: u64, is_granted: bool, by: String },
    /// What memory has for a step; see [`crate::Effect::Recall`].
    Recalled { recall: u64, notes: Vec<Learned> },
    /// A run that stopped at a budget goes on with another one.
    Continue { budget: Budget },
    /// Only the time has passed.
    Tick,
}

/// What an answer took: everything on the way to it counts, also what was refused or repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Used {
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub cost_micros: u64,
    /// Calls beyond the one that was asked for.
    pub more_calls: u64,
}

impl Used {
    #[must_use]
    pub fn tokens(tokens: u64) -> Self {
        Self { tokens, ..Self::default() }
    }
}

/// How a run begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Start {
    /// The playbook to run, `Name` or `Agent.Name`; without one, everything that triggers at the beginning.
    pub playbook: Option<String>,
    /// Arguments by parameter name.
    pub args: BTreeMap<String, Value>,
    /// Variables every agent starts with.
    pub variables: BTreeMap<String, Value>,
    pub settings: Settings,
    /// The fingerprint of the program; filled in by the run.
    pub program: String,
}

/// Something experience taught. It is shown to the model as data and never read as steps or expressions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// The rule's own id, for counting its use.
    pub rule: String,
    pub text: String,
    pub from: LearnedFrom,
}

/// Who a learned rule is about. Rules for all users stand above those of one user.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearnedFrom {
    Agent,
    User,
}
