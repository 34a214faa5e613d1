use serde::{Deserialize, Serialize};

use crate::{InjectionId, LearningKind, RequestId, SessionId, Timestamp, UserId};

/// By which way rules came to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InjectionRoute {
    /// A context block.
    Context,
    /// A search over everything that was learned.
    Search,
    SearchAgentPlaybooks,
    SearchUserPlaybooks,
    /// The agent chose by itself and said so.
    Reported,
}

impl InjectionRoute {
    pub const ALL: [InjectionRoute; 5] = [
        InjectionRoute::Context,
        InjectionRoute::Search,
        InjectionRoute::SearchAgentPlaybooks,
        InjectionRoute::SearchUserPlaybooks,
        InjectionRoute::Reported,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            InjectionRoute::Context => "context",
            InjectionRoute::Search => "search",
            InjectionRoute::SearchAgentPlaybooks => "search_agent_playbooks",
            InjectionRoute::SearchUserPlaybooks => "search_user_playbooks",
            InjectionRoute::Reported => "reported",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.as_str() == text)
    }
}

/// A rule as the agent got it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InjectedRule {
    pub kind: LearningKind,
    pub id: String,
    /// A fingerprint of its words: an edited rule counts apart from what it said before.
    pub wording: String,
}

/// Rules that an agent got for a prompt. It holds no text, neither of the prompt nor of the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    pub id: InjectionId,
    pub at: Timestamp,
    pub route: InjectionRoute,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// The version of the context block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Each once, in the order of kind and id.
    pub rules: Vec<InjectedRule>,
}
