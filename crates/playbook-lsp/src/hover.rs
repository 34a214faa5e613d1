//! What there is to say about a place: the name there, and who does the step.

use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use playbook_lang::{
    Agent, Doer, Playbook, Role, Span, Step, Symbol, explain_mode, explain_step, explain_trigger,
};

use crate::analysis::Analysis;
use crate::navigation::at;

pub(crate) fn hover(analysis: &Analysis<'_>, offset: usize) -> Option<Hover> {
    let name = at(analysis, offset).and_then(|one| Some((one.span, symbol(analysis, &one.symbol)?)));
    let line = step_or_trigger(analysis, offset);
    let span = name.as_ref().or(line.as_ref()).map(|(span, _)| *span)?;
    let parts: Vec<String> = [name, line].into_iter().flatten().map(|(_, text)| text).collect();
    let value = parts.join("\n\n---\n\n");
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(analysis.range(span)),
    })
}

fn symbol(analysis: &Analysis<'_>, symbol: &Symbol) -> Option<String> {
    match symbol {
        Symbol::Agent { agent } => analysis.program().agents.get(*agent).map(of_agent),
        Symbol::Playbook { agent, playbook } => {
            let agent = analysis.program().agents.get(*agent)?;
            Some(of_playbook(agent, agent.playbooks.get(*playbook)?))
        }
        Symbol::Variable { name, .. } => Some(of_variable(analysis, symbol, name)),
    }
}

fn of_agent(agent: &Agent) -> String {
    let names = agent.playbooks.iter().map(|playbook| format!("- `{}`", playbook.title.value));
    let head = format!("**{}**, agent `{}`", agent.title.value, agent.class);
    std::iter::once(head).chain(names).collect::<Vec<_>>().join("\n")
}

fn of_playbook(agent: &Agent, playbook: &Playbook) -> String {
    let description = playbook.description.text.trim().split("\n\n").next().unwrap_or_default();
    let mut text = format!("**{}**, playbook of `{}`", playbook.title.value, agent.class);
    if !description.is_empty() {
        text += &format!("\n\n{description}");
    }
    text += &format!("\n\n*{}*", explain_mode(playbook));
    text
}

fn of_variable(analysis: &Analysis<'_>, symbol: &Symbol, name: &str) -> String {
    let lines = |role: Role| {
        let spans = analysis.symbols().of(symbol).filter(|one| one.role == role).map(|one| one.span);
        let mut lines: Vec<String> = spans.map(|span| line(analysis, span)).collect();
        lines.dedup();
        lines
    };
    let is_local = matches!(symbol, Symbol::Variable { playbook: Some(_), .. });
    let mut text = if is_local {
        format!("`{name}`, known in this playbook only")
    } else {
        format!("`${name}`, a variable of the agent")
    };
    for (words, lines) in [("set on", lines(Role::Definition)), ("used on", lines(Role::Reference))] {
        if !lines.is_empty() {
            text += &format!("\n\n{words} {}", lines.join(", "));
        }
    }
    text
}

fn line(analysis: &Analysis<'_>, span: Span) -> String {
    let sources = analysis.program().sources();
    let number = sources.start(span).line;
    match sources.file(span.file) {
        Some(file) if !analysis.is_here(span) => {
            let short = file.name.rsplit(['/', '\\']).next().unwrap_or(&file.name);
            format!("line {number} of {short}")
        }
        _ => format!("line {number}"),
    }
}

fn step_or_trigger(analysis: &Analysis<'_>, offset: usize) -> Option<(Span, String)> {
    if let Some(step) = analysis.step(offset) {
        return Some((step.span, of_step(step)));
    }
    let playbooks = analysis.program().agents.iter().flat_map(|agent| &agent.playbooks);
    let mut triggers = playbooks.flat_map(|playbook| &playbook.triggers);
    let trigger = triggers.find(|trigger| analysis.holds(trigger.span, offset))?;
    let (doer, why) = explain_trigger(trigger);
    Some((trigger.span, format!("trigger {}: **{}**, {why}", trigger.id, word(doer))))
}

fn of_step(step: &Step) -> String {
    let (doer, why) = explain_step(step);
    let mut text = format!("step {}: **{}**, {why}", step.id, word(doer));
    for (label, names) in [("reads", &step.effects.reads), ("writes", &step.effects.writes)] {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| format!("`${name}`")).collect();
            text += &format!("\n\n{label} {}", names.join(", "));
        }
    }
    text
}

fn word(doer: Doer) -> &'static str {
    match doer {
        Doer::Native => "native",
        Doer::Model => "asks the model",
    }
}
