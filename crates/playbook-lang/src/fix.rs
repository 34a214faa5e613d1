//! Applies the fixes of diagnostics to the files they belong to.

use crate::diagnostic::Fix;
use crate::program::Program;
use crate::span::FileId;

/// Which fixes to apply.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fixes {
    /// Those whose meaning is certain.
    Safe,
    /// Suggestions too.
    All,
}

/// The text of a file with fixes applied, and which. Of fixes that overlap the first is applied; checking again
/// finds the others.
#[must_use]
pub fn fixed(program: &Program, file: FileId, which: Fixes) -> (String, Vec<&Fix>) {
    let Some(source) = program.sources().file(file) else { return (String::new(), Vec::new()) };
    let mut fixes: Vec<&Fix> = program
        .diagnostics()
        .iter()
        .filter_map(|diagnostic| diagnostic.fix.as_ref())
        .filter(|fix| fix.span.file == file && (fix.is_safe || which == Fixes::All))
        .collect();
    fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
    let mut text = String::with_capacity(source.text.len());
    let mut from = 0;
    let mut applied: Vec<&Fix> = Vec::new();
    for fix in fixes {
        let range = fix.span.range();
        if range.start < from || (!applied.is_empty() && range.start == from && range.is_empty()) {
            continue;
        }
        text.push_str(source.text.get(from..range.start).unwrap_or_default());
        text.push_str(&fix.replacement);
        from = range.end;
        applied.push(fix);
    }
    text.push_str(source.text.get(from..).unwrap_or_default());
    (text, applied)
}
