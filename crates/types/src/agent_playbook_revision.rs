use serde::{Deserialize, Serialize};

use crate::{AgentPlaybook, AgentPlaybookId, AgentPlaybookRevisionId, LineageAction, Timestamp};

/// A part of a rule that people read and edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleField {
    PlaybookName,
    Trigger,
    Instruction,
    Pitfall,
    Rationale,
    Content,
}

impl RuleField {
    pub const ALL: [RuleField; 6] = [
        RuleField::PlaybookName,
        RuleField::Trigger,
        RuleField::Instruction,
        RuleField::Pitfall,
        RuleField::Rationale,
        RuleField::Content,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            RuleField::PlaybookName => "playbook_name",
            RuleField::Trigger => "trigger",
            RuleField::Instruction => "instruction",
            RuleField::Pitfall => "pitfall",
            RuleField::Rationale => "rationale",
            RuleField::Content => "content",
        }
    }

    /// What a rule says there; nothing and an empty text are the same.
    pub fn of(self, rule: &AgentPlaybook) -> Option<&str> {
        let body = &rule.body;
        let text = match self {
            RuleField::PlaybookName => Some(rule.playbook_name.as_str()),
            RuleField::Trigger => body.trigger.as_deref(),
            RuleField::Instruction => body.instruction.as_deref(),
            RuleField::Pitfall => body.pitfall.as_deref(),
            RuleField::Rationale => body.rationale.as_deref(),
            RuleField::Content => Some(body.content.as_str()),
        };
        text.filter(|text| !text.is_empty())
    }
}

/// What an edit made of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    pub field: RuleField,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl FieldChange {
    /// The fields in which two rules differ.
    pub fn between(before: &AgentPlaybook, after: &AgentPlaybook) -> Vec<Self> {
        let fields = RuleField::ALL.into_iter();
        fields
            .map(|field| FieldChange {
                field,
                before: field.of(before).map(str::to_owned),
                after: field.of(after).map(str::to_owned),
            })
            .filter(|change| change.before != change.after)
            .collect()
    }
}

/// One line of a rule's history, with the text it had before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPlaybookEvent {
    pub action: LineageAction,
    /// The key that did it; nothing for the machine itself or a caller without a key.
    pub actor: Option<String>,
    pub created_at: Timestamp,
    /// Why a person decided so.
    pub reason: Option<String>,
    pub changes: Vec<FieldChange>,
}

/// An event that changed a rule or decided about it. It goes with its rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPlaybookRevision {
    pub id: AgentPlaybookRevisionId,
    pub agent_playbook_id: AgentPlaybookId,
    #[serde(flatten)]
    pub event: AgentPlaybookEvent,
}
