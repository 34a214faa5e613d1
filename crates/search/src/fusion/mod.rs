//! One score out of words, meaning and context.
//!
//! ```text
//! score = (BM25 of the best passage, with neighbouring turns) / √(information in the question)
//!       + meaning · cosine − assistant · (the question is about the asker) + standing · (a standing request)
//! ```
//!
//! Dividing by the root of what the question's words could weigh at most is what adapts the scale to the
//! question: chance matches of many words add up like noise, with the root of their number. After it one
//! weight of the cosine serves short questions and whole pages alike, and the scale does not depend on how
//! the scores of the candidates happen to spread.
//!
//! Start at [`Question::read`], then [`Document::read`] for the rows, [`wording`] for their text scores and
//! [`fuse`] for the rest. Nothing here does I/O, looks at a clock or can fail; every number is finite.

mod cues;
mod document;
mod passages;
mod question;
mod score;
#[cfg(test)]
mod tests;
mod weights;
mod wording;

pub use cues::is_standing_request;
pub(crate) use cues::words;
pub use document::{Document, Place};
pub use passages::passages;
pub use question::{Question, is_exact, question_passages, text_query};
pub use reflexio_types::{Speaker, speaker_name};
pub use score::{Candidate, Explained, best, fuse};
pub use weights::Weights;
pub use wording::{Rarity, Wording, information, wording};
