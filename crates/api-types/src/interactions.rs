use reflexio_types::{Interaction, UserAction};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::{NonBlank, Positive, UpToHundred};
use crate::publish::{RetrievedLearning, ToolUsed, UserActionType};
use crate::time::{When, has_time_range};
use crate::{ScoreParts, SearchMode, Share, ShortText};

/// A stored turn or action.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InteractionView {
    pub interaction_id: i64,
    pub user_id: String,
    pub request_id: String,
    pub session_id: String,
    pub created_at: i64,
    pub role: String,
    pub content: String,
    pub user_action: UserActionType,
    pub user_action_description: String,
    pub interacted_image_url: String,
    pub shadow_content: String,
    pub expert_content: String,
    pub tools_used: Vec<ToolUsed>,
    pub retrieved_learnings: Vec<RetrievedLearning>,
    /// The stored picture, at `GET /api/images/{image_id}`.
    pub image_id: Option<String>,
    pub image_media_type: Option<String>,
    /// How well it fits the query.
    pub score: Option<f64>,
    /// What the score is made of, if that was asked for.
    pub score_parts: Option<ScoreParts>,
}

impl From<UserAction> for UserActionType {
    fn from(action: UserAction) -> Self {
        match action {
            UserAction::Click => UserActionType::Click,
            UserAction::Scroll => UserActionType::Scroll,
            UserAction::Type => UserActionType::Type,
            UserAction::None => UserActionType::None,
        }
    }
}

impl From<UserActionType> for UserAction {
    fn from(action: UserActionType) -> Self {
        match action {
            UserActionType::Click => UserAction::Click,
            UserActionType::Scroll => UserAction::Scroll,
            UserActionType::Type => UserAction::Type,
            UserActionType::None => UserAction::None,
        }
    }
}

impl From<Interaction> for InteractionView {
    fn from(row: Interaction) -> Self {
        let turn = row.turn;
        Self {
            interaction_id: row.id.0,
            user_id: row.user_id.into_string(),
            request_id: row.request_id.into_string(),
            session_id: row.session_id.into_string(),
            created_at: turn.created_at.0,
            role: turn.role,
            content: turn.content,
            user_action: turn.user_action.into(),
            user_action_description: turn.user_action_description,
            interacted_image_url: turn.image_url,
            shadow_content: turn.shadow_content,
            expert_content: turn.expert_content,
            tools_used: turn.tools_used.into_iter().map(shown_tool).collect(),
            retrieved_learnings: turn.retrieved_learnings.into_iter().map(shown_learning).collect(),
            image_media_type: turn.image.as_ref().map(|image| image.media_type.as_str().to_owned()),
            image_id: turn.image.map(|image| image.id.to_string()),
            score: None,
            score_parts: None,
        }
    }
}

fn shown_tool(tool: reflexio_types::ToolUse) -> ToolUsed {
    ToolUsed { tool_name: tool.tool_name, tool_data: Some(tool.tool_data), status: Some(tool.status) }
}

fn shown_learning(learning: reflexio_types::RetrievedLearning) -> RetrievedLearning {
    RetrievedLearning { kind: learning.kind.into(), learning_id: ShortText(learning.learning_id) }
}

/// Interactions of one user.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetInteractionsRequest {
    pub user_id: NonBlank,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// 30 if missing.
    pub top_k: Option<Positive>,
}

has_time_range!(GetInteractionsRequest);

/// Interactions of everybody.
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetAllInteractionsQuery {
    /// 100 if missing.
    #[param(value_type = Option<i64>, minimum = 1)]
    pub limit: Option<Positive>,
}

impl WireRequest for GetAllInteractionsQuery {}

/// Interactions of one user that fit a query.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchInteractionRequest {
    pub user_id: NonBlank,
    pub request_id: Option<String>,
    pub session_id: Option<String>,
    /// What to look for; without it the newest interactions are returned.
    pub query: Option<String>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// 10 if missing.
    pub top_k: Option<Positive>,
    /// The last so many interactions, oldest first, instead of a search.
    pub most_recent_k: Option<Positive>,
    pub threshold: Option<Share>,
    pub search_mode: Option<SearchMode>,
    /// Show what each score is made of.
    pub explain: Option<bool>,
    /// How much newer rows gain, 0 to 1; nothing if missing.
    pub recency: Option<Share>,
}

has_time_range!(SearchInteractionRequest);

/// How many interactions like a given one, and of whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SimilarQuery {
    /// 10 if missing.
    pub top_k: Option<UpToHundred>,
    /// True looks at everybody's interactions, not only the same user's.
    pub everybody: Option<bool>,
    /// The least similarity of a row that has none of the words.
    pub threshold: Option<Share>,
}

impl WireRequest for SimilarQuery {}

/// Interactions found.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InteractionsViewResponse {
    pub success: bool,
    pub interactions: Vec<InteractionView>,
    pub msg: Option<String>,
    /// Meaning was asked for and only words were matched.
    pub degraded: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteUserInteractionRequest {
    pub user_id: NonBlank,
    pub interaction_id: Positive,
}

impl WireRequest for DeleteUserInteractionRequest {}
