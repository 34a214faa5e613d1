use serde::{Deserialize, Serialize};

/// The kinds of rows that can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    Interaction,
    Profile,
    UserPlaybook,
    AgentPlaybook,
}

impl RowKind {
    pub const ALL: [RowKind; 4] =
        [RowKind::Interaction, RowKind::Profile, RowKind::UserPlaybook, RowKind::AgentPlaybook];

    pub fn as_str(self) -> &'static str {
        match self {
            RowKind::Interaction => "interaction",
            RowKind::Profile => "profile",
            RowKind::UserPlaybook => "user_playbook",
            RowKind::AgentPlaybook => "agent_playbook",
        }
    }
}
