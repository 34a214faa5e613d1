//! List items into steps, triggers and notes.

use std::ops::Range;

use crate::load::Expanded;
use crate::markdown::{Block, Kind};
use crate::step::{Effects, Step, StepKind};

/// The words of an item without the lists in it.
pub(crate) struct Words {
    pub(crate) text: String,
    pub(crate) range: Range<usize>,
}

pub(crate) fn words(item: &Block, text: &str) -> Words {
    // Most items are one paragraph and perhaps a list.
    if let [only] | [only, Block { kind: Kind::List, .. }] = item.children.as_slice()
        && only.kind == Kind::Paragraph
    {
        let range = trimmed(text, only.range.clone());
        return Words { text: joined(&text[range.clone()]), range };
    }
    let own = || item.children.iter().filter(|child| child.kind != Kind::List);
    let mut parts: Vec<String> = Vec::new();
    for child in own() {
        let slice = &text[child.range.clone()];
        match child.kind {
            Kind::Paragraph | Kind::Heading(_) => parts.push(joined(slice)),
            Kind::List | Kind::Item | Kind::Code { .. } | Kind::Html | Kind::Other => {
                parts.push(slice.trim_end().to_owned());
            }
        }
    }
    let start = own().next().map_or(item.range.start, |child| child.range.start);
    let end = own().next_back().map_or(start, |child| child.range.end);
    let range = trimmed(text, start..end);
    Words { text: parts.join("\n\n"), range }
}

/// A paragraph in one line.
pub(crate) fn joined(slice: &str) -> String {
    if memchr::memchr2(b'\n', b'\r', slice.as_bytes()).is_none() {
        return slice.trim().to_owned();
    }
    slice.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = &text[range.clone()];
    let start = range.start + (slice.len() - slice.trim_start().len());
    start..(start + slice.trim().len())
}

/// The steps of a list, with ids that continue after `before` steps of the same level.
pub(crate) fn steps(list: &Block, source: &Expanded, parent: &str, before: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for item in list.children.iter().filter(|item| item.kind == Kind::Item) {
        let words = words(item, &source.text);
        let lists = || item.children.iter().filter(|child| child.kind == Kind::List);
        if words.text.trim().is_empty() && lists().next().is_none() {
            continue;
        }
        let id = step_id(parent, before + steps.len() + 1);
        let mut body = Vec::new();
        for nested in lists() {
            let more = self::steps(nested, source, &id, body.len());
            body.extend(more);
        }
        let (code, skip) = compiled_prefix(&words.text);
        let text = words.text[skip..].to_owned();
        let span = source.span(words.range.start + skip.min(words.range.len())..words.range.end);
        let kind = StepKind::Instruct { instruction: String::new() };
        steps.push(Step { id, span, text, code, kind, effects: Effects::default(), body });
    }
    steps
}

pub(crate) fn step_id(parent: &str, number: usize) -> String {
    let mut id = String::with_capacity(parent.len() + 3);
    if !parent.is_empty() {
        id.push_str(parent);
        id.push('.');
    }
    if number < 10 {
        id.push('0');
    }
    id.push_str(&number.to_string());
    id
}

/// The number and code of a compiled step: `01.02:QUE $x = F()`.
#[derive(Debug, PartialEq, Eq)]
pub struct CodedLine<'a> {
    pub number: &'a str,
    pub code: &'a str,
    pub content: &'a str,
}

/// Reads a line of a compiled file. `None` for lines of people.
#[must_use]
pub fn coded_line(line: &str) -> Option<CodedLine<'_>> {
    let colon = line.find(':')?;
    let number = &line[..colon];
    let is_number =
        number.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let rest = &line[colon + 1..];
    let len = rest.bytes().take_while(u8::is_ascii_uppercase).count();
    if !is_number || len == 0 || line.contains('\n') {
        return None;
    }
    let content = rest[len..].trim_start_matches([':', ' ']).trim_end();
    Some(CodedLine { number, code: &rest[..len], content })
}

fn compiled_prefix(text: &str) -> (Option<String>, usize) {
    const CODES: &[&str] = &["BGN", "CHK", "CND", "ELS", "EXE", "JMP", "LOP", "QUE", "RET", "TNK", "YLD"];
    match coded_line(text) {
        Some(line) if CODES.contains(&line.code) => {
            let head = line.number.len() + 1 + line.code.len();
            let rest = &text[head..];
            (Some(line.code.to_owned()), head + (rest.len() - rest.trim_start_matches([':', ' ']).len()))
        }
        _ => (None, 0),
    }
}
