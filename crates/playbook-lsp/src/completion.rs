//! What can be typed next: variables after `$`, playbooks and agents elsewhere, sections after `###`.

use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Range, TextEdit};
use playbook_lang::name::{camel, is_identifier};
use playbook_lang::{Agent, BUILTIN_PLAYBOOKS, Playbook};

use crate::analysis::Analysis;

const SECTIONS: [&str; 3] = ["Triggers", "Steps", "Notes"];

pub(crate) fn complete(analysis: &Analysis<'_>, offset: usize) -> Vec<CompletionItem> {
    let index = analysis.index();
    let before = index.line_before(offset);
    let word_at = before.rfind(|char: char| !(char.is_alphanumeric() || char == '_'));
    let begun = before.len() - word_at.map_or(0, |at| at + char_len(before, at));
    let place = index.range(offset - begun..offset);
    let head = &before[..before.len() - begun];
    if head.trim_start().starts_with("###") {
        let item = |name: &&str| item(name, CompletionItemKind::KEYWORD, "section", place);
        return SECTIONS.iter().map(item).collect();
    }
    let Some((agent, playbook)) = analysis.around(offset) else { return Vec::new() };
    if head.ends_with('$') {
        let names = analysis.symbols().variables(agent, playbook).into_iter();
        return names.map(|name| item(name, CompletionItemKind::VARIABLE, "variable", place)).collect();
    }
    if head.starts_with('#') {
        return Vec::new();
    }
    match head.strip_suffix('.') {
        Some(owner) => after_dot(analysis, agent, owner, place),
        None => names(analysis, agent, place),
    }
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// `Agent.`: what that agent publishes.
fn after_dot(analysis: &Analysis<'_>, agent: usize, head: &str, place: Range) -> Vec<CompletionItem> {
    let from = head.rfind(|char: char| !(char.is_alphanumeric() || char == '_'));
    let owner = &head[from.map_or(0, |at| at + char_len(head, at))..];
    let is_own = owner == "self" || owner == "agent";
    let number = if is_own { Some(agent) } else { analysis.program().names().agent(owner) };
    let Some(found) = number.and_then(|number| analysis.program().agents.get(number)) else {
        return Vec::new();
    };
    let is_open = |playbook: &&Playbook| number == Some(agent) || playbook.is_public();
    found.playbooks.iter().filter(is_open).map(|playbook| of_playbook(playbook, None, place)).collect()
}

/// Everything that can be called from here.
fn names(analysis: &Analysis<'_>, own: usize, place: Range) -> Vec<CompletionItem> {
    let mut items = Vec::new();
    for (number, agent) in analysis.program().agents.iter().enumerate() {
        let is_own = number == own;
        let open = agent.playbooks.iter().filter(|playbook| is_own || playbook.is_public());
        items.extend(open.map(|playbook| of_playbook(playbook, (!is_own).then_some(agent), place)));
        if !is_own {
            items.push(item(&agent.class, CompletionItemKind::CLASS, "agent", place));
        }
    }
    let builtin = |name: &&str| item(name, CompletionItemKind::FUNCTION, "built-in playbook", place);
    items.extend(BUILTIN_PLAYBOOKS.iter().map(builtin));
    items
}

/// A playbook by the name it is called by.
fn of_playbook(playbook: &Playbook, owner: Option<&Agent>, place: Range) -> CompletionItem {
    let name = &playbook.name.value;
    let callable = if is_identifier(name) { name.clone() } else { camel(name) };
    let label = match owner {
        Some(agent) => format!("{}.{callable}", agent.class),
        None => callable,
    };
    item(&label, CompletionItemKind::FUNCTION, &playbook.title.value, place)
}

fn item(label: &str, kind: CompletionItemKind, detail: &str, place: Range) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail: Some(detail.to_owned()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: place, new_text: label.to_owned() })),
        ..CompletionItem::default()
    }
}
