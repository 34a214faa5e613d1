//! Which statements belong together, which say the same, and which contradict each other.
//!
//! [`cluster`] finds the clusters of a set of [`Item`]s, [`Clusters`] keeps them while items come one by one and from one refresh to
//! the next, [`near_duplicate`] decides about two short texts, [`Stance`] tells do from don't. Start with `batch/mod.rs`.
//!
//! How near two items are is one number: the cosine of their vectors, less a part of what all items have in common, and with a
//! small part for common rare words. A cluster is a node of the tree that average linkage makes, and the fewer it has, the nearer
//! they must be: among thousands of items a few are always alike by chance.
//!
//! This crate must never ask a model, read or write anything, know a row of ours, or answer differently for another order of
//! the same items, another machine or another number of threads.

mod batch;
mod codes;
mod duplicate;
mod item;
mod polarity;
mod space;
mod state;

pub use batch::{Found, Partition, cluster};
pub use duplicate::{Features, Score, Statement, Veto, near_duplicate};
pub use item::{Count, Error, Item, Nearness, Options};
pub use polarity::Stance;
pub use space::Space;
pub use state::{Cluster, ClusterId, Clusters, Refresh};
