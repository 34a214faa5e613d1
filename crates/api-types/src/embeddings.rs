use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// How far rows are on their way to be found by meaning.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmbeddingStatusResponse {
    pub success: bool,
    /// What makes the vectors; missing if only words are searched.
    pub model: Option<String>,
    pub dimension: Option<u64>,
    /// `off`, `loading` or `ready`.
    pub index: String,
    /// Vectors in memory, and the memory they take.
    pub indexed_rows: u64,
    pub index_bytes: u64,
    pub kinds: Vec<EmbeddingCounts>,
    /// Why rows wait, or why there is no model.
    pub trouble: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmbeddingCounts {
    /// `interaction`, `profile`, `user_playbook` or `agent_playbook`.
    pub kind: String,
    pub rows: u64,
    /// Rows that wait for their vector.
    pub waiting: u64,
    /// Rows that the model refused; they are found by their words.
    pub refused: u64,
}

/// How many rows get new vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RebuildEmbeddingsResponse {
    pub success: bool,
    pub rows: u64,
}
