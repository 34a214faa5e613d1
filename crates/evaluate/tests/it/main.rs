//! Judging sessions and answers: what a model is asked, and what is told without one.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

mod builtin;
mod prompts;
mod shadow;
mod support;
