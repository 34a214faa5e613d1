use reflexio_types::{AgentPlaybookEvent as DomainEvent, FieldChange as DomainChange};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// What an edit made of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldChangeView {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl From<DomainChange> for FieldChangeView {
    fn from(change: DomainChange) -> Self {
        Self { field: change.field.as_str().to_owned(), before: change.before, after: change.after }
    }
}

/// One line of an agent playbook's history.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybookEventView {
    /// `added`, `edited`, `approved`, `rejected`, `reopened`, `archived`, `superseded`, `deleted`, …
    pub action: String,
    /// The key that did it; missing for the machine itself and for callers without a key.
    pub actor: Option<String>,
    pub created_at: i64,
    /// Why a person decided so.
    pub reason: Option<String>,
    /// Only where a text was edited.
    pub changes: Vec<FieldChangeView>,
}

impl From<DomainEvent> for AgentPlaybookEventView {
    fn from(event: DomainEvent) -> Self {
        Self {
            action: event.action.as_str().to_owned(),
            actor: event.actor,
            created_at: event.created_at.0,
            reason: event.reason,
            changes: event.changes.into_iter().map(FieldChangeView::from).collect(),
        }
    }
}

/// What happened to an agent playbook, oldest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybookHistoryResponse {
    pub success: bool,
    pub agent_playbook_id: i64,
    pub events: Vec<AgentPlaybookEventView>,
    pub msg: Option<String>,
}

/// What becomes of some words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffOp {
    Same,
    Removed,
    Added,
}

/// Words that stay, go or come. All parts but the added ones are the old text, all but the removed ones the new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffPartView {
    pub op: DiffOp,
    pub text: String,
}

/// A field that would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldDiffView {
    pub field: String,
    pub parts: Vec<DiffPartView>,
}

/// What approving an agent playbook would change of the rule whose place it takes.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybookDiffResponse {
    pub success: bool,
    pub agent_playbook_id: i64,
    /// Missing if it follows no other rule.
    pub successor_of: Option<i64>,
    /// The fields that differ, word by word.
    pub fields: Vec<FieldDiffView>,
    pub msg: Option<String>,
}
