//! The user's own assistant, asked for an answer in a replayed situation: a webhook or a local script, which get the same
//! JSON and answer with `{"content": …}`, or a program of the server itself.
//!
//! [`Operator`] holds what only whoever runs the server decides: which addresses may be called, from which folder scripts
//! may run. [`Operator::assistant`] makes an [`Assistant`] of an org's configuration, or says what is wrong with it. What the
//! server itself runs ([`Backend::Playbook`]) is made by whoever runs it, and held to the same limits by [`in_process`]. Start
//! reading at `operator.rs`.
//!
//! An assistant is a stranger: its answers are bounded in size and time, its process is killed with its children, and
//! redirects are not followed. This crate must never read the environment, store anything or know what an answer is for.

mod backend;
mod error;
mod in_process;
mod operator;
mod patient;
mod payload;
mod process;
mod script;
mod webhook;

pub use backend::Backend;
pub use error::{Error, Result};
pub use in_process::in_process;
pub use operator::{Operator, Scripts};
pub use patient::Pauses;
pub use payload::{Message, Payload, Playbook};

use async_trait::async_trait;

/// Whoever answers in a replayed situation.
#[async_trait]
pub trait Assistant: Send + Sync {
    /// The answer to the last message of the user.
    async fn respond(&self, payload: &Payload) -> Result<String>;

    /// Which assistant this is: answers of two with the same label are answers to the same question. Holds no secret.
    fn label(&self) -> String;
}
