//! Tests of playbooks, written in Markdown: a conversation, the answers of the model, and what must come of it.
//!
//! [`Suite::parse`] reads a file, [`Case::play`] runs one case without a model. `docs/playbook-testing.md` shows how the
//! files are written.

mod case;
mod expect;
mod parse;
mod stage;

pub use case::{Answer, Case, Given, Line, Suite, ToolResult, Turn};
pub use expect::{Expectation, OutcomeKind};
pub use parse::Mistake;
pub use stage::{Played, Problem};
