use serde::{Deserialize, Serialize};

use crate::user_playbook::{playbook_text, rule_content};
use crate::{
    AgentPlaybookId, BlockingIssue, InteractionId, PlaybookStatus, RequestId, RuleField, Status, Timestamp,
    UserPlaybookId,
};

/// 80 bits: enough to notice any edit, and short enough for a line.
const HASH_DIGITS: usize = 20;

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
    /// The person who wrote or last edited it; nothing while all of it is the machine's.
    pub written_by: Option<Signature>,
    /// The last decision about it; nothing while it waits for one.
    pub review: Option<Review>,
}

/// Who did something to a rule, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Missing for a caller without a key.
    pub key: Option<String>,
    pub at: Timestamp,
}

/// Who decided about a rule, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub by: Signature,
    pub reason: Option<String>,
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

impl AgentPlaybookBody {
    /// The text that trigger, instruction and pitfall make, if they make one.
    pub fn rendering(&self) -> Option<String> {
        let (trigger, instruction) = (self.trigger.as_deref()?, self.instruction.as_deref()?);
        Some(rule_content(trigger, instruction, self.pitfall.as_deref()))
    }
}

impl AgentPlaybook {
    /// Changes with every text that people read and with the decision. A file that was exported carries it, so that it is known
    /// later what was edited in the file and what on the server.
    pub fn content_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("reflexio agent playbook text v1");
        let fields = RuleField::ALL.into_iter().map(|field| field.of(self).unwrap_or_default());
        for text in fields.chain([self.agent_version.as_str(), self.playbook_status.as_str()]) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize().to_hex()[..HASH_DIGITS].to_owned()
    }

    pub fn searchable_text(&self) -> String {
        let body = &self.body;
        playbook_text(&body.content, [&body.trigger, &body.instruction, &body.pitfall, &body.expanded_terms])
    }
}
