//! Models against a real HTTP server and real programs that behave as they are told.

#![expect(clippy::expect_used, reason = "a helper of a test fails the test")]

mod answers;
mod command;
mod fallback;
mod faults;
mod listener;
mod replay;
mod roles;
mod spend;
mod structured;
mod support;
mod wire;
