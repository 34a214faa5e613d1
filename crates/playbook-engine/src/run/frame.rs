//! A frame: one call that is going on.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use playbook_lang::Value;
use serde::{Deserialize, Serialize};

use crate::code::PlaybookId;
use crate::model::{DecisionAnswer, LearnedContext, ResultContext, StepAnswer};

/// What came of a call.
pub(crate) type CallOutcome = Result<Value, String>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frame {
    pub(crate) id: u64,
    pub(crate) body: Body,
    /// The agent that runs it, by its place among the instances.
    pub(crate) instance: usize,
    /// `Name(args)`
    pub(crate) call: String,
    pub(crate) returns_to: ReturnsTo,
    pub(crate) trigger: Option<usize>,
    pub(crate) began: u64,
    pub(crate) is_told: bool,
    pub(crate) is_begun: bool,
    pub(crate) description: Option<String>,
    /// Parameters, and variables without `$`.
    pub(crate) locals: BTreeMap<Arc<str>, Value>,
    pub(crate) pc: usize,
    /// Whether the step at `pc` was told and counted.
    pub(crate) is_stepping: bool,
    pub(crate) loops: Vec<Turns>,
    /// Results of the calls inside the expression or the Python that is being worked on.
    pub(crate) memo: Vec<CallOutcome>,
    /// The result of the call of the operation at `pc`.
    pub(crate) returned: Option<CallOutcome>,
    pub(crate) model: ModelWork,
    /// The user's message this frame waited for.
    pub(crate) heard: Option<String>,
    pub(crate) approval: Option<Result<(), String>>,
    pub(crate) is_time_over: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    Playbook(PlaybookId),
    Tool {
        tool: usize,
        args: Vec<(String, Value)>,
    },
    /// A function of the Python blocks of an agent; a playbook if it is decorated as one.
    Python {
        playbook: Option<PlaybookId>,
        function: String,
        args: Vec<Value>,
        named: Vec<(String, Value)>,
    },
}

/// Who gets the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReturnsTo {
    /// The expression or Python of the frame below.
    Memo,
    /// The operation of the frame below.
    Operation,
    /// Nobody.
    Nobody,
    /// It decides whether the frame below may begin.
    Veto,
    /// The run itself.
    Run,
}

/// A loop that was entered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Turns {
    pub(crate) count: u64,
    pub(crate) most: Option<u64>,
    pub(crate) items: Vec<Value>,
}

/// What the model has answered for this frame, and what of it is left to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModelWork {
    pub(crate) steps: VecDeque<StepAnswer>,
    pub(crate) decisions: Vec<DecisionAnswer>,
    pub(crate) doing: Option<Doing>,
    /// The question at `pc` was put to the user.
    pub(crate) is_asked: bool,
    /// The user was asked how to go on.
    pub(crate) is_stuck: bool,
    pub(crate) retries: u8,
    pub(crate) learned: Option<Vec<LearnedContext>>,
    pub(crate) results: Vec<ResultContext>,
}

/// A step of an accepted answer that is being done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Doing {
    pub(crate) answer: StepAnswer,
    /// How much of it is done: the words, then the calls one by one.
    pub(crate) has_spoken: bool,
    pub(crate) calls: usize,
}

impl Frame {
    /// Goes to another operation.
    pub(crate) fn go(&mut self, pc: usize) {
        self.pc = pc;
        self.is_stepping = false;
        self.returned = None;
        if !self.memo.is_empty() {
            self.memo.clear();
        }
        self.model.is_asked = false;
        self.model.is_stuck = false;
        self.model.retries = 0;
    }

    pub(crate) fn playbook(&self) -> Option<PlaybookId> {
        match &self.body {
            Body::Playbook(id) => Some(*id),
            Body::Python { playbook, .. } => *playbook,
            Body::Tool { .. } => None,
        }
    }

    pub(crate) fn turns(&mut self, slot: usize) -> &mut Turns {
        if self.loops.len() <= slot {
            self.loops.resize_with(slot + 1, Turns::default);
        }
        &mut self.loops[slot]
    }
}

impl ModelWork {
    /// Forgets what is left of an answer.
    pub(crate) fn drop_rest(&mut self) {
        self.steps.clear();
        self.decisions.clear();
        self.doing = None;
    }
}
