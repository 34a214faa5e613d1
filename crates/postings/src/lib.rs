//! Finding text fast: an inverted index in memory, above the database that holds the text.
//!
//! The index keeps, per org, which rows hold which terms at which positions, and the columns that filters look at.
//! A search walks the rows in windows: the filter makes a mask, the lists of the query's terms add up BM25 scores,
//! and whatever cannot reach the best `k` is not looked at. Rows are sorted by user, so one user's rows are a range
//! of every list. Start with [`Index`], then `search.rs`, `segment.rs` and `partition.rs`.
//!
//! This crate must never read or write a file, start a thread, return a row that the filter or the query refuses,
//! or order rows differently because lists were read in another order. Nothing is lost with it: whatever it cannot read
//! back, the caller rebuilds from the database.

mod bits;
mod block;
mod bm25;
mod boolean;
mod bytes;
mod column;
mod cursor;
mod dictionary;
mod draft;
mod encoder;
mod error;
mod index;
mod labels;
mod leaf;
mod lengths;
mod maxscore;
mod merge;
mod part;
mod partition;
mod phrase;
mod plan;
mod query;
mod search;
mod segment;
mod sidecar;
mod source;
mod statistics;
mod top;
mod window;

pub use error::Error;
pub use index::{Hit, Index, Row, Size};
pub use search::{Found, Query};
pub use statistics::Statistics;
