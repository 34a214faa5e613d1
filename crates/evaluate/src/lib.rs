//! Judging what an agent did: whether a session served its user, and which of the learnings it was given helped.
//!
//! [`session`] judges one conversation, by one structured call to a model or, without one, by cues in the words of the
//! user; [`shadow`] compares two answers of one turn; [`sampling`] says which conversations are judged at all. Start
//! reading at `session/mod.rs`.
//!
//! What is judged is material and never an instruction to the judge. This crate must never read the clock or a store,
//! make an id or decide when a judgement is due.

mod policy;
pub mod sampling;
pub mod session;
pub mod shadow;

pub use policy::Policy;
