use async_trait::async_trait;
use reflexio_types::{AgentPlaybook, Day, OrgId, PlaybookStatus, Status, TimeRange};

use crate::Result;

/// Which playbooks are counted. An empty scope means all of the org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaybookScope {
    pub playbook_name: Option<String>,
    /// Any of these; empty means any version.
    pub agent_versions: Vec<String>,
    /// When they were made. Counts of all times are told beside it.
    pub time: TimeRange,
}

/// User playbooks of a type, version and status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlaybookCount {
    pub playbook_name: String,
    pub agent_version: String,
    pub status: Status,
    pub total: u64,
    /// Within the time of the scope.
    pub recent: u64,
}

/// Agent playbooks of a type, version, decision and status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPlaybookCount {
    pub playbook_name: String,
    pub agent_version: String,
    pub playbook_status: PlaybookStatus,
    pub status: Status,
    pub total: u64,
    pub recent: u64,
}

/// What was made on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayCount {
    pub day: Day,
    pub count: u64,
}

/// Everything that can be counted about playbooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaybookCounts {
    pub user: Vec<UserPlaybookCount>,
    pub agent: Vec<AgentPlaybookCount>,
    /// User playbooks by day, within the time of the scope, those left out that live on in another row. Days without any
    /// are missing.
    pub user_days: Vec<DayCount>,
}

/// What the conversations of an agent version taught.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionCount {
    pub agent_version: String,
    /// Requests that were published.
    pub published: u64,
    /// User playbooks that were made, those left out that live on in another row.
    pub playbooks: u64,
    /// Different requests that they came from.
    pub requests: u64,
}

/// Counts that need not be made by reading rows.
#[async_trait]
pub trait Analytics: Send + Sync {
    async fn playbook_counts(&self, org: &OrgId, scope: &PlaybookScope) -> Result<PlaybookCounts>;

    /// By version; those without anything are missing.
    async fn version_counts(&self, org: &OrgId, scope: &PlaybookScope) -> Result<Vec<VersionCount>>;

    /// Agent playbooks that wait for a person, the longest waiting first, and how many wait in all. The time of the scope
    /// does not matter.
    async fn longest_waiting(
        &self,
        org: &OrgId,
        scope: &PlaybookScope,
        limit: usize,
    ) -> Result<(Vec<AgentPlaybook>, u64)>;
}
