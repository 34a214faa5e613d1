use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::agent_playbooks::{AgentPlaybookView, PlaybookStatus};
use crate::body::WireRequest;
use crate::field::{Id, NonBlank, Positive, Share, SourceLabel, UpToHundred};
use crate::profiles::ProfileView;
use crate::user_playbooks::UserPlaybookView;

/// How rows are matched: by meaning, by words, or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    Vector,
    Fts,
    #[default]
    Hybrid,
}

/// The kinds of rows to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    Profiles,
    UserPlaybooks,
    AgentPlaybooks,
}

/// A turn before the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConversationTurn {
    pub role: NonBlank,
    pub content: NonBlank,
}

/// One question to everything that was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnifiedSearchRequest {
    pub query: NonBlank,
    /// Per kind; 5 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<UpToHundred>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Share>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playbook_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLabel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_types: Option<Vec<EntityType>>,
    /// Approved ones only if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_playbook_status_filter: Option<Vec<PlaybookStatus>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_history: Option<Vec<ConversationTurn>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_reformulation: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable_agent_answer: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_mode: Option<SearchMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction_id: Option<Positive>,
}

impl WireRequest for UnifiedSearchRequest {}

/// What was found, best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnifiedSearchViewResponse {
    pub success: bool,
    pub profiles: Vec<ProfileView>,
    pub agent_playbooks: Vec<AgentPlaybookView>,
    pub user_playbooks: Vec<UserPlaybookView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reformulated_query: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub msg: Option<String>,
    /// Matching agent playbooks that were left out because nobody approved them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_unapproved: Option<u64>,
    /// Meaning was asked for and only words were matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<bool>,
}
