//! GEPA: improve texts by reflection, keeping every candidate that is best at something.
//!
//! An [`Engine`] holds a whole run as plain data. [`Engine::poll`] says what it needs (an evaluation, a reflective
//! dataset, new texts), [`Engine::answer`] takes it; between any two calls the engine can be serialised, dropped
//! and restored, and the run goes on as if nothing had happened. [`run`] drives an engine with an [`Adapter`] for
//! callers that need no such care. Start reading at `engine/mod.rs`.
//!
//! This crate must never do I/O, call a model, read a clock, or draw from another source of chance than the one
//! in its state. Nothing here may depend on the order of a hash table.

mod cache;
mod candidate;
mod drive;
mod engine;
mod error;
mod evaluation;
mod event;
mod front;
mod merge;
mod pool;
mod prune;
mod random;
pub mod reflection;
mod request;
mod sampler;
mod select;
mod settings;
mod stop;
mod twister;

pub use cache::{Cache, Known};
pub use candidate::Candidate;
pub use drive::{Adapter, Failure, Step, run, step};
pub use engine::{Engine, Outcome};
pub use error::Error;
pub use evaluation::Evaluation;
pub use event::{Event, Rejection, Skip};
pub use front::{Front, Fronts};
pub use pool::{Member, Pool};
pub use prune::prune;
pub use random::Random;
pub use request::{
    Answer, Dataset, EvaluationJob, Next, Proposal, ProposalJob, Record, ReflectionJob, Request, Traces,
};
pub use sampler::Sampler;
pub use settings::{
    Acceptance, Components, Frontier, Merging, Overshoot, Policy, Sampling, Selection, Selector, Settings,
    Split, Validation,
};
pub use stop::Stopper;
pub use twister::Mt19937;
