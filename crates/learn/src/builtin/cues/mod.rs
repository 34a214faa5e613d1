//! Cue tables: what people say when they correct, prefer, tell about themselves, … Data, one file a language.

mod class;
mod language;
mod parse;
mod pattern;
mod table;
mod vocabulary;

pub(super) use class::Class;
pub use language::Language;
pub(super) use pattern::{Capture, Hit};
pub(super) use table::Table;
