use serde::{Deserialize, Serialize};

use crate::user_playbook::playbook_text;
use crate::{
    AgentPlaybookId, BlockingIssue, InteractionId, PlaybookStatus, RequestId, Status, Timestamp,
    UserPlaybookId,
};

/// The parts of an agent playbook that no query selects by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentPlaybookBody {
    pub content: String,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    pub playbook_metadata: String,
    pub blocking_issue: Option<BlockingIssue>,
    pub expanded_terms: Option<String>,
    pub tags: Option<Vec<String>>,
    pub source_user_playbook_ids: Vec<UserPlaybookId>,
    /// How many user playbooks it stands for, and of how many users.
    pub cluster_size: Option<u32>,
    pub distinct_users: Option<u32>,
    /// How alike they are, from 0 to 1.
    pub agreement: Option<f64>,
    /// The situations that taught it. They hold no text, so they outlive the rows they came from.
    pub source_windows: Vec<SourceWindow>,
    /// The approved rule whose place it would take.
    pub successor_of: Option<AgentPlaybookId>,
    pub merged_into: Option<AgentPlaybookId>,
    pub superseded_by: Option<AgentPlaybookId>,
    pub learned_by: Option<String>,
}

/// A situation that taught a rule: the turns that show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceWindow {
    pub user_playbook_id: UserPlaybookId,
    pub request_id: RequestId,
    pub interaction_ids: Vec<InteractionId>,
}

/// A rule for the agent. Only a person's approval lets it into production.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentPlaybook {
    pub id: AgentPlaybookId,
    pub playbook_name: String,
    pub agent_version: String,
    pub created_at: Timestamp,
    pub playbook_status: PlaybookStatus,
    pub status: Status,
    pub body: AgentPlaybookBody,
}

impl AgentPlaybook {
    pub fn searchable_text(&self) -> String {
        let body = &self.body;
        playbook_text(&body.content, [&body.trigger, &body.instruction, &body.pitfall, &body.expanded_terms])
    }
}
