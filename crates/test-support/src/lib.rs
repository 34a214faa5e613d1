//! What tests of several crates share: a real server on a real store, and a clock that stands still.
//!
//! Only tests may depend on this crate, so panicking with a clear message is what it is for.
#![expect(clippy::print_stderr, reason = "a skipped test must say so")]
#![expect(clippy::expect_used, reason = "a broken test set-up must fail the test loudly")]

mod clock;
mod embedder;
mod mcp;
mod server;

pub use clock::FixedClock;
pub use embedder::{Manner, RemoteEmbedder};
pub use mcp::McpServer;
pub use server::{Answer, Ready, TestServer};
