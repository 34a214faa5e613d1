use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ImageRef, InteractionId, RequestId, SessionId, Speaker, Timestamp, UserId, speaker_name};

/// What a person did in the interface beside (or instead of) saying something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserAction {
    Click,
    Scroll,
    Type,
    #[default]
    None,
}

impl UserAction {
    pub const ALL: [UserAction; 4] =
        [UserAction::Click, UserAction::Scroll, UserAction::Type, UserAction::None];

    pub fn as_str(self) -> &'static str {
        match self {
            UserAction::Click => "click",
            UserAction::Scroll => "scroll",
            UserAction::Type => "type",
            UserAction::None => "none",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == text)
    }
}

/// A tool the agent called during its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub tool_name: String,
    #[serde(default)]
    pub tool_data: Map<String, Value>,
    #[serde(default)]
    pub status: String,
}

/// The kinds of rows an agent may cite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CitationKind {
    Playbook,
    Profile,
    UserPlaybook,
    AgentPlaybook,
}

/// The agent's own word that it used something Reflexio gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    pub kind: CitationKind,
    pub real_id: String,
    #[serde(default)]
    pub tag: String,
    #[serde(default)]
    pub title: String,
}

/// The kinds of learned rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearningKind {
    Profile,
    UserPlaybook,
    AgentPlaybook,
}

impl LearningKind {
    pub fn as_str(self) -> &'static str {
        match self {
            LearningKind::Profile => "profile",
            LearningKind::UserPlaybook => "user_playbook",
            LearningKind::AgentPlaybook => "agent_playbook",
        }
    }
}

/// A learned row that was in the agent's prompt for this turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetrievedLearning {
    pub kind: LearningKind,
    pub learning_id: String,
}

/// One turn of a conversation, or one action in an interface, as it was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub created_at: Timestamp,
    pub role: String,
    pub content: String,
    /// Another answer the agent could have given, kept for comparison.
    pub shadow_content: String,
    /// The answer an expert would have given.
    pub expert_content: String,
    pub user_action: UserAction,
    pub user_action_description: String,
    pub image_url: String,
    pub image: Option<ImageRef>,
    pub tools_used: Vec<ToolUse>,
    pub citations: Vec<Citation>,
    pub retrieved_learnings: Vec<RetrievedLearning>,
}

impl Turn {
    /// A plain chat turn.
    pub fn say(created_at: Timestamp, role: &str, content: &str) -> Self {
        Self {
            created_at,
            role: role.to_owned(),
            content: content.to_owned(),
            shadow_content: String::new(),
            expert_content: String::new(),
            user_action: UserAction::None,
            user_action_description: String::new(),
            image_url: String::new(),
            image: None,
            tools_used: Vec::new(),
            citations: Vec::new(),
            retrieved_learnings: Vec::new(),
        }
    }

    /// Whether there is anything to learn from or to show.
    pub fn carries_content(&self) -> bool {
        let said = [&self.content, &self.shadow_content, &self.expert_content, &self.image_url];
        said.iter().any(|text| !text.trim().is_empty())
            || self.user_action != UserAction::None
            || self.image.is_some()
            || !self.tools_used.is_empty()
    }

    /// Whether a user said or did it; a turn that names nobody is a user's.
    pub fn is_of_user(&self) -> bool {
        Speaker::of(&self.role) == Speaker::User || self.role.trim().is_empty()
    }

    /// What the agent could have answered instead; the user never saw it.
    pub fn alternative(&self) -> Option<&str> {
        let shadow = self.shadow_content.trim();
        let other = !self.is_of_user() && !shadow.is_empty() && shadow != self.content.trim();
        other.then_some(shadow)
    }

    /// The answer that was given and the alternative to it, where there are two answers to compare.
    pub fn both_answers(&self) -> Option<(&str, &str)> {
        let given = self.content.trim();
        self.alternative().filter(|_| !given.is_empty()).map(|shadow| (given, shadow))
    }

    /// All that was said and done, as text.
    pub fn text(&self) -> String {
        let parts =
            [&self.content, &self.user_action_description, &self.expert_content, &self.shadow_content];
        parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// The text a search looks at. A named speaker is part of it: people ask what Caroline said.
    pub fn searchable_text(&self) -> String {
        let text = self.text();
        match speaker_name(&self.role) {
            Some(name) if !text.is_empty() => format!("{name}: {text}"),
            Some(_) | None => text,
        }
    }
}

/// A stored turn: what was published and where it belongs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    pub id: InteractionId,
    pub user_id: UserId,
    pub request_id: RequestId,
    pub session_id: SessionId,
    pub turn: Turn,
}
