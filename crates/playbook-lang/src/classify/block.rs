//! Steps that hold other steps: conditions and loops.

use super::condition;
use super::{Line, Scope, native, note, phrase, variables};
use crate::items::step_id;
use crate::lexer;
use crate::name;
use crate::step::{Effects, Items, Step, StepKind};

const ELSE_IF: &[&str] = &["otherwise if", "otherwise, if", "else if", "elif", "or if"];
const ELSE: &[&str] = &["otherwise", "else"];
const WHILE: &[&str] = &["while", "as long as", "repeat while"];
const UNTIL: &[&str] = &["until", "repeat until"];
const WHEN: &[&str] = &["when", "whenever"];
const FOR_EACH: &[&str] = &["for each", "for every", "for all", "for"];

pub(super) fn classify(
    line: &Line<'_>,
    step: &mut Step,
    scope: &Scope<'_>,
    effects: &mut Effects,
) -> Option<StepKind> {
    let first = line.text.bytes().next()?.to_ascii_lowercase();
    match first {
        b'i' => conditional(line, &["if"], step, scope, effects).map(|condition| StepKind::If { condition }),
        b'o' | b'e' => match conditional(line, ELSE_IF, step, scope, effects) {
            Some(condition) => Some(StepKind::ElseIf { condition }),
            None => otherwise(line, step),
        },
        b'w' => match conditional(line, WHEN, step, scope, effects) {
            Some(condition) => Some(StepKind::When { condition }),
            None => while_loop(line, step, scope, effects),
        },
        b'a' | b'r' | b'u' => while_loop(line, step, scope, effects),
        b'f' => for_each(line, step, scope, effects),
        _ => None,
    }
}

fn while_loop(
    line: &Line<'_>,
    step: &mut Step,
    scope: &Scope<'_>,
    effects: &mut Effects,
) -> Option<StepKind> {
    if let Some(condition) = conditional(line, WHILE, step, scope, effects) {
        return Some(StepKind::While { condition });
    }
    conditional(line, UNTIL, step, scope, effects).map(|condition| StepKind::Until { condition })
}

fn after_any<'a>(line: &Line<'a>, words: &[&str]) -> Option<Line<'a>> {
    words.iter().find_map(|word| line.after(word)).filter(|rest| !rest.text.is_empty())
}

/// The condition after one of the words. A condition without steps under it may carry its one step in the same line.
fn conditional(
    line: &Line<'_>,
    words: &[&str],
    step: &mut Step,
    scope: &Scope<'_>,
    effects: &mut Effects,
) -> Option<crate::step::Condition> {
    let rest = after_any(line, words)?;
    if !step.body.is_empty() {
        return Some(condition::of_line(&rest.part(head(rest.text)), scope, effects));
    }
    let whole = rest.part(head(rest.text));
    if is_certain(&whole, scope) {
        return Some(condition::of_line(&whole, scope, effects));
    }
    let (left, right) = inline(&rest, scope)?;
    step.body.push(inline_step(&right, step));
    Some(condition::of_line(&left, scope, effects))
}

fn is_certain(line: &Line<'_>, scope: &Scope<'_>) -> bool {
    native(line, scope).is_some()
        || phrase::to_python(line.text).is_some_and(|python| {
            native(&Line { text: &python, span: line.span, is_exact: false }, scope).is_some()
        })
}

/// A condition without the words and signs that close it.
fn head(text: &str) -> &str {
    let text = text.trim_end_matches([':', ',', ' ']);
    let lower_end = text.len().checked_sub(5).and_then(|at| text.get(at..));
    match lower_end {
        Some(end) if end.eq_ignore_ascii_case(" then") => {
            text[..text.len() - 5].trim_end_matches([':', ',', ' '])
        }
        _ => text,
    }
}

/// `If $x > 3, do this` and `If she agrees then do this`. With several commas nobody can tell which one it is.
fn inline<'a>(rest: &Line<'a>, scope: &Scope<'_>) -> Option<(Line<'a>, Line<'a>)> {
    let text = rest.text;
    let cut = |at: usize, len: usize| {
        let left = rest.part(text[..at].trim_end());
        let right = rest.part(text[at + len..].trim());
        (!left.text.is_empty() && !right.text.is_empty()).then_some((left, right))
    };
    if let Some(at) = find_outside(text, " then ") {
        let left_end = text[..at].trim_end_matches([',', ' ']).len();
        return cut(at, 6).map(|(_, right)| (rest.part(&text[..left_end]), right));
    }
    let commas: Vec<usize> = cuts(text, ", ");
    let certain = commas.iter().chain(&cuts(text, ": ")).copied().find(|&at| {
        let left = rest.part(text[..at].trim_end());
        is_certain(&left, scope)
    });
    match (certain, commas.as_slice()) {
        (Some(at), _) | (None, &[at]) => cut(at, 2),
        _ => None,
    }
}

fn cuts(text: &str, sign: &str) -> Vec<usize> {
    let mut found = Vec::new();
    lexer::walk(text, 0, |at, _, depth| {
        if depth == 0 && text.as_bytes()[at..].starts_with(sign.as_bytes()) {
            found.push(at);
        }
        false
    });
    found
}

fn find_outside(text: &str, word: &str) -> Option<usize> {
    let mut quotes = 0_usize;
    (0..text.len()).find(|&at| {
        quotes += usize::from(text.as_bytes()[at] == b'"');
        let rest = &text.as_bytes()[at..];
        quotes.is_multiple_of(2)
            && rest.len() >= word.len()
            && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes())
    })
}

fn inline_step(line: &Line<'_>, parent: &Step) -> Step {
    Step {
        id: step_id(&parent.id, parent.body.len() + 1),
        span: line.span,
        text: line.text.to_owned(),
        code: None,
        kind: StepKind::Instruct { instruction: String::new() },
        effects: Effects::default(),
        body: Vec::new(),
    }
}

fn otherwise(line: &Line<'_>, step: &mut Step) -> Option<StepKind> {
    let rest = ELSE.iter().find_map(|word| line.after(word))?;
    let inner = rest.part(rest.text.trim_start_matches([',', ':', ' ']).trim_end_matches(':'));
    if !inner.text.is_empty() {
        if !step.body.is_empty() {
            return None;
        }
        step.body.push(inline_step(&inner, step));
    }
    Some(StepKind::Else)
}

fn for_each(line: &Line<'_>, step: &Step, scope: &Scope<'_>, effects: &mut Effects) -> Option<StepKind> {
    let rest = after_any(line, FOR_EACH)?;
    let is_plain_for = line
        .after("for each")
        .or_else(|| line.after("for every"))
        .or_else(|| line.after("for all"))
        .is_none();
    let text = head(rest.text);
    let bare = text.strip_prefix('$').unwrap_or(text);
    let len = name::identifier_len(bare);
    let after_name = &bare[len..];
    let items = super::after(after_name.trim_start(), "in").filter(|items| len > 0 && !items.is_empty());
    if let Some(items) = items {
        let variable = bare[..len].to_owned();
        let items = rest.part(items);
        let native = native(&items, scope);
        if is_plain_for && native.is_none() {
            return None;
        }
        let items = match native {
            Some((expr, uses)) => {
                note(&items, &uses, scope, effects);
                Items::Expression { expr }
            }
            None => described(items.text, effects),
        };
        effects.write(&variable);
        return Some(StepKind::ForEach { variable: Some(variable), items });
    }
    (!is_plain_for && !step.body.is_empty())
        .then(|| StepKind::ForEach { variable: None, items: described(text, effects) })
}

fn described(text: &str, effects: &mut Effects) -> Items {
    for name in variables::all(text) {
        effects.read(name);
    }
    Items::Model { description: text.to_owned() }
}
