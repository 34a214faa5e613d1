//! Better wording for a playbook: replay the situations that taught it under the old and a new wording, let a judge who does
//! not know which is which compare what the assistant answered, and search with GEPA. Only what wins where it was not trained
//! can be committed.
//!
//! [`Run`] is one search as plain data: [`Run::step`] answers one question of the engine, and between any two steps it can be
//! stored and taken up again. What was said is kept apart from it, in a [`Book`]. [`World`] is everything outside: the
//! assistant, the judge and whoever writes new wordings; [`Models`] is the real one. Start reading at `run/mod.rs`.
//!
//! This crate must never read the clock or a store, decide when a run is due, or change a playbook.

mod book;
mod decide;
mod estimate;
mod guard;
mod judge;
mod lift;
mod models;
mod policy;
mod reflect;
mod report;
mod rollout;
mod run;
mod split;
mod task;
mod world;

pub use book::{Book, Trial};
pub use decide::Decision;
pub use estimate::{Estimate, PlaybookCalls};
pub use judge::{Judge, PROMPTS as JUDGE_PROMPTS};
pub use lift::{Lift, LiftWindow, lift_of, measure};
pub use models::Models;
pub use policy::Policy;
pub use reflect::{PROMPTS as REFLECTION_PROMPTS, Reflector};
pub use report::Report;
pub use run::{Counts, Excluded, Refused, Run, Stepped};
pub use split::{NoSplit, Split};
pub use task::{Task, Window};
pub use world::{Fault, Improvement, Pair, World};
