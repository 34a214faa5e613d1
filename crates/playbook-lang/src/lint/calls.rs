//! Calls: does the callee exist, may it be called, do the arguments fit.

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::{BUILTIN_PLAYBOOKS, Callee};
use crate::span::Span;
use crate::step::{Call, Step, StepKind};
use crate::suggest;
use crate::tree::{ParamKind, Playbook};
use crate::trigger::TriggerKind;

pub(super) fn check(context: &mut Context<'_>) {
    for (agent, playbook) in context.playbooks() {
        for trigger in &playbook.triggers {
            if let TriggerKind::Flow { playbook: watched, .. } = &trigger.kind {
                callee(agent, watched, trigger.span, context);
            }
        }
        for step in playbook.all_steps() {
            for call in &step.effects.calls {
                if let Some(target) = callee(agent, &call.callee, call.name_span, context) {
                    arguments(call, target, context);
                }
            }
            sentence(agent, step, context);
        }
        let placeholders = playbook.description.placeholders();
        for placeholder in placeholders.filter(|placeholder| placeholder.error.is_none()) {
            for name in &placeholder.calls {
                callee(agent, name, placeholder.span, context);
            }
        }
    }
}

/// Reports a callee that does not exist or is private; gives the playbook to check arguments against.
fn callee<'a>(agent: usize, name: &str, span: Span, context: &mut Context<'a>) -> Option<&'a Playbook> {
    match context.names.callee(context.agents, agent, name) {
        Callee::Known => None,
        Callee::Unknown => {
            let known = candidates(agent, name, context);
            let nearest = suggest::nearest(name, known.iter().map(String::as_str));
            let mut diagnostic = Diagnostic::new(Code::UnknownPlaybook, span, unknown_message(name, nearest));
            if let Some(nearest) = nearest {
                diagnostic = diagnostic.suggest(format!("call `{nearest}`"), span, nearest);
            }
            context.report(diagnostic);
            None
        }
        Callee::Playbook { agent: owner, playbook } => {
            let found = context.agents.get(owner)?.playbooks.get(playbook)?;
            if owner != agent && !found.is_public() {
                let owner = &context.agents[owner].title.value;
                let message = format!("`{}` is private to `{owner}`", found.name.value);
                let help = format!("add the line `public: true` under `## {}`", found.title.value);
                context.report(Diagnostic::new(Code::PrivatePlaybook, span, message).help(help));
            }
            Some(found)
        }
    }
}

fn unknown_message(name: &str, nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("there is no playbook `{name}`; did you mean `{nearest}`?"),
        None => format!("there is no playbook or function `{name}`; write one, or say the step in words"),
    }
}

fn candidates(agent: usize, name: &str, context: &Context<'_>) -> Vec<String> {
    let mut known: Vec<String> = BUILTIN_PLAYBOOKS.iter().map(|name| (*name).to_owned()).collect();
    for (index, other) in context.agents.iter().enumerate() {
        for playbook in &other.playbooks {
            let name_of = playbook.name.value.as_str();
            if name.contains('.') {
                known.push(format!("{}.{name_of}", other.class));
            } else if index == agent || playbook.is_public() {
                known.push(name_of.to_owned());
            }
        }
    }
    known
}

pub(super) fn arguments(call: &Call, playbook: &Playbook, context: &mut Context<'_>) {
    if call.args.iter().any(|arg| arg.is_unpacked) {
        return;
    }
    let name = &playbook.name.value;
    let plain: Vec<&str> = params(playbook, |kind| kind == ParamKind::Plain);
    let positional = call.args.iter().filter(|arg| arg.name.is_none()).count();
    let takes_rest = playbook.params.iter().any(|param| param.kind == ParamKind::Positionals);
    let mut report = |span: Span, message: String| {
        let help = format!("it is declared as `{}`", playbook.title.value);
        context.report(Diagnostic::new(Code::Arguments, span, message).help(help));
    };
    if positional > plain.len() && !takes_rest {
        report(call.span, format!("`{name}` takes {}, but {positional} are given", count(plain.len())));
    }
    let takes_any = playbook.params.iter().any(|param| param.kind == ParamKind::Keywords);
    let mut given: Vec<&str> = plain.iter().take(positional).copied().collect();
    for (named, arg) in call.args.iter().filter_map(|arg| Some((arg.name.as_deref()?, arg))) {
        let is_known = params(playbook, |kind| matches!(kind, ParamKind::Plain | ParamKind::KeywordOnly))
            .contains(&named);
        if given.contains(&named) {
            report(arg.value.span, format!("`{named}` is given twice"));
        } else if !is_known && !takes_any {
            let nearest = suggest::nearest(named, plain.iter().copied());
            let hint = nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"));
            report(arg.value.span, format!("`{name}` has no parameter `{named}`{hint}"));
        }
        given.push(named);
    }
    let is_needed = |kind: ParamKind| matches!(kind, ParamKind::Plain | ParamKind::KeywordOnly);
    let missing: Vec<String> = playbook
        .params
        .iter()
        .filter(|param| is_needed(param.kind) && param.default.is_none())
        .filter(|param| !given.contains(&param.name.value.as_str()))
        .map(|param| format!("`{}`", param.name.value))
        .collect();
    if !missing.is_empty() {
        report(call.span, format!("`{name}` also needs {}", missing.join(", ")));
    }
}

fn params(playbook: &Playbook, fits: impl Fn(ParamKind) -> bool) -> Vec<&str> {
    playbook.params.iter().filter(|param| fits(param.kind)).map(|param| param.name.value.as_str()).collect()
}

fn count(number: usize) -> String {
    match number {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{number} arguments"),
    }
}

/// A sentence for the model that holds something like `GetOrder(…)`.
fn sentence(agent: usize, step: &Step, context: &mut Context<'_>) {
    let is_sentence = matches!(
        step.kind,
        StepKind::Instruct { .. }
            | StepKind::AssignAsked { .. }
            | StepKind::SayAsked { .. }
            | StepKind::Ask { .. }
            | StepKind::Delegate { .. }
    );
    if !is_sentence {
        return;
    }
    for name in call_like(&step.text) {
        if context.names.callee(context.agents, agent, name) == Callee::Unknown {
            let known = candidates(agent, name, context);
            let nearest = suggest::nearest(name, known.iter().map(String::as_str));
            let message = unknown_message(name, nearest);
            context.report(Diagnostic::new(Code::UnknownName, step.span, message));
        }
    }
}

/// Names in CamelCase right before a parenthesis.
fn call_like(text: &str) -> impl Iterator<Item = &str> {
    memchr::memchr_iter(b'(', text.as_bytes()).filter_map(|at| {
        let head = &text[..at];
        let start = head
            .rfind(|char: char| !(char.is_alphanumeric() || char == '_' || char == '.'))
            .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
        let name = &head[start..];
        let is_name = name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.bytes().skip(1).any(|byte| byte.is_ascii_lowercase());
        is_name.then_some(name)
    })
}
