//! Placeholders: do they parse, are they meant as such, do they call themselves.

use rustc_hash::FxHashSet;

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::Callee;
use crate::placeholder::{Placeholder, Template};
use crate::step::StepKind;

pub(super) fn check(context: &mut Context<'_>) {
    for agent in context.agents {
        syntax(&agent.description, context);
        for playbook in &agent.playbooks {
            syntax(&playbook.description, context);
            for step in playbook.all_steps() {
                if let StepKind::Say { words, .. } = &step.kind {
                    syntax(words, context);
                }
            }
        }
    }
    recursion(context);
}

fn syntax(template: &Template, context: &mut Context<'_>) {
    for placeholder in template.placeholders() {
        let Some(error) = &placeholder.error else { continue };
        context.report(if is_json(&placeholder.source) {
            let literal = placeholder.source.replace('{', "{{").replace('}', "}}");
            Diagnostic::new(
                Code::JsonBraces,
                placeholder.span,
                "these braces look like JSON, but they are a placeholder",
            )
            .help("write `{{` and `}}` for braces; as it is, the playbook fails when it begins")
            .fix("write literal braces", placeholder.span, format!("{{{{{literal}}}}}"))
        } else {
            let message =
                format!("`{}` is not a Python expression: {}", brief(&placeholder.source), error.message);
            Diagnostic::new(Code::PlaceholderSyntax, error.span, message)
                .help("write an expression such as `{$name}`, or `{{` for a brace")
        });
    }
}

fn brief(source: &str) -> String {
    let line = source.trim().lines().next().unwrap_or_default();
    if line.chars().count() > 60 { line.chars().take(59).chain(['…']).collect() } else { line.to_owned() }
}

/// `"key": …` or `key: …` right after the brace.
fn is_json(source: &str) -> bool {
    let source = source.trim_start();
    match source.strip_prefix(['"', '\'']) {
        Some(rest) => rest.find(['"', '\'']).is_some_and(|at| rest[at + 1..].trim_start().starts_with(':')),
        None => source.is_empty() || source.starts_with("//"),
    }
}

/// A placeholder that calls a playbook which, by placeholders or steps, comes back to this one.
fn recursion(context: &mut Context<'_>) {
    for (agent, playbook) in context.playbooks() {
        for placeholder in playbook.description.placeholders() {
            let Some(first) = targets(agent, placeholder, context)
                .into_iter()
                .find(|&first| reaches(first, (agent, &playbook.key), context))
            else {
                continue;
            };
            let name = &context.agents[first.0].playbooks[first.1].name.value;
            let message =
                format!("this placeholder calls `{name}`, which leads back to `{}`", playbook.name.value);
            let help = "the run would refuse the second call; pass the value as a parameter instead";
            context.report(Diagnostic::new(Code::PlaceholderRecursion, placeholder.span, message).help(help));
        }
    }
}

fn targets(agent: usize, placeholder: &Placeholder, context: &Context<'_>) -> Vec<(usize, usize)> {
    placeholder.calls.iter().filter_map(|name| target(agent, name, context)).collect()
}

fn target(agent: usize, name: &str, context: &Context<'_>) -> Option<(usize, usize)> {
    match context.names.callee(context.agents, agent, name) {
        Callee::Playbook { agent, playbook } => Some((agent, playbook)),
        Callee::Known | Callee::Unknown => None,
    }
}

fn reaches(from: (usize, usize), (agent, key): (usize, &str), context: &Context<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![from];
    while let Some((index, number)) = open.pop() {
        let playbook = &context.agents[index].playbooks[number];
        if index == agent && playbook.key == key {
            return true;
        }
        if !seen.insert((index, number)) {
            continue;
        }
        open.extend(
            playbook.description.placeholders().flat_map(|placeholder| targets(index, placeholder, context)),
        );
        let calls = playbook.all_steps().flat_map(|step| &step.effects.calls);
        open.extend(calls.filter_map(|call| target(index, &call.callee, context)));
    }
    false
}
