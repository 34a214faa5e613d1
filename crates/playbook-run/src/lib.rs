//! Runs Markdown playbooks: the loop between the pure engine and everything around it.
//!
//! ```text
//!            ┌──────── Driver ────────┐
//!  Journal ◀─┤ entries first          │     Answerer: a model (Asker), or none
//!            │ then effects ──────────┼──▶  Host: the user, tools, memory, approvals
//!            │ then what came of them │
//!            └────────────────────────┘
//! ```
//!
//! [`Driver`] tells a `playbook_engine::Run` what happened, stores what the run makes of it in a [`Journal`] before
//! anything of it is carried out, carries it out, and tells the run what came of that. A process that dies anywhere
//! goes on from its journal at the same step ([`Driver::resume`]). [`testing`] plays conversations that were written
//! down in Markdown, without a model. Start reading at `driver.rs`.
//!
//! This crate must never read the clock or the environment, nor decide what a step means: that is the engine's.

mod ask;
mod assistant;
mod command;
mod draft;
mod driver;
mod host;
pub mod journal;
mod mcp;
mod params;
mod recording;
pub mod testing;
mod tool;
mod tools;

pub use ask::{Answered, Answerer, Asker, NoModel, Unanswered};
pub use assistant::{AssistantError, AssistantRequest, ChatMessage, GivenPlaybook, assist};
pub use command::{CommandTool, CommandTools};
pub use draft::{Drafted, Show};
pub use driver::{Around, Awaited, Driver, Error, Pause};
pub use host::{Host, Verdict};
pub use journal::{FileJournal, Header, Journal, JournalError, MemoryJournal};
pub use mcp::{McpOperator, McpTools, Offered};
pub use params::{ParamError, start_with};
pub use playbook_engine as engine;
pub use recording::Recording;
pub use tool::{SignatureError, parse_tool};
pub use tools::Tools;
