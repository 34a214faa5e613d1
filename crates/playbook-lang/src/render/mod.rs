//! Diagnostics for people and machines.

mod json;
mod sarif;
mod text;
mod tree;

#[cfg(feature = "miette")]
pub mod fancy;

pub use json::json;
pub use sarif::sarif;
pub use text::text;
pub use tree::tree;
