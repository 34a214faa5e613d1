use reflexio_types::{
    InteractionId, LineageSubject, Profile, ProfileTimeToLive, UserPlaybook, UserPlaybookId,
};
use serde_json::{Map, Value};

use crate::builtin::rule_content;

/// A learned row, new or known.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Profile(Profile),
    Playbook(UserPlaybook),
}

/// How a unified row reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Wording {
    Fact { content: String, time_to_live: Option<ProfileTimeToLive> },
    Rule { trigger: String, instruction: String, pitfall: Option<String>, rationale: Option<String> },
}

impl Item {
    pub fn content(&self) -> &str {
        match self {
            Item::Profile(row) => &row.body.content,
            Item::Playbook(row) => &row.body.content,
        }
    }

    pub fn searchable_text(&self) -> String {
        match self {
            Item::Profile(row) => row.searchable_text(),
            Item::Playbook(row) => row.searchable_text(),
        }
    }

    pub fn subject(&self) -> LineageSubject {
        match self {
            Item::Profile(row) => LineageSubject::Profile(row.id.clone()),
            Item::Playbook(row) => LineageSubject::UserPlaybook(row.id),
        }
    }

    pub fn evidence(&self) -> &[InteractionId] {
        match self {
            Item::Profile(row) => &row.body.source_interaction_ids,
            Item::Playbook(row) => &row.body.source_interaction_ids,
        }
    }

    pub(crate) fn evidence_mut(&mut self) -> &mut Vec<InteractionId> {
        match self {
            Item::Profile(row) => &mut row.body.source_interaction_ids,
            Item::Playbook(row) => &mut row.body.source_interaction_ids,
        }
    }

    /// Whether a person put it there. What people write, the machine does not rewrite.
    pub fn is_by_a_person(&self) -> bool {
        match self {
            Item::Profile(row) => row.body.learned_by.is_none(),
            Item::Playbook(row) => row.body.learned_by.is_none(),
        }
    }

    /// Whether two rows can be one: of a kind, and playbooks of one type and version.
    pub fn is_akin_to(&self, other: &Item) -> bool {
        match (self, other) {
            (Item::Profile(_), Item::Profile(_)) => true,
            (Item::Playbook(one), Item::Playbook(two)) => {
                one.playbook_name == two.playbook_name && one.agent_version == two.agent_version
            }
            (Item::Profile(_), Item::Playbook(_)) | (Item::Playbook(_), Item::Profile(_)) => false,
        }
    }

    /// The text that tells what it is about; for a rule, without the words that every rule has.
    pub(crate) fn substance(&self) -> String {
        match self {
            Item::Profile(row) => row.body.content.clone(),
            Item::Playbook(row) => match &row.body.instruction {
                Some(instruction) => format!("{} {instruction}", self.trigger()),
                None => row.body.content.clone(),
            },
        }
    }

    pub(crate) fn trigger(&self) -> &str {
        match self {
            Item::Profile(_) => "",
            Item::Playbook(row) => row.body.trigger.as_deref().unwrap_or_default(),
        }
    }

    /// The row as a model reads it, on lines that cannot be taken for another row.
    pub(super) fn as_note(&self, label: &str) -> String {
        let text = match self {
            Item::Profile(row) => format!("fact: {} ({})", row.body.content, row.time_to_live.as_str()),
            Item::Playbook(row) => {
                format!("rule ({}): {}", row.playbook_name, row.body.content)
            }
        };
        format!("[{label}] {}", text.replace('\n', "\n  "))
    }

    /// The row that takes the place of this one and of the known ones. It is shown by the turns of all of them.
    pub(crate) fn unified(mut self, known: &[&Item], wording: Wording, decided_by: &str) -> Item {
        let mut evidence: Vec<InteractionId> =
            known.iter().flat_map(|item| item.evidence().to_vec()).collect();
        evidence.extend_from_slice(self.evidence());
        evidence.sort_unstable();
        evidence.dedup();
        *self.evidence_mut() = evidence;
        match (&mut self, wording) {
            (Item::Profile(row), Wording::Fact { content, time_to_live }) => {
                row.body.content = content;
                let parts = known.iter().filter_map(|item| match item {
                    Item::Profile(known) => Some(known),
                    Item::Playbook(_) => None,
                });
                let features = parts.clone().filter_map(|known| known.body.custom_features.clone());
                let own = row.body.custom_features.take();
                row.body.custom_features = merged(features.chain(own));
                let longest = parts.map(|known| known.time_to_live).chain([row.time_to_live]);
                row.time_to_live = time_to_live
                    .or_else(|| longest.max_by_key(|class| class.expiry(row.last_modified)))
                    .unwrap_or(row.time_to_live);
                row.expires_at = row.time_to_live.expiry(row.last_modified);
                row.body.learned_by = Some(decided_by.to_owned());
            }
            (Item::Playbook(row), Wording::Rule { trigger, instruction, pitfall, rationale }) => {
                let parts = known.iter().filter_map(|item| match item {
                    Item::Playbook(known) => serde_json::from_str(&known.body.playbook_metadata).ok(),
                    Item::Profile(_) => None,
                });
                let own = serde_json::from_str(&row.body.playbook_metadata).ok();
                let metadata = merged(parts.chain(own));
                row.body.playbook_metadata =
                    metadata.map(|fields| Value::Object(fields).to_string()).unwrap_or_default();
                row.body.content = rule_content(&trigger, &instruction, pitfall.as_deref());
                row.body.trigger = Some(trigger);
                row.body.instruction = Some(instruction);
                row.body.pitfall = pitfall;
                row.body.rationale = rationale.or_else(|| row.body.rationale.take());
                row.body.learned_by = Some(decided_by.to_owned());
            }
            // A verdict with the wording of another kind is never made, see `verdict`.
            (Item::Profile(_), Wording::Rule { .. }) | (Item::Playbook(_), Wording::Fact { .. }) => {}
        }
        self
    }

    /// A copy of a known row becomes a row of its own, as old as the new one that made it necessary.
    pub(crate) fn is_made_anew(&mut self, because_of: &Item, decided_by: &str) {
        if let (Item::Playbook(row), Item::Playbook(new)) = (self, because_of) {
            row.id = UserPlaybookId(0);
            row.created_at = new.created_at;
            row.body.learned_by = Some(decided_by.to_owned());
        }
    }

    /// The same rule in a narrower situation.
    pub(crate) fn with_trigger(mut self, trigger: &str) -> Item {
        if let Item::Playbook(row) = &mut self {
            let body = &mut row.body;
            let instruction = body.instruction.clone().unwrap_or_else(|| body.content.clone());
            body.content = rule_content(trigger, &instruction, body.pitfall.as_deref());
            body.trigger = Some(trigger.to_owned());
        }
        self
    }
}

/// All fields; what is newer wins.
fn merged(parts: impl Iterator<Item = Map<String, Value>>) -> Option<Map<String, Value>> {
    let all: Map<String, Value> = parts.flatten().collect();
    (!all.is_empty()).then_some(all)
}
