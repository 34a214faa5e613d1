//! Another name for a playbook or a variable, in every file of the program.

use lsp_types::{PrepareRenameResponse, TextEdit};
use playbook_lang::{RenameError, Symbol, rename as edits_of};
use serde_json::{Map, Value, json};

use crate::analysis::Analysis;
use crate::answer::Refusal;
use crate::navigation::at;

pub(crate) fn prepare(analysis: &Analysis<'_>, offset: usize) -> Result<PrepareRenameResponse, Refusal> {
    let found = at(analysis, offset).ok_or(Refusal::NoName)?;
    if let Symbol::Agent { .. } = found.symbol {
        return Err(RenameError::Agent.into());
    }
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: analysis.range(found.span),
        placeholder: analysis.program().sources().slice(found.span).to_owned(),
    })
}

pub(crate) fn rename(analysis: &Analysis<'_>, offset: usize, new: &str) -> Result<Value, Refusal> {
    let found = at(analysis, offset).ok_or(Refusal::NoName)?;
    let mut changes: Map<String, Value> = Map::new();
    for edit in edits_of(analysis.program(), analysis.symbols(), &found.symbol, new)? {
        let Some(place) = analysis.location(edit.span) else { continue };
        let edit = serde_json::to_value(TextEdit { range: place.range, new_text: edit.text })?;
        let edits = changes.entry(place.uri.as_str()).or_insert_with(|| json!([]));
        if let Value::Array(edits) = edits
            && !edits.contains(&edit)
        {
            edits.push(edit);
        }
    }
    Ok(json!({ "changes": changes }))
}
