use serde::{Deserialize, Serialize};

use crate::{InteractionId, RequestId, Status, Timestamp, UserId, UserPlaybookId};

/// Why an agent could not do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockingIssueKind {
    MissingTool,
    PermissionDenied,
    ExternalDependency,
    PolicyRestriction,
}

/// Something outside the agent that stood in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockingIssue {
    pub kind: BlockingIssueKind,
    pub details: String,
}

/// The parts of a user playbook that no query selects by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserPlaybookBody {
    /// The readable rendering of trigger, instruction and pitfall.
    pub content: String,
    /// The situation in which it applies.
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    /// What goes wrong without it.
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    /// JSON text with the fields that `metadata_definition_prompt` asked for.
    pub playbook_metadata: String,
    pub blocking_issue: Option<BlockingIssue>,
    pub source_interaction_ids: Vec<InteractionId>,
    pub expanded_terms: Option<String>,
    pub tags: Option<Vec<String>>,
    pub source_span: Option<String>,
    pub notes: Option<String>,
    pub reader_angle: Option<String>,
    pub merged_into: Option<UserPlaybookId>,
    pub superseded_by: Option<UserPlaybookId>,
    pub learned_by: Option<String>,
}

/// What one user's conversation taught about how the agent should act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserPlaybook {
    pub id: UserPlaybookId,
    pub user_id: Option<UserId>,
    pub request_id: RequestId,
    pub playbook_name: String,
    pub agent_version: String,
    pub created_at: Timestamp,
    pub source: Option<String>,
    pub status: Status,
    pub body: UserPlaybookBody,
}

impl UserPlaybook {
    pub fn searchable_text(&self) -> String {
        let body = &self.body;
        playbook_text(&body.content, [&body.trigger, &body.instruction, &body.pitfall, &body.expanded_terms])
    }
}

/// A rule as people read it.
pub fn rule_content(trigger: &str, instruction: &str, pitfall: Option<&str>) -> String {
    let avoid = pitfall.map_or_else(String::new, |pitfall| format!("\nAvoid: {pitfall}"));
    format!("When: {trigger}\nDo: {instruction}{avoid}")
}

/// Content first, then the parts that are not already in it.
pub(crate) fn playbook_text<const N: usize>(content: &str, parts: [&Option<String>; N]) -> String {
    let mut text = content.to_owned();
    for part in parts.into_iter().flatten() {
        if !part.is_empty() && !content.contains(part.as_str()) {
            text.push('\n');
            text.push_str(part);
        }
    }
    text
}
