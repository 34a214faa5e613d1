//! Markdown playbooks: a workflow language that people write as headings and lists.
//!
//! [`Program::parse`] turns files into a tree of agents, playbooks, triggers and steps, each step classified as
//! something a runtime can do by itself or something a model must be asked for. It never fails: what is wrong is
//! in [`Program::diagnostics`], with spans and often with a fix. [`format`](fn@format) lays a file out,
//! [`explain`](fn@explain) says who does each step and why, [`placeholder`] finds and evaluates `{expressions}`
//! in descriptions, [`render`] shows diagnostics to people and machines. Start reading at `program.rs`.
//!
//! This crate must never do I/O, call a model, read a clock or run a program: files and imports are given to it,
//! and the only code it evaluates is an expression in a sandbox, with limits, against a [`placeholder::Host`].
//! It must never panic on any input.

mod build;
mod classify;
mod diagnostic;
mod explain;
mod expr;
pub mod expression;
mod fix;
mod fmt;
mod intro;
mod items;
mod lexer;
mod lint;
mod load;
mod markdown;
mod meta;
mod model_calls;
pub mod name;
mod names;
pub mod placeholder;
mod program;
mod python;
mod python_block;
pub mod render;
mod section;
mod signature;
mod source;
mod span;
mod step;
mod suggest;
mod symbols;
mod tree;
mod trigger;
mod types;
mod value;

pub use diagnostic::{Code, Diagnostic, Fix, Severity};
pub use explain::{
    Doer, Explained, ExplainedPlaybook, ExplainedTrigger, explain, explain_mode, explain_step, explain_text,
    explain_trigger,
};
pub use fix::{Fixes, fixed};
pub use fmt::format;
pub use items::{CodedLine, coded_line};
pub use load::{Library, Loader, NoImports};
pub use meta::{Entry, Meta};
pub use model_calls::{LoopCalls, ModelCalls, Open};
pub use names::{BUILTIN_FUNCTIONS, BUILTIN_PLAYBOOKS, Callee, Names};
pub use program::Program;
pub use section::looks_like_playbooks;
pub use source::{SourceFile, Sources};
pub use span::{FileId, Position, Span, Spanned};
pub use step::{
    Arg, Call, Condition, Decided, Effects, Expr, Items, Returned, Step, StepKind, Target, WaitFor,
};
pub use suggest::nearest;
pub use symbols::{Edit, Occurrence, RenameError, Role, Symbol, Symbols, rename};
pub use tree::{
    Agent, AgentKind, Default, Mode, Note, OtherSection, Param, ParamKind, Playbook, PythonBlock,
};
pub use trigger::{FlowMoment, Trigger, TriggerKind};
pub use value::Value;
