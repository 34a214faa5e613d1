//! Judging sessions: what a model is asked, and what cues tell without one.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

mod builtin;
mod prompts;
mod support;
