use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use reflexio_types::{CitationKind as DomainCitationKind, LearningKind, MediaType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::{Detail, LocPart};
use crate::field::{
    Content, Description, EpochSeconds, ImageText, ImageUrl, NonBlank, ShortText, SourceLabel,
};
use crate::object::{objects, optional_objects};

/// The most turns one publish may carry.
pub const MOST_INTERACTIONS: usize = 1_000;
/// The most entries in one of an interaction's lists.
pub const MOST_LIST_ENTRIES: usize = 1_000;
/// The largest stored picture.
pub const MOST_IMAGE_BYTES: usize = 10 * 1024 * 1024;

/// What a person did in the interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserActionType {
    Click,
    Scroll,
    Type,
    #[default]
    None,
}

/// A tool the agent called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolUsed {
    pub tool_name: String,
    #[serde(default)]
    #[schema(value_type = Option<Object>, nullable)]
    pub tool_data: Option<Map<String, Value>>,
    #[serde(default)]
    pub status: Option<String>,
}

/// The kinds of rows an agent may cite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CitationKind {
    Playbook,
    Profile,
    UserPlaybook,
    AgentPlaybook,
}

impl From<CitationKind> for DomainCitationKind {
    fn from(kind: CitationKind) -> Self {
        match kind {
            CitationKind::Playbook => DomainCitationKind::Playbook,
            CitationKind::Profile => DomainCitationKind::Profile,
            CitationKind::UserPlaybook => DomainCitationKind::UserPlaybook,
            CitationKind::AgentPlaybook => DomainCitationKind::AgentPlaybook,
        }
    }
}

/// Something of ours that the agent says it used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Citation {
    pub kind: CitationKind,
    pub real_id: String,
    #[serde(default)]
    pub tag: Option<String>,
    #[serde(default)]
    pub title: Option<String>,
}

/// The kinds of learned rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetrievedLearningKind {
    Profile,
    UserPlaybook,
    AgentPlaybook,
}

impl From<RetrievedLearningKind> for LearningKind {
    fn from(kind: RetrievedLearningKind) -> Self {
        match kind {
            RetrievedLearningKind::Profile => LearningKind::Profile,
            RetrievedLearningKind::UserPlaybook => LearningKind::UserPlaybook,
            RetrievedLearningKind::AgentPlaybook => LearningKind::AgentPlaybook,
        }
    }
}

impl From<LearningKind> for RetrievedLearningKind {
    fn from(kind: LearningKind) -> Self {
        match kind {
            LearningKind::Profile => RetrievedLearningKind::Profile,
            LearningKind::UserPlaybook => RetrievedLearningKind::UserPlaybook,
            LearningKind::AgentPlaybook => RetrievedLearningKind::AgentPlaybook,
        }
    }
}

/// A learned row that was in the agent's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetrievedLearning {
    pub kind: RetrievedLearningKind,
    pub learning_id: ShortText,
}

/// One turn of a conversation, or one action in an interface.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InteractionData {
    /// When it happened; now, if missing.
    pub created_at: Option<EpochSeconds>,
    /// Who speaks: `User` if missing; any name will do.
    pub role: Option<ShortText>,
    pub content: Option<Content>,
    /// Another answer the agent could have given, for comparison.
    pub shadow_content: Option<Content>,
    /// The answer an expert would have given.
    pub expert_content: Option<Content>,
    pub user_action: Option<UserActionType>,
    /// Required with an action.
    pub user_action_description: Option<Description>,
    pub interacted_image_url: Option<ImageUrl>,
    /// A PNG, JPEG, GIF or WebP picture as base64.
    pub image_encoding: Option<ImageText>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub tools_used: Option<Vec<ToolUsed>>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub citations: Option<Vec<Citation>>,
    #[serde(default, deserialize_with = "optional_objects")]
    pub retrieved_learnings: Option<Vec<RetrievedLearning>>,
}

impl InteractionData {
    /// The picture's type and bytes, or what is wrong with it.
    pub fn image(&self) -> Result<Option<(MediaType, Vec<u8>)>, String> {
        let Some(text) = self.image_encoding.as_ref().map(ImageText::as_str).filter(|text| !text.is_empty())
        else {
            return Ok(None);
        };
        let encoded =
            text.strip_prefix("data:").and_then(|rest| rest.split_once(',')).map_or(text, |(_, data)| data);
        let encoded: String = encoded.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let bytes = STANDARD.decode(&encoded).or_else(|_| STANDARD_NO_PAD.decode(&encoded));
        let bytes = bytes.map_err(|_| "image_encoding is not base64".to_owned())?;
        if bytes.len() > MOST_IMAGE_BYTES {
            return Err(format!(
                "the image has {} bytes; at most {MOST_IMAGE_BYTES} are accepted",
                bytes.len()
            ));
        }
        let media_type = MediaType::sniff(&bytes).map_err(|error| format!("image_encoding is {error}"))?;
        Ok(Some((media_type, bytes)))
    }

    /// Whether anything is there to keep.
    pub fn carries_content(&self) -> bool {
        let said = [&self.content, &self.shadow_content, &self.expert_content];
        said.iter().any(|text| text.as_ref().is_some_and(|text| !text.as_str().trim().is_empty()))
            || self.user_action.is_some_and(|action| action != UserActionType::None)
            || self.interacted_image_url.as_ref().is_some_and(|url| !url.as_str().trim().is_empty())
            || self.image_encoding.as_ref().is_some_and(|image| !image.as_str().is_empty())
            || self.tools_used.as_ref().is_some_and(|tools| !tools.is_empty())
    }

    fn problems(&self, index: usize) -> Vec<Detail> {
        let at = |field: &str| {
            vec![
                LocPart::from("body"),
                LocPart::from("interaction_data_list"),
                LocPart::Index(index as u64),
                LocPart::from(field),
            ]
        };
        let mut problems = Vec::new();
        let action = self.user_action.unwrap_or_default();
        let described =
            self.user_action_description.as_ref().is_some_and(|text| !text.as_str().trim().is_empty());
        if action != UserActionType::None && !described {
            let message = "Value error, user_action_description is required when user_action is not 'none'";
            problems.push(Detail::new("value_error", at("user_action_description"), message));
        }
        let has_url = self.interacted_image_url.as_ref().is_some_and(|url| !url.as_str().is_empty());
        let has_bytes = self.image_encoding.as_ref().is_some_and(|image| !image.as_str().is_empty());
        if has_url && has_bytes {
            let message = "Value error, give interacted_image_url or image_encoding, not both";
            problems.push(Detail::new("value_error", at("image_encoding"), message));
        }
        let lists = [
            ("tools_used", self.tools_used.as_ref().map_or(0, Vec::len)),
            ("citations", self.citations.as_ref().map_or(0, Vec::len)),
            ("retrieved_learnings", self.retrieved_learnings.as_ref().map_or(0, Vec::len)),
        ];
        for (field, length) in lists {
            if length > MOST_LIST_ENTRIES {
                let message = format!("List should have at most {MOST_LIST_ENTRIES} items, not {length}");
                problems.push(Detail::new("too_long", at(field), message));
            }
        }
        problems
    }
}

/// What an agent tells about a conversation.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublishUserInteractionRequest {
    /// Chosen by the caller so that a retry stores nothing twice; made by the server if missing.
    pub request_id: Option<NonBlank>,
    pub user_id: NonBlank,
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 1000)]
    pub interaction_data_list: Vec<InteractionData>,
    pub source: Option<SourceLabel>,
    pub agent_version: Option<ShortText>,
    /// The conversation this belongs to; the request is its own session if missing.
    pub session_id: Option<NonBlank>,
    pub skip_aggregation: Option<bool>,
    pub force_extraction: Option<bool>,
    pub evaluation_only: Option<bool>,
    pub override_learning_stall: Option<bool>,
    /// No more turns will come in this session.
    pub session_finished: Option<bool>,
    pub retrieval_experiment_id: Option<NonBlank>,
    pub retrieval_experiment_arm: Option<ExperimentArm>,
}

/// Which half of a retrieval experiment a user was in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExperimentArm {
    Treatment,
    Holdout,
}

impl WireRequest for PublishUserInteractionRequest {
    fn check(&self, unknown: &[String]) -> Vec<Detail> {
        let list = &self.interaction_data_list;
        let at = &["interaction_data_list"];
        if list.is_empty() {
            return vec![Detail::body(
                "too_short",
                at,
                "List should have at least 1 item after validation, not 0",
            )];
        }
        if list.len() > MOST_INTERACTIONS {
            let message = format!("List should have at most {MOST_INTERACTIONS} items, not {}", list.len());
            return vec![Detail::body("too_long", at, message)];
        }
        if !list.iter().any(InteractionData::carries_content) {
            let mut message =
                "Value error, every interaction is empty: give at least one a content, an action, an \
                               image or a tool"
                    .to_owned();
            if !unknown.is_empty() {
                let keys: Vec<String> = unknown.iter().take(5).map(|key| format!("`{key}`")).collect();
                message
                    .push_str(&format!("; these keys mean nothing, is one misspelled? {}", keys.join(", ")));
            }
            return vec![Detail::body("value_error", at, message)];
        }
        let mut problems: Vec<Detail> =
            list.iter().enumerate().flat_map(|(index, interaction)| interaction.problems(index)).collect();
        if self.evaluation_only == Some(true) && self.force_extraction == Some(true) {
            let message = "Value error, evaluation_only and force_extraction exclude each other";
            problems.push(Detail::body("value_error", &["force_extraction"], message));
        }
        if self.retrieval_experiment_id.is_some() != self.retrieval_experiment_arm.is_some() {
            let message = "Value error, give retrieval_experiment_id and retrieval_experiment_arm together";
            problems.push(Detail::body("value_error", &["retrieval_experiment_arm"], message));
        }
        problems
    }
}

/// `?wait_for_response=true` waits until the conversation was learned from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PublishQuery {
    #[serde(default)]
    pub wait_for_response: bool,
}

impl WireRequest for PublishQuery {}

/// What became of a publish. `success` means that everything is on disk.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublishUserInteractionResponse {
    pub success: bool,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub warnings: Vec<String>,
    pub request_id: Option<String>,
    pub session_id: Option<String>,
    pub storage_type: Option<String>,
    pub storage_label: Option<String>,
    pub profiles_added: Option<u64>,
    pub playbooks_added: Option<u64>,
    /// `done` or `deferred`.
    pub learning_status: Option<String>,
    pub learning_reason: Option<String>,
    /// A request of this id was already stored; nothing was stored now.
    pub duplicate: Option<bool>,
}
