use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::agent_playbooks::PlaybookStatus;
use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::Positive;
use crate::object::objects;
use crate::requests::check_ids;
use crate::user_playbooks::at_row;

const MOST_RULES: usize = 10_000;

/// An agent playbook as a file tells it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImportedAgentPlaybook {
    /// The rule it was exported from; missing for a new one.
    pub agent_playbook_id: Option<Positive>,
    /// The `content_hash` of that rule when it was exported.
    pub exported_hash: Option<String>,
    pub playbook_name: Option<String>,
    pub agent_version: String,
    pub playbook_status: Option<PlaybookStatus>,
    pub trigger: Option<String>,
    pub instruction: Option<String>,
    pub pitfall: Option<String>,
    pub rationale: Option<String>,
    /// Made of trigger, instruction and pitfall if missing.
    pub content: Option<String>,
}

/// Agent playbooks to bring back from files: all of them, or none if one is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImportAgentPlaybooksRequest {
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 10_000)]
    pub agent_playbooks: Vec<ImportedAgentPlaybook>,
    /// Only tell what would happen.
    #[serde(default)]
    pub dry_run: bool,
}

impl WireRequest for ImportAgentPlaybooksRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        let mut problems = check_ids("agent_playbooks", self.agent_playbooks.len(), MOST_RULES);
        for (index, rule) in self.agent_playbooks.iter().enumerate() {
            let some = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
            let whole = some(&rule.trigger) && some(&rule.instruction);
            if !some(&rule.content) && !whole {
                let message = "give content, or trigger and instruction";
                problems.push(at_row("agent_playbooks", index, "content", message));
            }
        }
        problems
    }
}

/// What becomes of an imported rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportAction {
    Unchanged,
    Added,
    /// It waits as the successor of a rule in production.
    Proposed,
    Edited,
    Approved,
    Rejected,
    /// `message` says why; nothing of the import was stored.
    Refused,
}

impl ImportAction {
    pub fn as_str(self) -> &'static str {
        match self {
            ImportAction::Unchanged => "unchanged",
            ImportAction::Added => "added",
            ImportAction::Proposed => "proposed",
            ImportAction::Edited => "edited",
            ImportAction::Approved => "approved",
            ImportAction::Rejected => "rejected",
            ImportAction::Refused => "refused",
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportResult {
    pub action: ImportAction,
    /// Missing for a rule that was not stored yet.
    pub agent_playbook_id: Option<i64>,
    pub message: Option<String>,
}

/// What became of an import, rule by rule in the order they were sent.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportAgentPlaybooksResponse {
    /// Nothing was refused.
    pub success: bool,
    /// Something was stored.
    pub applied: bool,
    pub results: Vec<ImportResult>,
    /// As which it can be undone; missing if nothing was stored.
    pub run_id: Option<String>,
    pub msg: Option<String>,
}
