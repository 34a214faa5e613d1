//! From a name to where it gets its meaning, and to everywhere it is used.

use lsp_types::Location;
use playbook_lang::{Occurrence, Role};

use crate::analysis::Analysis;
use crate::position::to_u32;

pub(crate) fn definition(analysis: &Analysis<'_>, offset: usize) -> Option<Location> {
    let found = at(analysis, offset)?;
    analysis.location(analysis.symbols().definition(&found.symbol)?.span)
}

pub(crate) fn references(
    analysis: &Analysis<'_>,
    offset: usize,
    with_definition: bool,
) -> Option<Vec<Location>> {
    let found = at(analysis, offset)?;
    let all = analysis.symbols().of(&found.symbol);
    let wanted = all.filter(|one| with_definition || one.role == Role::Reference);
    let mut places: Vec<Location> = Vec::new();
    for place in wanted.filter_map(|one| analysis.location(one.span)) {
        // A file that is imported twice is one file to the editor.
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Some(places)
}

pub(crate) fn at<'a>(analysis: &'a Analysis<'_>, offset: usize) -> Option<&'a Occurrence> {
    analysis.symbols().at(analysis.file(), to_u32(offset))
}
