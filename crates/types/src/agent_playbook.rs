use serde::{Deserialize, Serialize};

use crate::user_playbook::playbook_text;
use crate::{AgentPlaybookId, BlockingIssue, PlaybookStatus, Status, Timestamp, UserPlaybookId};

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
    pub merged_into: Option<AgentPlaybookId>,
    pub superseded_by: Option<AgentPlaybookId>,
    pub learned_by: Option<String>,
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
