use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::agent_playbooks::{AgentPlaybookView, PlaybookStatus};
use crate::body::WireRequest;
use crate::field::{Id, NonBlank, Positive, Share, SourceLabel, UpToHundred};
use crate::object::optional_objects;
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

/// What a score is made of: the parts add up to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScoreParts {
    /// Words of the query in the row.
    pub words: f64,
    /// Words of the query in the turns around it.
    pub context: f64,
    /// How near the row is in meaning.
    pub meaning: f64,
    /// Less for the assistant's turns when the query is about the asker.
    pub speaker: f64,
    /// More for a user's standing request.
    pub standing: f64,
    /// More for newer rows, if that was asked for.
    pub recency: f64,
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnifiedSearchRequest {
    pub query: NonBlank,
    /// Per kind; 5 if missing.
    pub top_k: Option<UpToHundred>,
    pub threshold: Option<Share>,
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
    pub user_id: Option<Id>,
    pub source: Option<SourceLabel>,
    pub tags: Option<Vec<String>>,
    pub entity_types: Option<Vec<EntityType>>,
    /// Approved ones only if missing.
    pub agent_playbook_status_filter: Option<Vec<PlaybookStatus>>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub conversation_history: Option<Vec<ConversationTurn>>,
    pub enable_reformulation: Option<bool>,
    pub enable_agent_answer: Option<bool>,
    pub search_mode: Option<SearchMode>,
    pub request_id: Option<Id>,
    /// Rows that this session was given before are left out, and the rules it gets are noted.
    pub session_id: Option<Id>,
    pub interaction_id: Option<Positive>,
    /// False serves rows again that the session has.
    pub skip_served: Option<bool>,
    /// True also shows user playbooks that an agent playbook of the answer says already.
    pub include_covered: Option<bool>,
    /// Show what each score is made of.
    pub explain: Option<bool>,
    /// How much newer rows gain, 0 to 1; nothing if missing.
    pub recency: Option<Share>,
}

impl WireRequest for UnifiedSearchRequest {}

/// What was found, best first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnifiedSearchViewResponse {
    pub success: bool,
    pub profiles: Vec<ProfileView>,
    pub agent_playbooks: Vec<AgentPlaybookView>,
    pub user_playbooks: Vec<UserPlaybookView>,
    pub reformulated_query: Option<String>,
    pub msg: Option<String>,
    /// Matching agent playbooks that were left out because nobody approved them.
    pub hidden_unapproved: Option<u64>,
    /// User playbooks that were left out because an agent playbook of the answer says the same.
    pub covered: Option<u64>,
    /// Meaning was asked for and only words were matched.
    pub degraded: Option<bool>,
}
