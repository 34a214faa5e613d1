use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// The body of every error but a 422.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorDetail {
    /// What went wrong and what to do.
    pub detail: String,
}

/// The body of a 429, in the words its clients look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RateLimited {
    pub error: String,
    pub detail: String,
}

/// Something was done; there is nothing more to say than a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    pub success: bool,
    #[serde(default)]
    pub message: String,
}

/// As [`Done`], where the contract calls the sentence `msg`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Updated {
    pub success: bool,
    pub msg: Option<String>,
}

/// Rows were added.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Added {
    pub success: bool,
    pub message: Option<String>,
    pub added_count: u64,
    /// The ids the rows got, in the order they were sent (playbooks only).
    pub ids: Option<Vec<i64>>,
}

/// Rows were deleted; the count is what was really there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BulkDeleteResponse {
    pub success: bool,
    pub deleted_count: u64,
    #[serde(default)]
    pub message: String,
}

impl BulkDeleteResponse {
    pub fn new(deleted_count: u64) -> Self {
        Self { success: true, deleted_count, message: format!("Deleted {deleted_count}") }
    }
}
