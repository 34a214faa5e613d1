//! A rule as a file that a person can review.

use playbook_lang::{Program, SourceFile};
use reflexio_api_types::{AgentPlaybookView, PlaybookStatus};
use reflexio_types::rule_content;
use serde_json::json;

use super::text::{Care, escaped, items};

/// So many words of a rule make its title.
const WORDS_OF_A_TITLE: usize = 8;
/// As skills allow.
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_NAME: usize = 64;

/// The same rule gives the same bytes. It is a playbook without errors, whatever the rule says.
pub(super) fn markdown(rule: &AgentPlaybookView) -> String {
    let text = rendered(rule, Care::Usual);
    match Program::parse(vec![SourceFile::new("rule.md", text.clone())]).has_errors() {
        true => rendered(rule, Care::Code),
        false => text,
    }
}

/// The same with the front matter of a skill.
pub(super) fn skill(rule: &AgentPlaybookView) -> String {
    let about = match (&rule.trigger, &rule.instruction) {
        (Some(trigger), Some(instruction)) => format!("Use when: {trigger}. {instruction}"),
        (_, _) => rule.content.clone(),
    };
    let about: String = words(&about).chars().take(LONGEST_DESCRIPTION).collect();
    format!("---\nname: {}\ndescription: {}\n---\n\n{}", name(rule), json!(about), markdown(rule))
}

/// A name for the file or folder, which stays while the rule lives.
pub(super) fn name(rule: &AgentPlaybookView) -> String {
    let letters = rule.playbook_name.to_lowercase();
    let mut name = String::new();
    for part in letters.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|part| !part.is_empty())
    {
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(part);
    }
    let id = format!("-{}", rule.agent_playbook_id);
    name.truncate(LONGEST_NAME - id.len());
    if name.is_empty() { format!("rule{id}") } else { name + &id }
}

fn rendered(rule: &AgentPlaybookView, care: Care) -> String {
    let mut text = format!("# Agent playbooks\n\n## {}\n{}", title(rule), metadata(rule));
    let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (trigger, instruction) = (some(&rule.trigger), some(&rule.instruction));
    for (heading, field) in [("Triggers", &trigger), ("Steps", &instruction)] {
        if let Some(field) = field {
            text.push_str(&format!("\n### {heading}\n{}", items(field, care)));
        }
    }
    let pitfall = some(&rule.pitfall);
    let made = trigger
        .zip(instruction)
        .map(|(trigger, instruction)| rule_content(&trigger, &instruction, pitfall.as_deref()));
    let own_words = Some(rule.content.clone()).filter(|content| Some(content) != made.as_ref());
    let notes = [("Pitfall", pitfall), ("Rationale", some(&rule.rationale)), ("Content", own_words)];
    let notes: String = notes
        .into_iter()
        .filter_map(|(label, field)| Some(note(label, &field.filter(|text| !text.is_empty())?, care)))
        .collect();
    if !notes.is_empty() {
        text.push_str(&format!("\n### Notes\n{notes}"));
    }
    text
}

/// Further lines stand below the first one.
fn note(label: &str, text: &str, care: Care) -> String {
    let mut lines = text.split('\n').map(|line| escaped(line, care));
    let first = lines.next().unwrap_or_default();
    let rest: String = lines.map(|line| format!("  - {line}\n")).collect();
    format!("- {label}: {first}\n{rest}")
}

/// Words only: what else may stand in a heading means something.
fn title(rule: &AgentPlaybookView) -> String {
    let text = [rule.instruction.as_deref(), rule.trigger.as_deref(), Some(rule.content.as_str())];
    let text = text.into_iter().flatten().find(|text| !text.trim().is_empty()).unwrap_or_default();
    let letters = |word: &str| word.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    let words: Vec<String> =
        text.split_whitespace().map(letters).filter(|word| !word.is_empty()).take(WORDS_OF_A_TITLE).collect();
    match words.is_empty() {
        true => format!("Rule {}", rule.agent_playbook_id),
        false => words.join(" "),
    }
}

fn metadata(rule: &AgentPlaybookView) -> String {
    let mut lines = vec![
        ("id", json!(rule.agent_playbook_id)),
        ("playbook_name", json!(rule.playbook_name)),
        ("agent_version", json!(rule.agent_version)),
        ("status", json!(rule.playbook_status)),
    ];
    let number = |value: Option<u64>| value.map(|value| json!(value));
    let evidence = [
        ("cluster_size", number(rule.cluster_size.map(u64::from))),
        ("distinct_users", number(rule.distinct_users.map(u64::from))),
        ("agreement", rule.agreement.map(|value| json!(value))),
        ("source_windows", number(rule.source_window_count)),
        ("learned_by", rule.learned_by.as_ref().map(|name| json!(name))),
        ("successor_of", rule.successor_of.map(|id| json!(id))),
    ];
    lines.extend(evidence.into_iter().filter_map(|(key, value)| Some((key, value?))));
    lines.push(("exported_hash", json!(rule.content_hash)));
    let lines: String =
        lines.into_iter().map(|(key, value)| format!("  {key}: {}\n", word(&value))).collect();
    format!("metadata:\n{lines}---\n")
}

/// A word that is nothing but a word needs no quotes.
fn word(value: &serde_json::Value) -> String {
    let plain = |text: &&str| matches!(*text, "pending" | "approved" | "rejected" | "builtin");
    value.as_str().filter(plain).map_or_else(|| value.to_string(), str::to_owned)
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As it is told in a file.
pub(super) fn status(word: &str) -> Option<PlaybookStatus> {
    match word {
        "pending" => Some(PlaybookStatus::Pending),
        "approved" => Some(PlaybookStatus::Approved),
        "rejected" => Some(PlaybookStatus::Rejected),
        _ => None,
    }
}
