use async_trait::async_trait;
use reflexio_types::{OrgId, RowKind};

use crate::Result;

/// What makes vectors. Two vectors are compared only if the same model made both.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VectorModel {
    /// The model with its precision, as its maker names it.
    pub id: String,
    pub dimension: usize,
}

/// A row whose text has no vector of the model in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    pub row: RowRef,
    pub text: String,
}

/// Which row, and in which wording: after an edit it is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowRef {
    pub kind: RowKind,
    pub key: i64,
    pub wording: i64,
}

/// What came of embedding a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Embedded {
    Vector(Vec<f32>),
    /// The model will never take this text; the reason.
    Refused(String),
}

/// How many rows of a kind there are, and how many of them have no vector of the model in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorCounts {
    pub kind: RowKind,
    pub rows: u64,
    pub waiting: u64,
    /// Refused by the model, found by their words only.
    pub refused: u64,
}

/// How far the index for searching by meaning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VectorIndex {
    /// No model is in use: only words are searched.
    #[default]
    Off,
    /// Being read from the database; searches find what is there so far.
    Loading {
        done: u64,
        total: u64,
    },
    Ready {
        rows: u64,
        bytes: u64,
    },
}

/// Vectors of rows. A row that is written or edited waits for its vector in the same transaction; whoever
/// embeds asks for what waits and brings the vectors. That list is durable, so nothing is lost by a crash,
/// and a vector made of an old wording is not taken.
#[async_trait]
pub trait Vectors: Send + Sync {
    /// From now on this model's vectors are searched; none means words only. Rows with vectors of another
    /// model wait for new ones, and are not compared until they have them. A model that cannot be searched is
    /// refused, and the one before stays.
    async fn use_model(&self, model: Option<&VectorModel>) -> Result<()>;

    /// Rows that wait, the newest first, taking turns between orgs. Empty without a model.
    async fn unembedded(&self, limit: usize) -> Result<Vec<(OrgId, Vec<Unembedded>)>>;

    /// Stores vectors of the model in use; says how many were taken. Those of rows that are gone or were
    /// edited since are left out.
    async fn put_vectors(
        &self,
        org: &OrgId,
        model: &VectorModel,
        rows: Vec<(RowRef, Embedded)>,
    ) -> Result<u64>;

    /// Counts of one org.
    async fn vector_counts(&self, org: &OrgId) -> Result<Vec<VectorCounts>>;

    /// Makes all vectors of an org anew; the old ones serve until then. Refused rows get another chance.
    async fn rebuild_vectors(&self, org: &OrgId) -> Result<u64>;

    fn vector_index(&self) -> VectorIndex;
}
