//! Agents and playbooks as the outline of a document.

use lsp_types::{DocumentSymbol, SymbolKind};
use playbook_lang::{Agent, Playbook, Span};

use crate::analysis::Analysis;
use crate::position::Index;

pub(crate) fn outline(analysis: &Analysis<'_>) -> Vec<DocumentSymbol> {
    let index = analysis.index();
    let agents = analysis.program().agents.iter();
    agents
        .filter(|agent| analysis.is_here(agent.span))
        .map(|agent| of_agent(analysis, &index, agent))
        .collect()
}

fn of_agent(analysis: &Analysis<'_>, index: &Index<'_>, agent: &Agent) -> DocumentSymbol {
    let playbooks = agent.playbooks.iter().filter(|playbook| analysis.is_here(playbook.span));
    let children = playbooks.map(|playbook| of_playbook(index, playbook)).collect();
    let name = agent.title.value.clone();
    symbol(index, name, SymbolKind::CLASS, agent.span, agent.title.span, Some(children))
}

fn of_playbook(index: &Index<'_>, playbook: &Playbook) -> DocumentSymbol {
    let name = playbook.title.value.clone();
    symbol(index, name, SymbolKind::FUNCTION, playbook.span, playbook.name.span, None)
}

#[expect(deprecated, reason = "the type cannot be made without the field that others took its place")]
fn symbol(
    index: &Index<'_>,
    name: String,
    kind: SymbolKind,
    whole: Span,
    head: Span,
    children: Option<Vec<DocumentSymbol>>,
) -> DocumentSymbol {
    // Editors refuse a name that stands outside of what it names, and one that is empty.
    let head = if whole.contains(head) { head } else { whole.at_start() };
    DocumentSymbol {
        name: if name.is_empty() { "?".to_owned() } else { name },
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range: index.range(whole.range()),
        selection_range: index.range(head.range()),
        children,
    }
}
