//! Learning from conversations: user profiles and user playbooks out of windows of turns.
//!
//! [`windows`] says which turns are due, [`extract`] asks a model what they show, [`builtin`] finds it without one,
//! [`consolidate`] decides what becomes of new rows that resemble known ones, and [`engine`] reads turns from the store,
//! has them learned from and stores what came of it. Start reading at `engine/mod.rs`.
//!
//! What is learned carries the turns that show it; an item without such evidence does not exist. This crate must
//! never read the environment, make an id or decide when a job runs.

pub mod aggregate;
pub mod builtin;
pub mod consolidate;
pub mod engine;
pub mod extract;
mod findings;
mod policy;
pub mod transcript;
pub mod windows;

pub use findings::{Findings, FoundPlaybook, FoundProfile, Scene, SceneTurn};
pub use policy::{Extractor, Policy, Wanted};
