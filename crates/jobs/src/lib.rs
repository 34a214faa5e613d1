//! Runs the jobs of the durable queue: claims them when there is room, keeps their leases, retries what failed.
//!
//! A [`Handler`] does the work of one kind and says how it went; a [`Runner`] does the rest. What is durable is
//! in the store, so a runner may die at any moment: what it had is taken over when its leases run out. This crate
//! must never know what a job means, a concrete database or the wire. Start reading at [`Runner`] and [`Handler`].

mod backoff;
mod handle;
mod handler;
mod heartbeat;
mod report;
mod runner;
mod settings;
mod shared;
mod signal;
mod work;

pub use backoff::Backoff;
pub use handle::{Handle, Waited};
pub use handler::{Failure, Handler, Handlers, Running};
pub use runner::{Runner, Stopped};
pub use settings::Settings;
