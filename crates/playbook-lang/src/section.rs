//! The sections of a playbook: triggers, steps, notes, and others.

use std::ops::Range;

use crate::build::{Area, File};
use crate::diagnostic::{Code, Diagnostic};
use crate::intro::is_python;
use crate::items;
use crate::load::Expanded;
use crate::markdown::{self, Block, Kind};
use crate::span::{Lines, Spanned};
use crate::suggest;
use crate::tree::{Mode, Note, OtherSection, Playbook};
use crate::trigger::Trigger;

pub(crate) enum Section {
    Triggers,
    Steps,
    Notes,
    Other,
}

/// Singular and plural, in any case.
pub(crate) fn of(title: &str) -> Section {
    match title.trim().trim_end_matches(':').to_lowercase().as_str() {
        "trigger" | "triggers" => Section::Triggers,
        "step" | "steps" => Section::Steps,
        "note" | "notes" => Section::Notes,
        _ => Section::Other,
    }
}

/// Whether a file among others is meant as playbooks, and not as a text that happens to be Markdown.
#[must_use]
pub fn looks_like_playbooks(text: &str) -> bool {
    let body = &text[Expanded::body_of(text)..];
    markdown::blocks(body, &Lines::new(body)).iter().any(|block| {
        let slice = &body[block.range.clone()];
        let is_section =
            || is_nearly_known(slice.trim_matches(|char: char| char == '#' || char.is_whitespace()));
        (block.kind == Kind::Heading(3) && is_section()) || (is_python(block) && slice.contains("@playbook"))
    })
}

fn is_nearly_known(title: &str) -> bool {
    !matches!(of(title), Section::Other) || suggest::nearest(title, KNOWN).is_some()
}

const KNOWN: [&str; 3] = ["Triggers", "Steps", "Notes"];

/// Adds a section to its playbook and hands back the Python that stood in it.
pub(crate) fn fill<'a>(
    playbook: &mut Playbook,
    title: &Spanned<String>,
    area: &Area<'a>,
    file: &File<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<&'a Block> {
    let kind = of(&title.value);
    let is_repeated = match kind {
        Section::Triggers => !playbook.triggers.is_empty(),
        Section::Steps => !playbook.steps.is_empty(),
        Section::Notes => !playbook.notes.is_empty(),
        Section::Other => false,
    };
    if is_repeated {
        let message =
            format!("`{}` is given twice in `{}`; the lists are joined", title.value, playbook.name.value);
        diagnostics.push(Diagnostic::new(Code::RepeatedSection, title.span, message));
    }
    if let Section::Other = kind {
        other(playbook, title, area, file, diagnostics);
        return Vec::new();
    }
    let mut python = Vec::new();
    for block in area.blocks {
        match (&kind, &block.kind) {
            (Section::Steps, Kind::List) => {
                let more = items::steps(block, file.source, "", playbook.steps.len());
                playbook.steps.extend(more);
                if playbook.mode == Mode::React {
                    playbook.mode = Mode::Steps;
                }
            }
            (Section::Triggers | Section::Notes, Kind::List) => {
                for item in block.children.iter().filter(|item| item.kind == Kind::Item) {
                    let range = items::trimmed(file.text(), marker_end(item)..item.range.end);
                    entry(playbook, &kind, file, range);
                }
            }
            (Section::Triggers | Section::Notes, Kind::Paragraph) => {
                entry(playbook, &kind, file, block.range.clone())
            }
            _ if is_python(block) => python.push(block),
            (_, Kind::Paragraph) => loose(block, file, diagnostics),
            _ => {}
        }
    }
    python
}

fn marker_end(item: &Block) -> usize {
    item.children.first().map_or(item.range.end, |child| child.range.start)
}

fn entry(playbook: &mut Playbook, kind: &Section, file: &File<'_>, range: Range<usize>) {
    if range.is_empty() {
        return;
    }
    let text = items::joined(&file.text()[range.clone()]);
    let span = file.span(range);
    match kind {
        Section::Triggers => {
            let trigger = Trigger::new(playbook.triggers.len() + 1, &text, span);
            playbook.triggers.push(trigger);
        }
        Section::Steps | Section::Notes | Section::Other => {
            playbook.notes.push(Note { id: format!("N{}", playbook.notes.len() + 1), text, span })
        }
    }
}

fn loose(block: &Block, file: &File<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let span = file.span(block.range.clone());
    let diagnostic = Diagnostic::new(
        Code::LooseText,
        span,
        "this text is not in the list, so it is not a step",
    )
    .suggest("make it a step", span.at_start(), "- ");
    diagnostics.push(diagnostic);
}

fn other(
    playbook: &mut Playbook,
    title: &Spanned<String>,
    area: &Area<'_>,
    file: &File<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let known = suggest::nearest(&title.value, KNOWN);
    diagnostics.push(match known {
        Some(known) => {
            let message = format!("there is no section `{}`; did you mean `{known}`?", title.value);
            Diagnostic::new(Code::UnknownSection, title.span, message).fix(
                format!("write `{known}`"),
                title.span,
                known,
            )
        }
        None => {
            let message =
                format!("`{}` is no section of a playbook; it is shown to the model as text", title.value);
            Diagnostic::new(Code::OtherSection, title.span, message)
                .help("sections are `Triggers`, `Steps` and `Notes`")
        }
    });
    let range = items::trimmed(file.text(), area.body.clone());
    playbook.sections.push(OtherSection {
        title: title.clone(),
        text: file.text()[range.clone()].to_owned(),
        span: file.span(range),
    });
}
