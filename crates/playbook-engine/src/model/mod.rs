//! The contract with the model: what it is asked, what it may answer, and the checks in between.

mod ahead;
mod answer;
mod check;
mod offer;
mod request;
mod schema;

pub use answer::{Answer, CallAnswer, DecisionAnswer, Pairs, SayAnswer, Status, StepAnswer, TriggerAnswer};
pub use request::{
    AgentContext, Candidate, Context, LearnedContext, ModelRequest, NoteContext, OfferedFork,
    OfferedQuestion, OfferedStep, PlaybookContext, Repair, ResultContext, SkeletonStep, ToolContext,
};

pub(crate) use check::{Rules, check};
pub(crate) use offer::{Offer, Offered, Standing, turn_id};
pub(crate) use schema::schema;

/// A prompt of this crate: a template over [`Context`] as JSON, for `llm::prompts`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PromptFile {
    pub name: &'static str,
    pub version: &'static str,
    pub source: &'static str,
}

/// The prompts of the three purposes. A file is never changed once runs were made with it; a version is added.
pub const PROMPTS: &[PromptFile] = &[
    PromptFile { name: "segment", version: "v1", source: include_str!("../../prompts/segment/v1.md") },
    PromptFile { name: "segment", version: "v2", source: include_str!("../../prompts/segment/v2.md") },
    PromptFile { name: "triggers", version: "v1", source: include_str!("../../prompts/triggers/v1.md") },
    PromptFile { name: "raw", version: "v1", source: include_str!("../../prompts/raw/v1.md") },
];
