use reflexio_types::{
    BlockingIssue as DomainIssue, BlockingIssueKind as DomainIssueKind, InteractionId,
    UserPlaybook as DomainUserPlaybook,
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::{Detail, LocPart};
use crate::field::{EpochSeconds, Id, Positive, Share, SourceLabel, StatusName, UpToHundred, shown_status};
use crate::object::objects;
use crate::requests::{MOST_IDS, check_ids};
use crate::search::{ScoreParts, SearchMode};
use crate::time::{When, has_time_range};

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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserPlaybookView {
    pub user_playbook_id: i64,
    pub user_id: Option<String>,
    pub agent_version: String,
    pub request_id: String,
    pub playbook_name: String,
    pub created_at: i64,
    pub content: String,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    /// JSON text with the fields that `metadata_definition_prompt` asked for.
    pub playbook_metadata: String,
    pub status: Option<StatusName>,
    pub source: Option<String>,
    pub source_interaction_ids: Vec<i64>,
    pub source_span: Option<String>,
    pub tags: Vec<String>,
    pub learned_by: Option<String>,
    pub score: Option<f64>,
    /// What the score is made of, if that was asked for.
    pub score_parts: Option<ScoreParts>,
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
            source_interaction_ids: body
                .source_interaction_ids
                .into_iter()
                .map(|InteractionId(id)| id)
                .collect(),
            source_span: body.source_span,
            tags: body.tags.unwrap_or_default(),
            learned_by: body.learned_by,
            score: None,
            score_parts: None,
        }
    }
}

/// User playbooks, newest first.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetUserPlaybooksRequest {
    /// 100 if missing.
    pub limit: Option<Positive>,
    pub user_playbook_id: Option<Positive>,
    pub user_id: Option<String>,
    pub request_id: Option<String>,
    pub query: Option<String>,
    pub playbook_name: Option<String>,
    pub agent_version: Option<String>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// All but merged and superseded ones if missing.
    pub status_filter: Option<Vec<Option<StatusName>>>,
    pub tags: Option<Vec<String>>,
}

has_time_range!(GetUserPlaybooksRequest);

/// User playbooks that fit a query.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchUserPlaybookRequest {
    pub query: Option<String>,
    pub user_id: Option<Id>,
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
    pub source: Option<SourceLabel>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// CURRENT ones if missing.
    pub status_filter: Option<Vec<Option<StatusName>>>,
    pub tags: Option<Vec<String>>,
    /// 10 if missing.
    pub top_k: Option<UpToHundred>,
    pub threshold: Option<Share>,
    pub enable_reformulation: Option<bool>,
    pub search_mode: Option<SearchMode>,
    pub request_id: Option<Id>,
    /// The rules that it gets are noted, to tell later what they did.
    pub session_id: Option<Id>,
    /// Show what each score is made of.
    pub explain: Option<bool>,
    /// How much newer rows gain, 0 to 1; nothing if missing.
    pub recency: Option<Share>,
}

has_time_range!(SearchUserPlaybookRequest);

/// User playbooks found.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserPlaybooksViewResponse {
    pub success: bool,
    pub user_playbooks: Vec<UserPlaybookView>,
    pub msg: Option<String>,
    /// Meaning was asked for and only words were matched.
    pub degraded: Option<bool>,
}

/// A user playbook to add. It needs a content or a trigger.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserPlaybook {
    pub user_id: Option<String>,
    pub agent_version: String,
    pub request_id: String,
    pub playbook_name: Option<String>,
    pub created_at: Option<EpochSeconds>,
    pub content: Option<String>,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    pub playbook_metadata: Option<String>,
    pub blocking_issue: Option<BlockingIssue>,
    pub status: Option<StatusName>,
    pub source: Option<String>,
    pub source_interaction_ids: Option<Vec<i64>>,
    pub expanded_terms: Option<String>,
    pub tags: Option<Vec<String>>,
    pub source_span: Option<String>,
    pub notes: Option<String>,
    pub reader_angle: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddUserPlaybookRequest {
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 1000)]
    pub user_playbooks: Vec<UserPlaybook>,
}

impl WireRequest for AddUserPlaybookRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
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
    let loc =
        vec![LocPart::from("body"), LocPart::from(list), LocPart::Index(index as u64), LocPart::from(field)];
    Detail::new("value_error", loc, format!("Value error, {message}"))
}

/// Fields that are missing stay as they are.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpdateUserPlaybookRequest {
    pub user_playbook_id: Positive,
    pub playbook_name: Option<String>,
    pub content: Option<String>,
    pub trigger: Option<String>,
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
    fn check(&self, _: &[String]) -> Vec<Detail> {
        check_ids("user_playbook_ids", self.user_playbook_ids.len(), MOST_IDS)
    }
}

/// Put a rerun's pending playbooks into use.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpgradeUserPlaybooksRequest {
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
    /// True if missing.
    pub archive_current: Option<bool>,
}

impl WireRequest for UpgradeUserPlaybooksRequest {}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpgradeUserPlaybooksResponse {
    pub success: bool,
    pub user_playbooks_deleted: u64,
    pub user_playbooks_archived: u64,
    pub user_playbooks_promoted: u64,
    #[serde(default)]
    pub message: String,
    /// As which it can be undone; missing if nothing changed.
    pub run_id: Option<String>,
}

/// Take an upgrade of user playbooks back.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DowngradeUserPlaybooksRequest {
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
}

impl WireRequest for DowngradeUserPlaybooksRequest {}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DowngradeUserPlaybooksResponse {
    pub success: bool,
    pub user_playbooks_demoted: u64,
    pub user_playbooks_restored: u64,
    #[serde(default)]
    pub message: String,
    /// As which it can be undone; missing if nothing changed.
    pub run_id: Option<String>,
}
