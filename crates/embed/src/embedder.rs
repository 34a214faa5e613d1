use async_trait::async_trait;

use crate::error::Result;

/// Who waits for the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Somebody is searching: overtakes everything that is not.
    Query,
    /// Rows that get their vectors in the background.
    Backfill,
}

/// Turns texts into vectors of length 1.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// What made the vectors, including its precision: vectors of two ids are never compared.
    fn id(&self) -> &str;

    fn dimension(&self) -> usize;

    /// One vector per text, in the order of the texts.
    async fn embed(&self, texts: &[String], priority: Priority) -> Result<Vec<Vec<f32>>>;
}
