//! A file back into rules. What cannot be understood is told with its line, never guessed.

use reflexio_api_types::{ImportedAgentPlaybook, Positive};
use serde_json::Value;

use super::render::status;
use super::text::{Line, read};

/// What is told of a rule for readers; changing it changes nothing.
const FOR_READERS: [&str; 6] =
    ["cluster_size", "distinct_users", "agreement", "source_windows", "learned_by", "successor_of"];

/// The line that cannot be understood, and why.
pub(super) type Problem = (usize, String);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Intro,
    Metadata,
    Triggers,
    Steps,
    Notes,
}

/// A rule while it is read.
struct Reading {
    rule: ImportedAgentPlaybook,
    heading: usize,
    versioned: bool,
    part: Part,
    /// The note that goes on with items below it.
    note: Option<Note>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Note {
    Pitfall,
    Rationale,
    Content,
}

/// Every rule of a file.
pub(super) fn rules(text: &str) -> Result<Vec<ImportedAgentPlaybook>, Problem> {
    let mut rules = Vec::new();
    let mut reading: Option<Reading> = None;
    for (number, line) in body(text) {
        if line.starts_with("## ") || line == "##" {
            rules.extend(reading.take().map(Reading::finished).transpose()?);
            reading = Some(Reading::new(number));
        } else if let Some(reading) = &mut reading {
            reading.line(line).map_err(|reason| (number, reason))?;
        }
    }
    rules.extend(reading.take().map(Reading::finished).transpose()?);
    Ok(rules)
}

/// Numbered lines without the front matter of a skill.
fn body(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.trim_start_matches('\u{feff}').lines()).collect();
    let closed = lines.iter().skip(1).position(|(_, line)| line.trim_end() == "---");
    let front = lines.first().is_some_and(|(_, line)| line.trim_end() == "---");
    let skip = if front { closed.map_or(0, |at| at + 2) } else { 0 };
    lines.into_iter().skip(skip)
}

impl Reading {
    fn new(heading: usize) -> Self {
        let rule = ImportedAgentPlaybook {
            agent_playbook_id: None,
            exported_hash: None,
            playbook_name: None,
            agent_version: String::new(),
            playbook_status: None,
            trigger: None,
            instruction: None,
            pitfall: None,
            rationale: None,
            content: None,
        };
        Self { rule, heading, versioned: false, part: Part::Intro, note: None }
    }

    fn finished(self) -> Result<ImportedAgentPlaybook, Problem> {
        let rule = &self.rule;
        if !self.versioned {
            return Err((self.heading, "the metadata of this rule lacks `agent_version`".to_owned()));
        }
        if rule.content.is_none() && (rule.trigger.is_none() || rule.instruction.is_none()) {
            let reason = "a rule needs `### Triggers` and `### Steps`, or a note `Content: …`";
            return Err((self.heading, reason.to_owned()));
        }
        Ok(self.rule)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(heading) = line.strip_prefix("### ") {
            return self.section(heading.trim());
        }
        match self.part {
            Part::Intro if line.trim_end() == "metadata:" => self.part = Part::Metadata,
            Part::Intro => {}
            Part::Metadata if line.trim_end() == "---" => self.part = Part::Intro,
            Part::Metadata if line.trim().is_empty() => {}
            Part::Metadata => return self.metadata(line.trim()),
            Part::Triggers | Part::Steps | Part::Notes if line.trim().is_empty() => {}
            Part::Triggers => extend(&mut self.rule.trigger, read(line)),
            Part::Steps => extend(&mut self.rule.instruction, read(line)),
            Part::Notes => return self.noted(line),
        }
        Ok(())
    }

    fn section(&mut self, heading: &str) -> Result<(), String> {
        self.part = match heading.to_lowercase().as_str() {
            "triggers" | "trigger" => Part::Triggers,
            "steps" | "step" => Part::Steps,
            "notes" | "note" => Part::Notes,
            _ => {
                return Err(format!(
                    "`### {heading}` is no part of a rule; there are Triggers, Steps and Notes"
                ));
            }
        };
        self.note = None;
        Ok(())
    }

    fn metadata(&mut self, line: &str) -> Result<(), String> {
        let (key, text) = line.split_once(':').ok_or_else(|| format!("`{line}` is not `key: value`"))?;
        let text = text.trim();
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        let word = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match key.trim() {
            "id" => {
                let id = value.as_i64().filter(|id| *id > 0);
                let id =
                    id.ok_or_else(|| format!("`id` is the number of an agent playbook, not `{text}`"))?;
                self.rule.agent_playbook_id = Some(Positive(id));
            }
            "playbook_name" => self.rule.playbook_name = Some(word()),
            "agent_version" => (self.rule.agent_version, self.versioned) = (word(), true),
            "status" => {
                let status = status(&word());
                let known = || format!("`status` is pending, approved or rejected, not `{text}`");
                self.rule.playbook_status = Some(status.ok_or_else(known)?);
            }
            "exported_hash" => self.rule.exported_hash = Some(word()),
            key if FOR_READERS.contains(&key) => {}
            key => return Err(format!("`{key}` means nothing in the metadata of a rule")),
        }
        Ok(())
    }

    fn noted(&mut self, line: &str) -> Result<(), String> {
        let begins =
            [("Pitfall:", Note::Pitfall), ("Rationale:", Note::Rationale), ("Content:", Note::Content)];
        let below = line.starts_with([' ', '\t']);
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        let new = item.and_then(|item| {
            let found = begins.iter().find(|(label, _)| item.starts_with(label));
            found.map(|(label, note)| (*note, item[label.len()..].trim()))
        });
        if let Some((note, text)) = new {
            if self.field(note).is_some() {
                return Err(format!("`{line}` is told twice"));
            }
            self.note = Some(note);
            *self.field(note) = Some(super::text::unescaped(text));
            return Ok(());
        }
        match self.note.filter(|_| below) {
            Some(note) => {
                let read = match read(line) {
                    Line::Item(item) => Line::Item(unindented(&item)),
                    more => more,
                };
                extend(self.field(note), read);
                Ok(())
            }
            None => Err("a note of a rule begins with `Pitfall:`, `Rationale:` or `Content:`".to_owned()),
        }
    }

    fn field(&mut self, note: Note) -> &mut Option<String> {
        match note {
            Note::Pitfall => &mut self.rule.pitfall,
            Note::Rationale => &mut self.rule.rationale,
            Note::Content => &mut self.rule.content,
        }
    }
}

/// The text of an item below a note, which is a line of the note.
fn unindented(item: &str) -> String {
    let text = item.trim_start_matches([' ', '\t']);
    text.strip_prefix("- ").unwrap_or(text).to_owned()
}

fn extend(field: &mut Option<String>, line: Line) {
    match (field, line) {
        (field @ None, Line::Item(text) | Line::GoesOn(text)) => *field = Some(text),
        (Some(field), Line::Item(text)) => {
            field.push('\n');
            field.push_str(&text);
        }
        (Some(field), Line::GoesOn(text)) => {
            field.push(' ');
            field.push_str(&text);
        }
    }
}
