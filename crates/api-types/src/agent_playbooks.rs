use reflexio_types::{AgentPlaybook as DomainAgentPlaybook, PlaybookStatus as DomainPlaybookStatus, TimeRange};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{EpochSeconds, Positive, Share, SourceLabel, StatusName, shown_status};
use crate::requests::{MOST_IDS, check_ids};
use crate::search::SearchMode;
use crate::time::{When, check_range, time_range};
use crate::user_playbooks::{BlockingIssue, at_row};

/// What a person decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaybookStatus {
    #[default]
    Pending,
    Approved,
    Rejected,
}

impl From<DomainPlaybookStatus> for PlaybookStatus {
    fn from(status: DomainPlaybookStatus) -> Self {
        match status {
            DomainPlaybookStatus::Pending => PlaybookStatus::Pending,
            DomainPlaybookStatus::Approved => PlaybookStatus::Approved,
            DomainPlaybookStatus::Rejected => PlaybookStatus::Rejected,
        }
    }
}

impl From<PlaybookStatus> for DomainPlaybookStatus {
    fn from(status: PlaybookStatus) -> Self {
        match status {
            PlaybookStatus::Pending => DomainPlaybookStatus::Pending,
            PlaybookStatus::Approved => DomainPlaybookStatus::Approved,
            PlaybookStatus::Rejected => DomainPlaybookStatus::Rejected,
        }
    }
}

/// One status or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum PlaybookStatuses {
    One(PlaybookStatus),
    Many(Vec<PlaybookStatus>),
}

impl PlaybookStatuses {
    pub fn into_domain(this: Option<Self>) -> Vec<DomainPlaybookStatus> {
        match this {
            None => Vec::new(),
            Some(PlaybookStatuses::One(status)) => vec![status.into()],
            Some(PlaybookStatuses::Many(statuses)) => statuses.into_iter().map(Into::into).collect(),
        }
    }
}

/// A rule for the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybookView {
    pub agent_playbook_id: i64,
    pub playbook_name: String,
    pub agent_version: String,
    pub created_at: i64,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitfall: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    pub playbook_status: PlaybookStatus,
    pub playbook_metadata: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl From<DomainAgentPlaybook> for AgentPlaybookView {
    fn from(row: DomainAgentPlaybook) -> Self {
        let body = row.body;
        Self {
            agent_playbook_id: row.id.0,
            playbook_name: row.playbook_name,
            agent_version: row.agent_version,
            created_at: row.created_at.0,
            content: body.content,
            trigger: body.trigger,
            instruction: body.instruction,
            pitfall: body.pitfall,
            rationale: body.rationale,
            playbook_status: row.playbook_status.into(),
            playbook_metadata: body.playbook_metadata,
            status: shown_status(row.status),
            tags: body.tags.unwrap_or_default(),
            learned_by: body.learned_by,
            score: None,
        }
    }
}

/// Agent playbooks, newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetAgentPlaybooksRequest {
    /// 100 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Positive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_playbook_id: Option<Positive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<When>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<When>,
    /// CURRENT ones if missing; `["pending"]` is the review list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_filter: Option<Vec<Option<StatusName>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_status_filter: Option<PlaybookStatuses>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

impl GetAgentPlaybooksRequest {
    pub fn time(&self) -> TimeRange {
        time_range(self.start_time, self.end_time)
    }
}

impl WireRequest for GetAgentPlaybooksRequest {
    fn check(&self) -> Vec<Detail> {
        check_range(self.start_time, self.end_time)
    }
}

/// Agent playbooks that fit a query. Only approved ones, unless others are asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchAgentPlaybookRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLabel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<When>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<When>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_filter: Option<Vec<Option<StatusName>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_status_filter: Option<PlaybookStatuses>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// 10 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<Positive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Share>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_reformulation: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_mode: Option<SearchMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

impl SearchAgentPlaybookRequest {
    pub fn time(&self) -> TimeRange {
        time_range(self.start_time, self.end_time)
    }
}

impl WireRequest for SearchAgentPlaybookRequest {
    fn check(&self) -> Vec<Detail> {
        check_range(self.start_time, self.end_time)
    }
}

/// Agent playbooks found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybooksViewResponse {
    pub success: bool,
    pub agent_playbooks: Vec<AgentPlaybookView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub msg: Option<String>,
    /// Matches that were left out because nobody approved them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_unapproved: Option<u64>,
    /// Meaning was asked for and only words were matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<bool>,
}

/// An agent playbook to add.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybook {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    pub agent_version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<EpochSeconds>,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitfall: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocking_issue: Option<BlockingIssue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_status: Option<PlaybookStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_metadata: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded_terms: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddAgentPlaybookRequest {
    #[schema(min_items = 1, max_items = 1000)]
    pub agent_playbooks: Vec<AgentPlaybook>,
}

impl WireRequest for AddAgentPlaybookRequest {
    fn check(&self) -> Vec<Detail> {
        let mut problems = check_ids("agent_playbooks", self.agent_playbooks.len(), 1_000);
        for (index, playbook) in self.agent_playbooks.iter().enumerate() {
            let trigger = playbook.trigger.as_deref().unwrap_or_default();
            if playbook.content.trim().is_empty() && trigger.trim().is_empty() {
                problems.push(at_row("agent_playbooks", index, "content", "give content or trigger"));
            }
        }
        problems
    }
}

/// Fields that are missing stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpdateAgentPlaybookRequest {
    pub agent_playbook_id: Positive,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_status: Option<PlaybookStatus>,
}

impl WireRequest for UpdateAgentPlaybookRequest {}

/// Approve, reject, or put back to the review list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpdatePlaybookStatusRequest {
    pub agent_playbook_id: Positive,
    pub playbook_status: PlaybookStatus,
}

impl WireRequest for UpdatePlaybookStatusRequest {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteAgentPlaybookRequest {
    pub agent_playbook_id: Positive,
}

impl WireRequest for DeleteAgentPlaybookRequest {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteAgentPlaybooksByIdsRequest {
    #[schema(min_items = 1, max_items = 10_000)]
    pub agent_playbook_ids: Vec<i64>,
}

impl WireRequest for DeleteAgentPlaybooksByIdsRequest {
    fn check(&self) -> Vec<Detail> {
        check_ids("agent_playbook_ids", self.agent_playbook_ids.len(), MOST_IDS)
    }
}
