//! Operations: what a compiled step does.

use std::sync::Arc;

use playbook_lang::WaitFor;
use playbook_lang::placeholder::Template;

use super::callee::Callee;
use crate::eval::{Expression, Place};

/// One operation. Jumps are positions in the same playbook.
#[derive(Debug)]
pub(crate) struct Op {
    /// The step it belongs to, by its place in [`super::PlaybookCode::steps`].
    pub(crate) step: usize,
    /// Whether a step begins here: it is told and counted.
    pub(crate) is_begin: bool,
    pub(crate) kind: OpKind,
}

#[derive(Debug)]
pub(crate) enum OpKind {
    Assign {
        place: Place,
        value: Expression,
    },
    Call {
        place: Option<Place>,
        site: CallSite,
    },
    Say {
        to: Box<str>,
        words: Template,
    },
    /// Goes on if the condition holds, else jumps.
    Test {
        question: Question,
        is_negated: bool,
        otherwise: usize,
        turns: Option<usize>,
    },
    /// Resets the counter of a loop.
    EnterLoop {
        slot: usize,
        most: Option<u64>,
    },
    /// Computes what a loop goes through; `None` where the model says it.
    Items {
        slot: usize,
        items: Option<Expression>,
    },
    Next {
        slot: usize,
        variable: Arc<str>,
        exit: usize,
    },
    Jump(usize),
    Return(Returning),
    End,
    Wait(WaitFor),
    Approve {
        who: Option<Box<str>>,
    },
    Model(ModelStep),
    /// The whole playbook is one completion.
    Raw,
}

/// A condition.
#[derive(Debug)]
pub(crate) enum Question {
    Native(Native),
    Model(Arc<str>),
}

/// A condition that the program decides.
#[derive(Debug)]
pub(crate) struct Native {
    pub(crate) condition: Expression,
    /// A variable that was never set counts as nothing, as in `$name is empty`.
    pub(crate) is_lenient: bool,
    /// Nothing but its truth comes of it: it names no playbook and no tool. A Python function in it may still call one,
    /// which then happens in its turn, behind what was answered before.
    pub(crate) is_plain: bool,
}

#[derive(Debug)]
pub(crate) enum Returning {
    Nothing,
    Value(Expression),
    Call(CallSite),
}

/// A call as it is written, its callee resolved.
#[derive(Debug)]
pub(crate) struct CallSite {
    pub(crate) name: Box<str>,
    pub(crate) callee: Callee,
    pub(crate) instance: Option<Box<str>>,
    pub(crate) args: Vec<Argument>,
}

#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: Option<Box<str>>,
    /// `*rest` or `**rest`
    pub(crate) is_unpacked: bool,
    pub(crate) value: Expression,
}

/// A step in words.
#[derive(Debug)]
pub(crate) struct ModelStep {
    pub(crate) kind: ModelKind,
    pub(crate) instruction: Arc<str>,
    /// Variables the answer may set, with their types.
    pub(crate) writes: Vec<(Box<str>, Option<Box<str>>)>,
    /// The values come from the user: a message must be named as the evidence.
    pub(crate) is_from_user: bool,
    /// The author's own words for a question: they are said as they are, and the model only reads the answer.
    pub(crate) words: Option<Template>,
}

#[derive(Debug)]
pub(crate) enum ModelKind {
    Say,
    Ask,
    Assign(Place),
    /// One agent asks another: only its public playbooks may be called.
    Delegate {
        agent: usize,
    },
    Instruct,
    Think,
    Return,
    /// What a loop goes through.
    Items {
        slot: usize,
    },
    /// A playbook without steps: everything until it is done.
    React,
}

impl ModelKind {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Say => "say",
            Self::Ask => "ask",
            Self::Assign(_) => "assign",
            Self::Delegate { .. } => "delegate",
            Self::Instruct => "do",
            Self::Think => "think",
            Self::Return => "return",
            Self::Items { .. } => "list",
            Self::React => "playbook",
        }
    }
}
