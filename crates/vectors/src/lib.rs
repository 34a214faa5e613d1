//! Finding the nearest vectors: a flat quantised index in memory, beside the database that holds the vectors.
//!
//! The index keeps codes, row ids and the columns that filters look at. A search scans one org's binary codes
//! with the filter inside the scan, sorts the survivors by finer codes, and asks the caller for the exact vectors
//! of the best ones. One user's rows are found without a scan. Start with [`Index`], then `search.rs`.
//!
//! This crate must never read or write a file, start a thread that outlives a call, return a row that the filter
//! refuses, or answer differently on another machine or number of threads. Nothing is lost with it: whatever it
//! cannot read back, the caller rebuilds from the database.

mod bytes;
mod centre;
mod code;
mod column;
mod draft;
mod error;
mod index;
mod kernel;
mod math;
mod part;
mod partition;
mod plan;
mod rescore;
mod row;
mod scan;
mod search;
mod segment;
mod sidecar;

pub use code::Memory;
pub use column::{time_key, time_of};
pub use error::Error;
pub use index::{Hit, Index, Options, Size, Widths};
pub use kernel::Kernel;
pub use math::{dot, is_unit};
pub use row::{Facet, Filter, Labels, Row, Statuses};
pub use search::Query;
