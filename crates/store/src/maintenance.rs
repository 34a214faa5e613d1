use std::path::Path;

use async_trait::async_trait;
use reflexio_types::{OrgId, Timestamp, UserId};
use serde::Serialize;

use crate::Result;

/// Counts for a quick look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageStats {
    pub profile_count: u64,
    pub user_playbook_count: u64,
    pub agent_playbook_count: u64,
    pub interaction_count: u64,
    pub request_count: u64,
    pub oldest_profile_modified: Option<Timestamp>,
    pub newest_profile_modified: Option<Timestamp>,
}

/// What was erased with a user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserDataCounts {
    pub interactions: u64,
    pub requests: u64,
    pub profiles: u64,
    pub user_playbooks: u64,
    pub jobs: u64,
    pub images: u64,
    /// Records of calls about the user; what they cost stays in the totals.
    pub model_calls: u64,
    pub session_outcomes: u64,
    /// Judged sessions and judged learnings.
    pub evaluations: u64,
    pub shadow_comparisons: u64,
    /// Runs that replayed something the user said, whoever else they replayed.
    pub optimizations: u64,
    /// Records of rules that were given to an agent for the user.
    pub injections: u64,
}

/// What a look at the whole database found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IntegrityReport {
    /// Rows looked at, by table.
    pub checked: Vec<(String, u64)>,
    /// One sentence per fault; empty means sound.
    pub problems: Vec<String>,
}

/// Work on the database as a whole.
#[async_trait]
pub trait Maintenance: Send + Sync {
    /// What kind of database this is and where, for people.
    fn label(&self) -> String;

    /// `sqlite` or `postgres`.
    fn kind(&self) -> &'static str;

    /// Answers only if the store can read and write.
    async fn ping(&self) -> Result<()>;

    /// The last call before an orderly end: keeps what makes the next start fast.
    async fn suspend(&self) -> Result<()>;

    async fn stats(&self, org: &OrgId, user_id: Option<&UserId>) -> Result<StorageStats>;

    /// Erases all rows of one user, in one transaction. Agent playbooks stay.
    async fn clear_user(&self, org: &OrgId, user_id: &UserId) -> Result<UserDataCounts>;

    /// Reads everything and compares rows with their indexes.
    async fn check_integrity(&self) -> Result<IntegrityReport>;

    /// Copies the database into a new file while others go on writing.
    async fn backup(&self, to: &Path, progress: &(dyn Fn(u64, u64) + Send + Sync)) -> Result<()>;
}
