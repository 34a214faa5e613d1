use reflexio_types::{
    AgentPlaybook as DomainAgentPlaybook, PlaybookStatus as DomainPlaybookStatus, Signature,
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{EpochSeconds, Positive, Share, SourceLabel, StatusName, shown_status};
use crate::object::objects;
use crate::requests::{MOST_IDS, check_ids};
use crate::search::{ScoreParts, SearchMode};
use crate::time::{When, has_time_range};
use crate::user_playbooks::{BlockingIssue, at_row};

/// Authors that have no key.
const MACHINE: &str = "machine";
const LOCAL: &str = "local";

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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybookView {
    pub agent_playbook_id: i64,
    pub playbook_name: String,
    pub agent_version: String,
    pub created_at: i64,
    pub content: String,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    pub playbook_status: PlaybookStatus,
    pub playbook_metadata: String,
    pub status: Option<StatusName>,
    pub tags: Vec<String>,
    pub learned_by: Option<String>,
    /// How many user playbooks it stands for, of how many users, and how alike they are, from 0 to 1.
    pub cluster_size: Option<u32>,
    pub distinct_users: Option<u32>,
    pub agreement: Option<f64>,
    /// Situations that taught it and are kept with it.
    pub source_window_count: Option<u64>,
    /// The approved rule whose place it would take.
    pub successor_of: Option<i64>,
    pub superseded_by: Option<i64>,
    /// Who wrote or last edited it: `machine`, a key, or `local` for a caller without one.
    pub author: String,
    pub reviewed_by: Option<String>,
    pub reviewed_at: Option<i64>,
    pub review_reason: Option<String>,
    /// Changes with every text that people read and with the decision.
    pub content_hash: String,
    pub score: Option<f64>,
    /// What the score is made of, if that was asked for.
    pub score_parts: Option<ScoreParts>,
}

impl From<DomainAgentPlaybook> for AgentPlaybookView {
    fn from(row: DomainAgentPlaybook) -> Self {
        let content_hash = row.content_hash();
        let body = row.body;
        let name = |by: &Signature| by.key.clone().unwrap_or_else(|| LOCAL.to_owned());
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
            cluster_size: body.cluster_size,
            distinct_users: body.distinct_users,
            agreement: body.agreement,
            source_window_count: Some(body.source_windows.len() as u64).filter(|count| *count > 0),
            successor_of: body.successor_of.map(|id| id.0),
            superseded_by: body.superseded_by.map(|id| id.0),
            author: body.written_by.as_ref().map_or_else(|| MACHINE.to_owned(), name),
            reviewed_by: body.review.as_ref().map(|review| name(&review.by)),
            reviewed_at: body.review.as_ref().map(|review| review.by.at.0),
            review_reason: body.review.and_then(|review| review.reason),
            content_hash,
            score: None,
            score_parts: None,
        }
    }
}

/// Agent playbooks, newest first.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetAgentPlaybooksRequest {
    /// 100 if missing.
    pub limit: Option<Positive>,
    pub agent_playbook_id: Option<Positive>,
    pub query: Option<String>,
    pub playbook_name: Option<String>,
    pub agent_version: Option<String>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// CURRENT ones if missing; `["pending"]` is the review list.
    pub status_filter: Option<Vec<Option<StatusName>>>,
    pub playbook_status_filter: Option<PlaybookStatuses>,
    pub tags: Option<Vec<String>>,
    pub request_id: Option<String>,
    pub session_id: Option<String>,
}

has_time_range!(GetAgentPlaybooksRequest);

/// Agent playbooks that fit a query. Only approved ones, unless others are asked for.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchAgentPlaybookRequest {
    pub query: Option<String>,
    pub user_id: Option<String>,
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
    pub source: Option<SourceLabel>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    pub status_filter: Option<Vec<Option<StatusName>>>,
    pub playbook_status_filter: Option<PlaybookStatuses>,
    pub tags: Option<Vec<String>>,
    /// 10 if missing.
    pub top_k: Option<Positive>,
    pub threshold: Option<Share>,
    pub enable_reformulation: Option<bool>,
    pub search_mode: Option<SearchMode>,
    pub request_id: Option<String>,
    pub session_id: Option<String>,
    /// Show what each score is made of.
    pub explain: Option<bool>,
    /// How much newer rows gain, 0 to 1; nothing if missing.
    pub recency: Option<Share>,
}

has_time_range!(SearchAgentPlaybookRequest);

/// Agent playbooks found.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybooksViewResponse {
    pub success: bool,
    pub agent_playbooks: Vec<AgentPlaybookView>,
    pub msg: Option<String>,
    /// Matches that were left out because nobody approved them.
    pub hidden_unapproved: Option<u64>,
    /// Meaning was asked for and only words were matched.
    pub degraded: Option<bool>,
}

/// An agent playbook to add.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybook {
    pub playbook_name: Option<String>,
    pub agent_version: String,
    pub created_at: Option<EpochSeconds>,
    pub content: String,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    pub blocking_issue: Option<BlockingIssue>,
    pub playbook_status: Option<PlaybookStatus>,
    pub playbook_metadata: Option<String>,
    pub expanded_terms: Option<String>,
    pub tags: Option<Vec<String>>,
    pub status: Option<StatusName>,
    /// The rule in production whose place it takes when it is approved.
    pub successor_of: Option<Positive>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddAgentPlaybookRequest {
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 1000)]
    pub agent_playbooks: Vec<AgentPlaybook>,
}

impl WireRequest for AddAgentPlaybookRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
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

/// Fields that are missing stay as they are; an empty text takes a field away.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpdateAgentPlaybookRequest {
    pub agent_playbook_id: Positive,
    pub playbook_name: Option<String>,
    pub content: Option<String>,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    pub playbook_status: Option<PlaybookStatus>,
    /// Why it was decided so.
    pub reason: Option<String>,
}

impl WireRequest for UpdateAgentPlaybookRequest {}

/// Approve, reject, or put back to the review list.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpdatePlaybookStatusRequest {
    pub agent_playbook_id: Positive,
    pub playbook_status: PlaybookStatus,
    /// Why. A rule that says the same later is refused with it.
    pub reason: Option<String>,
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
    fn check(&self, _: &[String]) -> Vec<Detail> {
        check_ids("agent_playbook_ids", self.agent_playbook_ids.len(), MOST_IDS)
    }
}
