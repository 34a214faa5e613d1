//! What an imported rule means, given what is stored. Pure.

use std::collections::{HashMap, HashSet};

use reflexio_store::{AgentPlaybookChange, AgentPlaybookWrite};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookBody, AgentPlaybookId, FieldChange, PlaybookStatus, Review, Signature, Status,
};

use super::{ImportAction, ImportedRule, RuleOutcome};
use crate::review::Reviewer;

const STATUSES: [PlaybookStatus; 3] =
    [PlaybookStatus::Pending, PlaybookStatus::Approved, PlaybookStatus::Rejected];

pub(super) struct Planned {
    pub(super) outcome: RuleOutcome,
    pub(super) write: Option<AgentPlaybookWrite>,
}

pub(super) struct Planner<'a> {
    stored: HashMap<AgentPlaybookId, &'a AgentPlaybook>,
    /// Those in use, by what they say.
    in_use: HashMap<&'a str, Vec<&'a AgentPlaybook>>,
    reviewer: &'a Reviewer,
    may_review: bool,
    by: Signature,
    seen: HashSet<AgentPlaybookId>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        stored: &'a [AgentPlaybook],
        reviewer: &'a Reviewer,
        may_review: bool,
        by: Signature,
    ) -> Self {
        let mut in_use: HashMap<&str, Vec<&AgentPlaybook>> = HashMap::new();
        for row in stored.iter().filter(|row| row.status == Status::Current) {
            in_use.entry(&row.body.content).or_default().push(row);
        }
        let stored = stored.iter().map(|row| (row.id, row)).collect();
        Self { stored, in_use, reviewer, may_review, by, seen: HashSet::new() }
    }

    pub(super) fn plan(&mut self, rule: &ImportedRule) -> Planned {
        let planned = match rule.id {
            None => self.new_rule(rule),
            Some(id) if !self.seen.insert(id) => Err(format!("agent playbook {id} is told twice")),
            Some(id) => match self.stored.get(&id) {
                Some(row) => self.known_rule(rule, row),
                None => Err(format!(
                    "agent playbook {id} does not exist here; take `id` out to add it as a new one"
                )),
            },
        };
        planned.unwrap_or_else(|reason| Planned {
            outcome: RuleOutcome { action: ImportAction::Refused, id: rule.id, message: Some(reason) },
            write: None,
        })
    }

    fn new_rule(&self, rule: &ImportedRule) -> Result<Planned, String> {
        let row = new_row(rule, &self.by);
        let same = |other: &&&AgentPlaybook| {
            other.agent_version == row.agent_version && FieldChange::between(other, &row).is_empty()
        };
        if let Some(known) = self.saying(&row.body.content).iter().find(same) {
            return Ok(unchanged(known.id, Some(format!("it is there already as {}", known.id))));
        }
        if row.playbook_status != PlaybookStatus::Pending {
            self.may_decide(row.playbook_status)?;
            self.reviewer.check_new(row.playbook_status).map_err(|error| error.to_string())?;
        }
        let status = row.playbook_status.as_str();
        Ok(written(
            ImportAction::Added,
            None,
            Some(status.to_owned()),
            AgentPlaybookWrite::Add(Box::new(row)),
        ))
    }

    fn known_rule(&self, rule: &ImportedRule, row: &AgentPlaybook) -> Result<Planned, String> {
        let id = row.id;
        if rule.agent_version != row.agent_version {
            return Err(format!(
                "agent playbook {id} is of version `{}`; take `id` out to add it to `{}`",
                row.agent_version, rule.agent_version
            ));
        }
        let told = with_texts(row, rule);
        let exported = |row: &AgentPlaybook| {
            let hash = rule.exported_hash.as_deref()?;
            STATUSES.into_iter().find(|status| {
                AgentPlaybook { playbook_status: *status, ..row.clone() }.content_hash() == hash
            })
        };
        let same_text = FieldChange::between(row, &told).is_empty();
        let untouched_text = exported(&told);
        if untouched_text.is_some_and(|status| status == rule.playbook_status) {
            return Ok(unchanged(id, None));
        }
        if let Some(before) = untouched_text {
            // What the file asks for may have happened already.
            if before != row.playbook_status && rule.playbook_status != row.playbook_status {
                let now = row.playbook_status.as_str();
                return Err(format!("agent playbook {id} is {now} since it was exported; export it again"));
            }
            return self.decided(rule, row);
        }
        if same_text {
            return self.decided(rule, row);
        }
        if rule.exported_hash.is_some() && exported(row).is_none() {
            return Err(format!(
                "agent playbook {id} was changed on the server since it was exported; export it again"
            ));
        }
        self.edited(rule, row, told)
    }

    /// The text is the one that is stored; at most the decision is new. `pending` takes no decision back: files that were
    /// exported before it would undo it.
    fn decided(&self, rule: &ImportedRule, row: &AgentPlaybook) -> Result<Planned, String> {
        let status = rule.playbook_status;
        if status == PlaybookStatus::Pending || status == row.playbook_status {
            return Ok(unchanged(row.id, None));
        }
        let change = AgentPlaybookChange { playbook_status: Some(status), ..AgentPlaybookChange::default() };
        self.change(row, change, decision(status))
    }

    fn edited(
        &self,
        rule: &ImportedRule,
        row: &AgentPlaybook,
        told: AgentPlaybook,
    ) -> Result<Planned, String> {
        match (row.status, row.playbook_status) {
            (Status::Current, PlaybookStatus::Approved) => Ok(self.successor(row, told)),
            (Status::Current, PlaybookStatus::Pending) => {
                let decides = rule.playbook_status != PlaybookStatus::Pending;
                let action = if decides { decision(rule.playbook_status) } else { ImportAction::Edited };
                self.change(row, edit(rule, &told), action)
            }
            (Status::Current, PlaybookStatus::Rejected) => {
                let message = format!("{} was rejected, so the new text waits as another rule", row.id);
                let new = Box::new(proposal(told, None, &self.by));
                Ok(written(ImportAction::Added, None, Some(message), AgentPlaybookWrite::Add(new)))
            }
            (status, _) => Err(format!(
                "agent playbook {} is {} and cannot be edited; export what is in use again",
                row.id,
                status.as_str()
            )),
        }
    }

    fn successor(&self, row: &AgentPlaybook, told: AgentPlaybook) -> Planned {
        let waits = |other: &&&AgentPlaybook| {
            other.body.successor_of == Some(row.id)
                && other.playbook_status == PlaybookStatus::Pending
                && FieldChange::between(other, &told).is_empty()
        };
        if let Some(known) = self.saying(&told.body.content).iter().find(waits) {
            return unchanged(known.id, Some(format!("it is proposed already as {}", known.id)));
        }
        let message = Some(format!("as the successor of {}", row.id));
        let successor = proposal(told, Some(row.id), &self.by);
        written(ImportAction::Proposed, None, message, AgentPlaybookWrite::Add(Box::new(successor)))
    }

    fn change(
        &self,
        row: &AgentPlaybook,
        change: AgentPlaybookChange,
        action: ImportAction,
    ) -> Result<Planned, String> {
        if row.status != Status::Current {
            return Err(format!("agent playbook {} is {} and not in use", row.id, row.status.as_str()));
        }
        if let Some(status) = change.playbook_status {
            self.may_decide(status)?;
        }
        self.reviewer.check(row, &change).map_err(|error| error.to_string())?;
        let change = AgentPlaybookChange { expected: Some(Box::new(row.clone())), ..change };
        Ok(written(action, Some(row.id), None, AgentPlaybookWrite::Change { id: row.id, change }))
    }

    /// Rules in use with this text.
    fn saying(&self, content: &str) -> &[&'a AgentPlaybook] {
        self.in_use.get(content).map_or(&[], Vec::as_slice)
    }

    fn may_decide(&self, status: PlaybookStatus) -> Result<(), String> {
        if self.may_review {
            return Ok(());
        }
        let status = status.as_str();
        Err(format!(
            "`status: {status}` needs a key with the scope `review`; set it to `pending` to propose the rule"
        ))
    }
}

fn decision(status: PlaybookStatus) -> ImportAction {
    match status {
        PlaybookStatus::Approved => ImportAction::Approved,
        PlaybookStatus::Rejected => ImportAction::Rejected,
        PlaybookStatus::Pending => ImportAction::Edited,
    }
}

fn unchanged(id: AgentPlaybookId, message: Option<String>) -> Planned {
    Planned { outcome: RuleOutcome { action: ImportAction::Unchanged, id: Some(id), message }, write: None }
}

fn written(
    action: ImportAction,
    id: Option<AgentPlaybookId>,
    message: Option<String>,
    write: AgentPlaybookWrite,
) -> Planned {
    Planned { outcome: RuleOutcome { action, id, message }, write: Some(write) }
}

/// The stored rule as the file words it.
fn with_texts(row: &AgentPlaybook, rule: &ImportedRule) -> AgentPlaybook {
    let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let mut told = AgentPlaybook { playbook_name: rule.playbook_name.clone(), ..row.clone() };
    told.body.trigger = some(&rule.trigger);
    told.body.instruction = some(&rule.instruction);
    told.body.pitfall = some(&rule.pitfall);
    told.body.rationale = some(&rule.rationale);
    told.body.content = some(&rule.content).or_else(|| told.body.rendering()).unwrap_or_default();
    told
}

fn edit(rule: &ImportedRule, told: &AgentPlaybook) -> AgentPlaybookChange {
    let text = |text: &Option<String>| Some(text.clone().unwrap_or_default());
    let decides = rule.playbook_status != PlaybookStatus::Pending;
    AgentPlaybookChange {
        playbook_name: Some(told.playbook_name.clone()),
        content: Some(told.body.content.clone()),
        trigger: text(&told.body.trigger),
        instruction: text(&told.body.instruction),
        pitfall: text(&told.body.pitfall),
        rationale: text(&told.body.rationale),
        playbook_status: decides.then_some(rule.playbook_status),
        ..AgentPlaybookChange::default()
    }
}

/// A person's new text for what is known: it keeps the evidence and waits for a decision.
fn proposal(told: AgentPlaybook, successor_of: Option<AgentPlaybookId>, by: &Signature) -> AgentPlaybook {
    AgentPlaybook {
        id: AgentPlaybookId(0),
        created_at: by.at,
        playbook_status: PlaybookStatus::Pending,
        status: Status::Current,
        body: AgentPlaybookBody {
            successor_of,
            superseded_by: None,
            merged_into: None,
            written_by: Some(by.clone()),
            review: None,
            ..told.body
        },
        ..told
    }
}

fn new_row(rule: &ImportedRule, by: &Signature) -> AgentPlaybook {
    let empty = AgentPlaybook {
        id: AgentPlaybookId(0),
        playbook_name: String::new(),
        agent_version: rule.agent_version.clone(),
        created_at: by.at,
        playbook_status: rule.playbook_status,
        status: Status::Current,
        body: AgentPlaybookBody::default(),
    };
    let mut row = with_texts(&empty, rule);
    row.body.written_by = Some(by.clone());
    let decided = rule.playbook_status != PlaybookStatus::Pending;
    row.body.review = decided.then(|| Review { by: by.clone(), reason: None });
    row
}
