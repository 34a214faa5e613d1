//! Models behind one interface: any provider for any role, typed answers, bounded cost.
//!
//! [`Models`] is made from plain [`Settings`]; [`Models::for_role`] gives the [`Model`] of a [`Role`], and
//! [`Model::complete_json`] a value that fits a [`Schema`]. Every call, also one that fails or is repeated, becomes a
//! [`CallRecord`] in the [`Ledger`] and passes the [`Budget`] first; [`Answers`] keeps what was paid for until its run is
//! over. [`Error`] says what the caller can do;
//! [`Error::stall`] whether learning has to pause. [`prompts`] renders templates, [`replay`] records answers and plays
//! them back. Start reading at `call.rs`, then `structured/mod.rs`.
//!
//! This crate must never read the environment, store anything but a recording that a test asked for, know what a
//! prompt means, or print a key.

mod answers;
mod call;
mod command;
#[cfg(feature = "test-endpoint")]
pub mod endpoint;
mod error;
mod gate;
mod http;
mod listener;
mod message;
mod model;
mod models;
mod name;
mod options;
pub mod prompts;
mod provider;
mod purpose;
mod quirks;
pub mod replay;
mod request;
mod retry;
mod role;
mod settings;
mod spend;
mod structured;
mod target;
mod transport;
mod wire;

pub use answers::{Answers, NoAnswers, QuestionKey, SavedAnswer};
pub use command::CommandSettings;
pub use error::{Error, Parameter, Result};
pub use gate::GateSettings;
pub use http::{Guarded, HttpLimits, Proxy, Reach};
pub use listener::{Heard, Listener};
pub use message::{Message, Part, Picture, Prompt, Speaker};
pub use model::{Completion, Model, Structured};
pub use models::{Models, Services};
pub use name::{ModelName, Source};
pub use options::Options;
pub use provider::{Provider, Wire};
pub use purpose::Purpose;
pub use request::{Answer, Finish, Output, Request, Usage};
pub use retry::Retry;
pub use role::{Role, UnknownRole};
pub use settings::{Azure, CUSTOM_ENDPOINT, Endpoint, Settings};
pub use spend::{
    Budget, BudgetLimits, CallRecord, Estimate, Ledger, Limits, NoBudget, NoLedger, Outcome, OverBudget,
    Period, Price, PriceTable, Turn,
};
pub use structured::{Schema, SchemaError, Truncation, Violation};
pub use target::Target;
pub use transport::{Transport, live};

/// Estimates tokens without a tokenizer, a little high.
pub mod tokens {
    pub use crate::spend::tokens::{of_messages, of_text};
}
