//! Conditions: Python, a phrase with one meaning, or a question for the model.

use super::{Line, Scope, native, note, phrase, variables};
use crate::span::Span;
use crate::step::{Condition, Decided, Effects, Expr};

pub(crate) fn condition(text: &str, span: Span, scope: &Scope<'_>, effects: &mut Effects) -> Condition {
    let line = Line { text, span, is_exact: span.range().len() == text.len() };
    of_line(&line, scope, effects)
}

pub(super) fn of_line(line: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Condition {
    let decided = decided(line, scope, effects);
    Condition { text: line.text.to_owned(), span: line.span, decided }
}

fn decided(line: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Decided {
    // `$s is "done"` would be Python, but people mean equality.
    let is_worded =
        line.text.contains(" is ") && !line.text.contains(" is None") && !line.text.contains(" is not None");
    if !is_worded && let Some((expr, uses)) = native(line, scope) {
        note(line, &uses, scope, effects);
        return Decided::Expression { expr };
    }
    if let Some(source) = phrase::to_python(line.text) {
        let inner = Line { text: &source, span: line.span, is_exact: false };
        if let Some((expr, uses)) = native(&inner, scope) {
            note(&inner, &uses, scope, effects);
            return Decided::Phrase { expr: Expr { span: line.span, ..expr } };
        }
    }
    if is_worded && let Some((expr, uses)) = native(line, scope) {
        note(line, &uses, scope, effects);
        return Decided::Expression { expr };
    }
    for name in variables::all(line.text) {
        effects.read(name);
    }
    Decided::Model
}
