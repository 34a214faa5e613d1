use async_trait::async_trait;
use reflexio_types::{LineageEvent, LineageSubject, OrgId, Profile, RequestId, Timestamp, UserId};

use crate::Result;

/// What one request did to a user's profiles.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileChange {
    pub id: i64,
    pub user_id: UserId,
    pub request_id: RequestId,
    pub created_at: Timestamp,
    pub added: Vec<Profile>,
    pub removed: Vec<Profile>,
}

/// The history of learned rows.
#[async_trait]
pub trait Lineage: Send + Sync {
    /// Oldest first.
    async fn history(&self, org: &OrgId, subject: &LineageSubject) -> Result<Vec<LineageEvent>>;

    /// Newest first. Only profiles that are still stored are shown, and no change of which none is left.
    async fn profile_changes(&self, org: &OrgId, limit: usize) -> Result<Vec<ProfileChange>>;
}
