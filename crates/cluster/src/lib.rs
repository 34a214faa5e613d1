//! Which statements say the same, and which contradict each other.
//!
//! [`near_duplicate`] decides about two short texts, [`Stance`] tells do from don't. Start with `duplicate/mod.rs`.
//!
//! This crate must never ask a model, read or write anything, know a row of ours, or depend on the order in which the same
//! input is given.

mod duplicate;
mod polarity;

pub use duplicate::{Features, Score, Statement, Veto, near_duplicate};
pub use polarity::Stance;
