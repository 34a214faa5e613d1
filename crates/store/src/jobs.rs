use async_trait::async_trait;
use reflexio_types::{Job, OrgId, UserId};

use crate::Result;

/// How many jobs are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub queued: u64,
    pub running: u64,
    pub dead: u64,
}

/// The durable queue. Jobs are put in by the transaction that needs them; see [`crate::NewRequest`].
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Over all orgs.
    async fn job_counts(&self) -> Result<JobCounts>;

    /// The queued or running learning job of a user.
    async fn learning_job(&self, org: &OrgId, user_id: &UserId) -> Result<Option<Job>>;
}
