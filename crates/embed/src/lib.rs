//! Texts into vectors: a local model in this process, or somebody's API.
//!
//! [`Embedder`] is the one trait; [`MiniLm`] runs all-MiniLM-L6-v2 here, [`remote`] asks OpenAI-compatible servers, Gemini
//! or Ollama. [`Queue`] stands before any of them, bounds what waits and lets searches overtake backfill;
//! [`QueryCache`] remembers the vectors of recent searches. Start reading at `model/mod.rs`, then `model/forward.rs`.
//!
//! This crate must never read the environment, download a model, store a vector, or compare vectors of two ids. A
//! vector depends on its text and the model alone: not on its neighbours in a batch, the threads, or the processor.

mod cache;
mod embedder;
mod error;
mod kernels;
mod model;
mod queue;
pub mod remote;
mod tokenizer;

pub use cache::QueryCache;
pub use embedder::{Embedder, Priority};
pub use error::{Error, Result};
pub use kernels::Isa;
pub use model::{MiniLm, Precision, convert};
pub use queue::{Queue, QueueOptions};
pub use tokenizer::Tokenizer;
