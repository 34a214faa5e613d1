//! Carets in plain text, without colours and without dependencies.

use std::fmt::Write;

use crate::diagnostic::{Diagnostic, Severity};
use crate::program::Program;

/// Every diagnostic with its line and carets.
#[must_use]
pub fn text(program: &Program) -> String {
    let mut out = String::new();
    for diagnostic in program.diagnostics() {
        one(program, diagnostic, &mut out);
    }
    out
}

fn one(program: &Program, diagnostic: &Diagnostic, out: &mut String) {
    let sources = program.sources();
    let start = sources.start(diagnostic.span);
    let end = sources.end(diagnostic.span);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let name = sources.file(diagnostic.span.file).map_or("", |file| file.name.as_str());
    let _ = writeln!(out, "{severity}[{}]: {}", diagnostic.code, diagnostic.message);
    let _ = writeln!(out, "  --> {name}:{}:{}", start.line, start.column);
    let line = line_of(program, diagnostic);
    let width = start.line.to_string().len();
    let shown: String = line.chars().map(|char| if char == '\t' { ' ' } else { char }).collect();
    let from = start.column.saturating_sub(1) as usize;
    let len =
        if end.line == start.line { end.column.saturating_sub(start.column).max(1) as usize } else { 0 };
    let len = if len == 0 { shown.chars().count().saturating_sub(from).max(1) } else { len };
    let _ = writeln!(out, "{:width$} |", "");
    let _ = writeln!(out, "{} | {shown}", start.line);
    let _ = writeln!(out, "{:width$} | {}{}", "", " ".repeat(from), "^".repeat(len));
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "{:width$} = help: {help}", "");
    }
    if let Some(fix) = &diagnostic.fix {
        let _ = writeln!(out, "{:width$} = fix: {}", "", fix.title);
    }
    out.push('\n');
}

fn line_of<'a>(program: &'a Program, diagnostic: &Diagnostic) -> &'a str {
    let Some(file) = program.sources().file(diagnostic.span.file) else { return "" };
    let at = diagnostic.span.range().start.min(file.text.len());
    let start = file.text[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let end = file.text[at..].find(['\n', '\r']).map_or(file.text.len(), |len| at + len);
    &file.text[start..end]
}
