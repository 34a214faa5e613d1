//! The engine of Markdown playbooks: a pure machine that runs a program of `playbook-lang`.
//!
//! ```text
//! Program ──Playbooks::compile──▶ Playbooks ──Run::new──▶ Run
//!                                      Event ──Run::advance──▶ Advance { entries, effects }
//! ```
//!
//! A [`Run`] takes an [`Event`] (the start, a message, a model's answer, a tool's result, a timer), goes as far as it
//! can, and returns [`Entry`]s for the journal and [`Effect`]s to carry out: say this, ask the model this, call this
//! tool, wait. The caller stores the entries first, then carries the effects out, then tells the run what came of
//! them. [`Run::resume`] makes the run again from its journal; [`Run::look_back`] shows any state of the past;
//! [`Drive`] is a loop that does all this in one process with a [`World`], or with a [`Script`] in tests.
//!
//! ```
//! use playbook_engine::{Drive, Outcome, Playbooks, Run, Script, Start};
//! use playbook_lang::{Program, SourceFile};
//!
//! let text = "# Clerk\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Greet the user\n- Say \"Bye.\"\n";
//! let code = Playbooks::compile(Program::parse(vec![SourceFile::new("clerk.md", text)]), Vec::new())?;
//! let answer = serde_json::json!({ "steps": [{ "id": "01", "status": "done", "say": [{ "text": "Hello!" }] }] });
//! let mut script = Script { answers: [answer].into(), ..Script::default() };
//!
//! let mut drive = Drive::start(Run::new(code.clone()), 0, Start::default())?;
//! drive.until_quiet(&mut script)?;
//! assert_eq!(drive.said().collect::<Vec<_>>(), ["Hello!", "Bye."]);
//! assert!(matches!(drive.run.state().outcome(), Some(Outcome::Done { .. })));
//!
//! let resumed = Run::resume(code, &drive.journal)?;
//! assert_eq!(resumed.run.state(), drive.run.state());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a program says exactly (assignments, branches, loops, calls, triggers on state, time and calls) is done here.
//! The rest is asked from a model in segments, each answer checked before anything of it takes effect: see
//! [`ModelRequest`], [`Answer`] and the prompts in [`PROMPTS`]. Start reading at `run/mod.rs`; `docs/playbook-engine.md`
//! explains the behaviour.
//!
//! This crate must never do I/O, read a clock, call a model or draw from chance: everything comes in as an event.
//! Learned notes are data to it, never steps or expressions. Nothing a model, a user or a file contains may make it
//! panic, and an answer or event that is refused leaves the state as it was.

mod bind;
mod code;
mod drive;
mod effect;
mod eval;
mod event;
mod journal;
mod model;
mod run;
mod settings;
mod tool;

pub use code::{LoadError, Playbooks};
pub use drive::{Drive, Script, World};
pub use effect::{Effect, Message, Outcome, Speaker};
pub use event::{Event, Learned, LearnedFrom, Start, Used};
pub use journal::{AppliedNote, Call, DecidedBy, Entry, Evaluated, Purpose, PythonOutcome, Waiting};
pub use model::{
    AgentContext, Answer, CallAnswer, Candidate, Context, DecisionAnswer, LearnedContext, ModelRequest,
    NoteContext, OfferedFork, OfferedQuestion, OfferedStep, PROMPTS, Pairs, PlaybookContext, PromptFile,
    Repair, ResultContext, SayAnswer, SkeletonStep, Status, StepAnswer, ToolContext, TriggerAnswer,
};
pub use playbook_lang::Value;
pub use run::{Advance, Refusal, ResumeError, Resumed, Run, Spent, State};
pub use settings::{Budget, Limit, Settings};
pub use tool::{POSITIONS, Tool, ToolParam};
