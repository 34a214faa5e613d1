use std::time::Duration;

use reflexio_types::{AgentPlaybook, AgentPlaybookEvent, AgentPlaybookId, Caller, RuleField, Scope};
use similar::{ChangeTag, TextDiff};

use crate::access::Access;
use crate::{App, Error, Result};

/// After so long a difference is told less finely.
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// What a rule would change of the one whose place it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentPlaybookDiff {
    pub rule: AgentPlaybook,
    /// Nothing if it follows no other rule, or that one was deleted.
    pub before: Option<AgentPlaybook>,
    /// Fields in which they differ.
    pub fields: Vec<FieldDiff>,
}

/// The words of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDiff {
    pub field: RuleField,
    pub parts: Vec<DiffPart>,
}

/// Words that stay, go or come. All parts but the added ones are the old text, all but the removed ones the new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffPart {
    Same(String),
    Removed(String),
    Added(String),
}

impl App {
    /// Word by word, what approving a rule would change.
    pub async fn agent_playbook_diff(
        &self,
        caller: &Caller,
        id: AgentPlaybookId,
    ) -> Result<AgentPlaybookDiff> {
        caller.needs(Scope::Read)?;
        let rule = self.agent_playbook(caller, id).await?;
        let before = match rule.body.successor_of {
            None => None,
            Some(before) => match self.agent_playbook(caller, before).await {
                Ok(before) => Some(before),
                Err(Error::NotFound { .. }) => None,
                Err(error) => return Err(error),
            },
        };
        let fields = before.as_ref().map(|before| fields(before, &rule)).unwrap_or_default();
        Ok(AgentPlaybookDiff { rule, before, fields })
    }

    /// Everything that happened to a rule, oldest first.
    pub async fn agent_playbook_history(
        &self,
        caller: &Caller,
        id: AgentPlaybookId,
    ) -> Result<Vec<AgentPlaybookEvent>> {
        caller.needs(Scope::Read)?;
        let told = self.store.agent_playbook_history(&caller.org, id).await?;
        if told.is_empty() {
            // A rule that came by an import has no history yet.
            self.agent_playbook(caller, id).await?;
        }
        Ok(told)
    }
}

fn fields(before: &AgentPlaybook, after: &AgentPlaybook) -> Vec<FieldDiff> {
    let texts = RuleField::ALL
        .into_iter()
        .map(|field| (field, field.of(before).unwrap_or_default(), field.of(after).unwrap_or_default()));
    texts
        .filter(|(_, old, new)| old != new)
        .map(|(field, old, new)| FieldDiff { field, parts: words(old, new) })
        .collect()
}

/// What goes stands before what comes. A blank between two changes belongs to both: "a photo" becomes "two photos", not "a"
/// "two" and "photo" "photos".
fn words(old: &str, new: &str) -> Vec<DiffPart> {
    let diff = TextDiff::configure().timeout(LONGEST_LOOK).diff_words(old, new);
    let mut parts = Parts::default();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => parts.keep(change.value()),
            ChangeTag::Delete => parts.remove(change.value()),
            ChangeTag::Insert => parts.add(change.value()),
        }
    }
    parts.finished()
}

#[derive(Default)]
struct Parts {
    done: Vec<DiffPart>,
    same: String,
    removed: String,
    added: String,
}

impl Parts {
    fn keep(&mut self, text: &str) {
        self.same.push_str(text);
    }

    fn remove(&mut self, text: &str) {
        self.changes();
        self.removed.push_str(text);
    }

    fn add(&mut self, text: &str) {
        self.changes();
        self.added.push_str(text);
    }

    /// What was kept since the last change ends it, unless it is only a blank.
    fn changes(&mut self) {
        let same = std::mem::take(&mut self.same);
        let in_a_change = !self.removed.is_empty() || !self.added.is_empty();
        if in_a_change && !same.is_empty() && same.chars().all(|letter| letter == ' ') {
            self.removed.push_str(&same);
            self.added.push_str(&same);
        } else if !same.is_empty() {
            self.end_change();
            self.done.push(DiffPart::Same(same));
        }
    }

    fn end_change(&mut self) {
        let (removed, added) = (std::mem::take(&mut self.removed), std::mem::take(&mut self.added));
        self.done.extend(Some(removed).filter(|text| !text.is_empty()).map(DiffPart::Removed));
        self.done.extend(Some(added).filter(|text| !text.is_empty()).map(DiffPart::Added));
    }

    fn finished(mut self) -> Vec<DiffPart> {
        self.end_change();
        self.done.extend(Some(self.same).filter(|text| !text.is_empty()).map(DiffPart::Same));
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> String {
        let shown = words(old, new).into_iter().map(|part| match part {
            DiffPart::Same(text) => text,
            DiffPart::Removed(text) => format!("[-{text}-]"),
            DiffPart::Added(text) => format!("{{+{text}+}}"),
        });
        shown.collect()
    }

    #[test]
    fn only_the_words_that_change_are_marked() {
        assert_eq!(shown("ask for a photo", "ask for two photos"), "ask for [-a photo-]{+two photos+}");
        assert_eq!(shown("", "be brief"), "{+be brief+}");
        assert_eq!(shown("be brief", "be brief"), "be brief");
        assert_eq!(shown("große Übung", "große Prüfung"), "große [-Übung-]{+Prüfung+}");
    }

    #[test]
    fn both_texts_can_be_read_from_the_parts() {
        let (old, new) = ("When: a\nDo: b  c\n", "When: a\nDo: c, then d");
        let parts = words(old, new);
        let side = |leave: fn(&DiffPart) -> bool| -> String {
            let texts = parts.iter().filter(|part| !leave(part)).map(|part| match part {
                DiffPart::Same(text) | DiffPart::Removed(text) | DiffPart::Added(text) => text.as_str(),
            });
            texts.collect()
        };
        assert_eq!(side(|part| matches!(part, DiffPart::Added(_))), old);
        assert_eq!(side(|part| matches!(part, DiffPart::Removed(_))), new);
    }
}
