//! Edits of the document itself: its layout, and the fixes of its diagnostics.

use lsp_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticSeverity, NumberOrString, Range, TextEdit,
};
use playbook_lang::{Severity, format as laid_out};
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::position::Index;

/// What is wrong or doubtful in the document.
pub(crate) fn diagnostics(analysis: &Analysis<'_>) -> Vec<Diagnostic> {
    let index = analysis.index();
    let mut all: Vec<Diagnostic> = Vec::new();
    for found in analysis.program().diagnostics().iter().filter(|found| analysis.is_here(found.span)) {
        let shown = shown(&index, found);
        if !all.contains(&shown) {
            all.push(shown);
        }
    }
    all
}

fn shown(index: &Index<'_>, found: &playbook_lang::Diagnostic) -> Diagnostic {
    let message = match &found.help {
        Some(help) => format!("{}\n{help}", found.message),
        None => found.message.clone(),
    };
    Diagnostic {
        range: index.range(found.span.range()),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(found.code.number().to_owned())),
        source: Some("reflexio".to_owned()),
        message,
        ..Diagnostic::default()
    }
}

/// The fixes of what stands in a range; those whose meaning is certain are preferred.
pub(crate) fn fixes(analysis: &Analysis<'_>, range: Range) -> Vec<Value> {
    let index = analysis.index();
    let here = analysis.program().diagnostics().iter().filter(|found| analysis.is_here(found.span));
    let fixes = here.filter_map(|found| Some((found, found.fix.as_ref()?)));
    let near = fixes.filter(|(found, fix)| {
        let place = index.range(found.span.range());
        analysis.is_here(fix.span) && place.start <= range.end && range.start <= place.end
    });
    let actions = near.map(|(found, fix)| {
        let edit = TextEdit { range: index.range(fix.span.range()), new_text: fix.replacement.clone() };
        let action = CodeAction {
            title: fix.title.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![shown(&index, found)]),
            is_preferred: Some(fix.is_safe),
            ..CodeAction::default()
        };
        let mut value = json!(action);
        value["edit"] = json!({ "changes": { analysis.document.uri.as_str(): [edit] } });
        value
    });
    actions.collect()
}

pub(crate) fn format(analysis: &Analysis<'_>) -> Vec<TextEdit> {
    let text = analysis.text();
    let new_text = laid_out(text);
    if new_text == text {
        return Vec::new();
    }
    vec![TextEdit { range: analysis.index().range(0..text.len()), new_text }]
}
