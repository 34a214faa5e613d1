//! Diagnostics as JSON, one object each, with places already counted out.

use serde_json::{Value, json};

use crate::diagnostic::Fix;
use crate::program::Program;
use crate::span::Span;

/// `{"diagnostics": […]}`.
#[must_use]
pub fn json(program: &Program) -> Value {
    let all = program.diagnostics().iter().map(|diagnostic| {
        json!({
            "code": diagnostic.code,
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "help": diagnostic.help,
            "file": program.sources().file(diagnostic.span.file).map(|file| &file.name),
            "range": range(program, diagnostic.span),
            "fix": diagnostic.fix.as_ref().map(|fix| fix_json(program, fix)),
        })
    });
    json!({ "diagnostics": all.collect::<Vec<_>>() })
}

fn fix_json(program: &Program, fix: &Fix) -> Value {
    json!({
        "title": fix.title,
        "range": range(program, fix.span),
        "replacement": fix.replacement,
        "safe": fix.is_safe,
    })
}

fn range(program: &Program, span: Span) -> Value {
    let (start, end) = (program.sources().start(span), program.sources().end(span));
    json!({
        "start": { "offset": span.start, "line": start.line, "column": start.column },
        "end": { "offset": span.end, "line": end.line, "column": end.column },
    })
}
