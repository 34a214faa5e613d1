//! The index as its callers see it.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod common;
mod concurrency;
mod model;
mod scale;
mod sidecar;
mod texts;
