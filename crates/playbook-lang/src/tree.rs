//! The tree of a program: agents, their playbooks, and what stands in them.

use serde::Serialize;
use serde_json::Value;

use crate::meta::Meta;
use crate::placeholder::Template;
use crate::span::{Span, Spanned};
use crate::step::Step;
use crate::trigger::Trigger;

/// Who an agent is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub enum AgentKind {
    Ai,
    Human,
    Mcp,
}

/// A first-level heading and everything below it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agent {
    /// The name as it is written.
    pub title: Spanned<String>,
    /// The name as a class: `Order Support Agent` is `OrderSupportAgent`.
    pub class: String,
    pub kind: AgentKind,
    /// Whether the file has playbooks without an agent, and this one stands in for it.
    pub is_implicit: bool,
    pub meta: Meta,
    pub description: Template,
    pub playbooks: Vec<Playbook>,
    pub python: Vec<PythonBlock>,
    pub span: Span,
}

/// How a playbook is carried out.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Step by step.
    Steps,
    /// No steps are written: the model decides what to do next.
    React,
    /// One completion of the description, without tools.
    Raw,
    /// A function of a Python block.
    Python,
}

/// A second-level heading, or a decorated Python function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Playbook {
    /// The whole heading.
    pub title: Spanned<String>,
    /// The heading without parameters and type.
    pub name: Spanned<String>,
    /// What names are compared by; see [`crate::name::key`].
    pub key: String,
    pub params: Vec<Param>,
    pub returns: Option<Spanned<String>>,
    pub meta: Meta,
    pub description: Template,
    pub triggers: Vec<Trigger>,
    pub steps: Vec<Step>,
    pub notes: Vec<Note>,
    /// Sections with titles of their own; shown to a model, not executed.
    pub sections: Vec<OtherSection>,
    pub mode: Mode,
    pub span: Span,
}

impl Playbook {
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.meta.is_set("public") || self.meta.is_set("export")
    }

    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name.value == name)
    }

    /// Every step in order, bodies after their heads.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        let mut stack: Vec<&Step> = self.steps.iter().rev().collect();
        std::iter::from_fn(move || {
            let step = stack.pop()?;
            stack.extend(step.body.iter().rev());
            Some(step)
        })
    }

    #[must_use]
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.all_steps().find(|step| step.id == id)
    }
}

/// How an argument reaches a parameter.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamKind {
    Plain,
    KeywordOnly,
    /// `*rest`
    Positionals,
    /// `**rest`
    Keywords,
}

/// A parameter of a playbook.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Param {
    pub name: Spanned<String>,
    /// Written with `$`: the value also becomes a variable of the agent.
    pub is_state: bool,
    pub kind: ParamKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ty: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Default>,
}

/// A default value: its source, and the value if it is a literal as it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Default {
    pub source: Spanned<String>,
    pub value: Option<Value>,
}

/// A remark that holds throughout a playbook. Notes are numbered `N1`, `N2`, ….
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    pub id: String,
    pub text: String,
    pub span: Span,
}

/// A section that is none of triggers, steps and notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherSection {
    pub title: Spanned<String>,
    pub text: String,
    pub span: Span,
}

/// A fenced block of Python that belongs to an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PythonBlock {
    pub code: String,
    pub span: Span,
    /// Every function of the block, decorated or not.
    pub functions: Vec<String>,
}
