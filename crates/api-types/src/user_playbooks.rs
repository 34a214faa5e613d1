use reflexio_types::{
    BlockingIssue as DomainIssue, BlockingIssueKind as DomainIssueKind, InteractionId, TimeRange,
    UserPlaybook as DomainUserPlaybook,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::{Detail, LocPart};
use crate::field::{EpochSeconds, Id, Positive, Share, SourceLabel, StatusName, UpToHundred, shown_status};
use crate::requests::{MOST_IDS, check_ids};
use crate::search::SearchMode;
use crate::time::{When, check_range, time_range};

/// Why an agent could not do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockingIssueKind {
    MissingTool,
    PermissionDenied,
    ExternalDependency,
    PolicyRestriction,
}

/// Something outside the agent that stood in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlockingIssue {
    pub kind: BlockingIssueKind,
    pub details: String,
}

impl From<BlockingIssue> for DomainIssue {
    fn from(issue: BlockingIssue) -> Self {
        let kind = match issue.kind {
            BlockingIssueKind::MissingTool => DomainIssueKind::MissingTool,
            BlockingIssueKind::PermissionDenied => DomainIssueKind::PermissionDenied,
            BlockingIssueKind::ExternalDependency => DomainIssueKind::ExternalDependency,
            BlockingIssueKind::PolicyRestriction => DomainIssueKind::PolicyRestriction,
        };
        DomainIssue { kind, details: issue.details }
    }
}

/// What one user's conversation taught.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserPlaybookView {
    pub user_playbook_id: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    pub agent_version: String,
    pub request_id: String,
    pub playbook_name: String,
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
    /// JSON text with the fields that `metadata_definition_prompt` asked for.
    pub playbook_metadata: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    pub source_interaction_ids: Vec<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_span: Option<String>,
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl From<DomainUserPlaybook> for UserPlaybookView {
    fn from(row: DomainUserPlaybook) -> Self {
        let body = row.body;
        Self {
            user_playbook_id: row.id.0,
            user_id: row.user_id.map(reflexio_types::UserId::into_string),
            agent_version: row.agent_version,
            request_id: row.request_id.into_string(),
            playbook_name: row.playbook_name,
            created_at: row.created_at.0,
            content: body.content,
            trigger: body.trigger,
            instruction: body.instruction,
            pitfall: body.pitfall,
            rationale: body.rationale,
            playbook_metadata: body.playbook_metadata,
            status: shown_status(row.status),
            source: row.source,
            source_interaction_ids: body.source_interaction_ids.into_iter().map(|InteractionId(id)| id).collect(),
            source_span: body.source_span,
            tags: body.tags.unwrap_or_default(),
            learned_by: body.learned_by,
            score: None,
        }
    }
}

/// User playbooks, newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetUserPlaybooksRequest {
    /// 100 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Positive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_playbook_id: Option<Positive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
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
    /// All but merged and superseded ones if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_filter: Option<Vec<Option<StatusName>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

impl GetUserPlaybooksRequest {
    pub fn time(&self) -> TimeRange {
        time_range(self.start_time, self.end_time)
    }
}

impl WireRequest for GetUserPlaybooksRequest {
    fn check(&self) -> Vec<Detail> {
        check_range(self.start_time, self.end_time)
    }
}

/// User playbooks that fit a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchUserPlaybookRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<Id>,
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
    /// CURRENT ones if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_filter: Option<Vec<Option<StatusName>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// 10 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<UpToHundred>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Share>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_reformulation: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_mode: Option<SearchMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Id>,
}

impl SearchUserPlaybookRequest {
    pub fn time(&self) -> TimeRange {
        time_range(self.start_time, self.end_time)
    }
}

impl WireRequest for SearchUserPlaybookRequest {
    fn check(&self) -> Vec<Detail> {
        check_range(self.start_time, self.end_time)
    }
}

/// User playbooks found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserPlaybooksViewResponse {
    pub success: bool,
    pub user_playbooks: Vec<UserPlaybookView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub msg: Option<String>,
    /// Meaning was asked for and only words were matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<bool>,
}

/// A user playbook to add. It needs a content or a trigger.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserPlaybook {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    pub agent_version: String,
    pub request_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<EpochSeconds>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitfall: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_metadata: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocking_issue: Option<BlockingIssue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_interaction_ids: Option<Vec<i64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded_terms: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_span: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader_angle: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddUserPlaybookRequest {
    #[schema(min_items = 1, max_items = 1000)]
    pub user_playbooks: Vec<UserPlaybook>,
}

impl WireRequest for AddUserPlaybookRequest {
    fn check(&self) -> Vec<Detail> {
        let mut problems = check_ids("user_playbooks", self.user_playbooks.len(), 1_000);
        let blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
        for (index, playbook) in self.user_playbooks.iter().enumerate() {
            if blank(&playbook.content) && blank(&playbook.trigger) {
                problems.push(at_row("user_playbooks", index, "content", "give content or trigger"));
            }
        }
        problems
    }
}

pub(crate) fn at_row(list: &str, index: usize, field: &str, message: &str) -> Detail {
    let loc = vec![LocPart::from("body"), LocPart::from(list), LocPart::Index(index as u64), LocPart::from(field)];
    Detail::new("value_error", loc, format!("Value error, {message}"))
}

/// Fields that are missing stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpdateUserPlaybookRequest {
    pub user_playbook_id: Positive,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

impl WireRequest for UpdateUserPlaybookRequest {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteUserPlaybookRequest {
    pub user_playbook_id: Positive,
}

impl WireRequest for DeleteUserPlaybookRequest {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteUserPlaybooksByIdsRequest {
    #[schema(min_items = 1, max_items = 10_000)]
    pub user_playbook_ids: Vec<i64>,
}

impl WireRequest for DeleteUserPlaybooksByIdsRequest {
    fn check(&self) -> Vec<Detail> {
        check_ids("user_playbook_ids", self.user_playbook_ids.len(), MOST_IDS)
    }
}

/// Put a rerun's pending playbooks into use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpgradeUserPlaybooksRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    /// True if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive_current: Option<bool>,
}

impl WireRequest for UpgradeUserPlaybooksRequest {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpgradeUserPlaybooksResponse {
    pub success: bool,
    pub user_playbooks_deleted: u64,
    pub user_playbooks_archived: u64,
    pub user_playbooks_promoted: u64,
    #[serde(default)]
    pub message: String,
}
