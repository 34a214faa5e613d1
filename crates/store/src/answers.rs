use async_trait::async_trait;
use reflexio_types::{JobId, ModelCall, OrgId, Timestamp, UserId};

use crate::Result;

/// What a model said to a question of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedAnswer {
    /// Of the question.
    pub digest: String,
    /// Whose words the question is about, if they are one user's.
    pub user_id: Option<UserId>,
    pub body: String,
    pub at: Timestamp,
}

/// Answers that jobs have paid for. They live as long as their job is queued or running, and go with it in the
/// transaction that ends it.
#[async_trait]
pub trait Answers: Send + Sync {
    async fn answer(&self, org: &OrgId, job: JobId, digest: &str) -> Result<Option<String>>;

    /// Keeps an answer of a job that runs, and says whether it did: one of a job that is over or gone, or about a
    /// user who was erased, is not kept. The calls that it took are put into the books in the same transaction.
    /// With an answer that it did not have before a job got somewhere: attempts before this one count no more.
    async fn save_answer(
        &self,
        org: &OrgId,
        job: JobId,
        answer: SavedAnswer,
        calls: Vec<ModelCall>,
    ) -> Result<bool>;
}
