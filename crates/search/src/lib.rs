//! Finding text: one way of cutting text into terms, one query language, one way of ranking.
//!
//! Every store indexes the terms that [`terms`] gives and asks with a [`TextQuery`], so that a document
//! and a query always agree and every backend finds the same rows. Everything here is pure: no I/O, no
//! clock, and no input that can make it fail.

pub mod fusion;
mod opt_out;
mod query;
mod rank;
mod text;
mod words;

pub use opt_out::opts_out_of_personal_context;
pub use query::{Node, TextQuery};
pub use rank::rank;
pub use text::{is_stop_word, terms};
pub use words::{each_term, remembered_terms};
