use serde::{Deserialize, Serialize};

use crate::{AgentPlaybookId, ProfileId, RequestId, Timestamp, UserId, UserPlaybookId};

/// The row an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum LineageSubject {
    Profile(ProfileId),
    UserPlaybook(UserPlaybookId),
    AgentPlaybook(AgentPlaybookId),
}

impl LineageSubject {
    pub fn kind(&self) -> &'static str {
        match self {
            LineageSubject::Profile(_) => "profile",
            LineageSubject::UserPlaybook(_) => "user_playbook",
            LineageSubject::AgentPlaybook(_) => "agent_playbook",
        }
    }

    pub fn id_text(&self) -> String {
        match self {
            LineageSubject::Profile(id) => id.to_string(),
            LineageSubject::UserPlaybook(id) => id.to_string(),
            LineageSubject::AgentPlaybook(id) => id.to_string(),
        }
    }
}

/// What happened to a learned row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineageAction {
    Added,
    Edited,
    Approved,
    Rejected,
    Reopened,
    Promoted,
    Archived,
    /// Its content went into a new row.
    Merged,
    /// A new row took its place.
    Superseded,
    /// Brought back from the archive by a downgrade.
    Restored,
    Deleted,
    /// Put back as it was before a run; a row that the run had added is gone with it.
    Undone,
}

impl LineageAction {
    pub fn as_str(self) -> &'static str {
        match self {
            LineageAction::Added => "added",
            LineageAction::Edited => "edited",
            LineageAction::Approved => "approved",
            LineageAction::Rejected => "rejected",
            LineageAction::Reopened => "reopened",
            LineageAction::Promoted => "promoted",
            LineageAction::Archived => "archived",
            LineageAction::Merged => "merged",
            LineageAction::Superseded => "superseded",
            LineageAction::Restored => "restored",
            LineageAction::Deleted => "deleted",
            LineageAction::Undone => "undone",
        }
    }
}

/// One line of a learned row's history. It holds no content, so that erasing a row erases its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineageEvent {
    pub id: i64,
    pub subject: LineageSubject,
    pub action: LineageAction,
    pub user_id: Option<UserId>,
    pub request_id: Option<RequestId>,
    /// The key that did it; nothing for the machine itself or a keyless loopback caller.
    pub actor: Option<String>,
    pub created_at: Timestamp,
}
