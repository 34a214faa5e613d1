use reflexio_types::{
    AgentPlaybookId, PlaybookStatus, ProfileId, ProfileTimeToLive, RequestId, SessionId, Status, TimeRange,
    Timestamp, UserId, UserPlaybookId,
};

/// A piece of a longer list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub limit: usize,
    pub offset: usize,
}

impl Page {
    pub fn first(limit: usize) -> Self {
        Self { limit, offset: 0 }
    }
}

/// Which of several equal answers comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InteractionOrder {
    /// By time, newest first; the turns of one second in the order they were said.
    #[default]
    NewestFirst,
    /// By arrival, newest first.
    LatestArrivalFirst,
}

/// Which interactions. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InteractionFilter {
    pub user_id: Option<UserId>,
    pub request_id: Option<RequestId>,
    pub session_id: Option<SessionId>,
    pub time: TimeRange,
}

/// Which requests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestFilter {
    pub user_id: Option<UserId>,
    pub request_id: Option<RequestId>,
    pub session_id: Option<SessionId>,
    pub source: Option<String>,
    pub time: TimeRange,
}

/// Which profiles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProfileFilter {
    pub user_id: Option<UserId>,
    pub profile_id: Option<ProfileId>,
    pub request_id: Option<RequestId>,
    pub source: Option<String>,
    pub time_to_live: Option<ProfileTimeToLive>,
    pub time: TimeRange,
    /// Any of these; empty means any status.
    pub status: Vec<Status>,
    /// Any of these; empty means any tags.
    pub tags: Vec<String>,
    /// A piece of text that the custom features must hold.
    pub custom_feature: Option<String>,
    pub extractor_name: Option<String>,
    /// Leave out profiles that expired before this moment.
    pub alive_at: Option<Timestamp>,
}

/// Which user playbooks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserPlaybookFilter {
    pub id: Option<UserPlaybookId>,
    pub user_id: Option<UserId>,
    pub request_id: Option<RequestId>,
    pub playbook_name: Option<String>,
    pub agent_version: Option<String>,
    pub source: Option<String>,
    pub time: TimeRange,
    pub status: Vec<Status>,
    pub tags: Vec<String>,
}

/// Which agent playbooks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentPlaybookFilter {
    pub id: Option<AgentPlaybookId>,
    pub playbook_name: Option<String>,
    pub agent_version: Option<String>,
    pub time: TimeRange,
    pub status: Vec<Status>,
    pub playbook_status: Vec<PlaybookStatus>,
    /// Rows that wait for a person: approval is pending, or the row itself is.
    pub awaiting_review: bool,
    pub tags: Vec<String>,
}
