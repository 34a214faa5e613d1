//! The built-in learner: what a conversation says in so many words, found with cues and never made up.
//!
//! ```text
//! turns ─▶ reading (prose, sentences, cue hits) ─▶ detect/* (candidates) ─▶ situation (trigger, pitfall)
//!       ─▶ definitions (which playbook) ─▶ duplicates ─▶ Learned
//! ```
//!
//! Cues are data (`cues/*.cues`, one table for a language); code only knows their classes. Start at [`learn`].
//! Every function is pure and total: the same window gives the same answer, and no text makes it fail.

mod cues;
mod definitions;
mod detect;
mod duplicates;
mod filling;
mod input;
mod lifetime;
mod metadata;
mod output;
mod own_text;
mod reading;
mod render;
mod situation;
mod substance;
mod text;

pub use cues::Language;
pub use detect::signs::{Mood, Signs};
pub use input::{Definitions, LabelledTurn, OwnText, Window};
pub use output::{
    DropReason, Dropped, ForgetRequest, LEARNED_BY, Learned, LearnedPlaybook, LearnedProfile, Signal,
};

pub(crate) use duplicates::is_negative;

pub use reading::telling_terms;
pub use substance::Substance;

pub(crate) use reflexio_types::rule_content;

/// Learns what the window shows, for the definitions that are due.
pub fn learn(window: &Window<'_>, definitions: &Definitions<'_>) -> Learned {
    let mut dropped = Dropped::default();
    let reading = reading::read(window, &mut dropped);
    let found = detect::detect(&reading, &mut dropped);
    render::render(&reading, found, definitions, dropped)
}

/// What each turn of the window says about how the conversation goes.
pub fn signs(window: &Window<'_>) -> Vec<Signs> {
    detect::signs::signs(&reading::read(window, &mut Dropped::default()))
}
