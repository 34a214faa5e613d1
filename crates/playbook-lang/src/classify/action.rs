//! Steps that do one thing: assign, call, say, ask, return, wait; or words for the model.

use super::speech::{agent_named, question, speech, spoken};
use super::{Line, Scope, call_of, native, note, phrase, variables};
use crate::lexer;
use crate::name;
use crate::names::BUILTIN_FUNCTIONS;
use crate::span::Span;
use crate::step::{Effects, Returned, StepKind, Target, WaitFor};
use crate::trigger;

pub(super) fn classify(
    line: &Line<'_>,
    code: Option<&str>,
    scope: &Scope<'_>,
    effects: &mut Effects,
) -> StepKind {
    if let Some(kind) = coded(line, code, scope, effects) {
        return kind;
    }
    assignment(line, scope, effects)
        .or_else(|| call(line, scope, effects))
        .or_else(|| control(line, scope, effects))
        .or_else(|| question(line, scope, effects))
        .or_else(|| speech(line, scope, effects))
        .unwrap_or_else(|| {
            variables::of_sentence(line.text, effects);
            StepKind::Instruct { instruction: line.text.to_owned() }
        })
}

/// Codes of compiled files that say more than their text.
fn coded(line: &Line<'_>, code: Option<&str>, scope: &Scope<'_>, effects: &mut Effects) -> Option<StepKind> {
    let text = line.text;
    match code? {
        "JMP" => Some(StepKind::Nothing),
        "CHK" => Some(StepKind::ApplyNote { note: text.to_owned() }),
        "TNK" => Some(StepKind::Think { instruction: text.to_owned() }),
        "RET" => {
            let value = line.after("return").unwrap_or(*line);
            Some(StepKind::Return { value: returned(&value, scope, effects) })
        }
        "YLD" => {
            let whom = super::after(text, "for").unwrap_or(text).split(';').next().unwrap_or_default().trim();
            Some(match whom.split_whitespace().next().unwrap_or_default() {
                "user" => StepKind::Wait { r#for: WaitFor::User },
                "exit" => StepKind::EndProgram,
                "agent" => StepKind::Wait { r#for: WaitFor::Agent(whom[5..].trim().to_owned()) },
                "call" | "return" | "" => StepKind::Nothing,
                _ => StepKind::Wait { r#for: WaitFor::Other(whom.to_owned()) },
            })
        }
        _ => {
            let (main, waits) = match text.split_once("; YLD for user") {
                Some((main, _)) => (main.trim(), true),
                None => (text, false),
            };
            let inner = main.strip_prefix("Say(")?.strip_suffix(')')?;
            if !waits && native(&line.part(main), scope).is_some() {
                return None;
            }
            let (to, words) = inner
                .split_once(',')
                .filter(|(to, _)| name::is_identifier(to.trim()))
                .unwrap_or(("user", inner));
            let (to, instruction) = (to.trim().to_owned(), words.trim().to_owned());
            if waits {
                let fills: Vec<String> = variables::all(&instruction).map(str::to_owned).collect();
                fills.iter().for_each(|name| effects.write(name));
                return Some(StepKind::Ask { to, fills, instruction, words: None });
            }
            variables::all(&instruction).for_each(|name| effects.read(name));
            Some(StepKind::SayAsked { to, instruction })
        }
    }
}

fn assignment(line: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Option<StepKind> {
    if let Some((target, value)) = set_to(line) {
        return Some(assign(target, &value, scope, effects));
    }
    if let Some((target, value)) = step_by(line) {
        return Some(assign(target, &value, scope, effects));
    }
    let (target, value) = split_assignment(line)?;
    let is_local = !target.source.starts_with('$');
    if is_local && native(&value, scope).is_none() {
        return None;
    }
    Some(assign(target, &value, scope, effects))
}

fn assign(target: Target, value: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> StepKind {
    if target.operator.is_some() || target.source.trim_start_matches('$') != target.variable {
        effects.read(&target.variable);
    }
    effects.write(&target.variable);
    let Some((expr, uses)) = native(value, scope) else {
        variables::all(value.text).for_each(|name| effects.read(name));
        return StepKind::AssignAsked { target, instruction: value.text.to_owned() };
    };
    note(value, &uses, scope, effects);
    let outer = uses.calls.first().filter(|_| uses.is_call && target.operator.is_none());
    match outer {
        Some(call) if !call.is_method && !BUILTIN_FUNCTIONS.contains(&call.callee.as_str()) => {
            StepKind::Call { target: Some(target), call: call_of(value, call) }
        }
        _ => StepKind::Assign { target, value: expr },
    }
}

/// `$x = …`, `$x: int = …`, `$order.total += …`, `x = …`.
fn split_assignment<'a>(line: &Line<'a>) -> Option<(Target, Line<'a>)> {
    let text = line.text;
    let len =
        phrase::variable_len(text).or_else(|| Some(name::identifier_len(text)).filter(|&len| len > 0))?;
    let source = &text[..len];
    let rest = text[len..].trim_start();
    let (ty, rest) = match rest.strip_prefix(':') {
        Some(inner) => {
            let at = lexer::find(inner, |_, byte| byte == b'=')?;
            (Some(inner[..at].trim().to_owned()), &inner[at..])
        }
        None => (None, rest),
    };
    let operator = ["//", "**", "+", "-", "*", "/", "%"]
        .iter()
        .find(|operator| rest.strip_prefix(**operator).is_some_and(|rest| rest.starts_with('=')));
    let rest = &rest[operator.map_or(0, |operator| operator.len())..];
    let value = rest.strip_prefix('=').filter(|rest| !rest.starts_with('='))?.trim();
    if value.is_empty() {
        return None;
    }
    let target = target(source, ty, operator.map(|operator| (*operator).to_owned()), line.part(source).span);
    Some((target, line.part(value)))
}

fn target(source: &str, ty: Option<String>, operator: Option<String>, span: Span) -> Target {
    let bare = source.trim_start_matches('$');
    let variable = bare[..name::identifier_len(bare)].to_owned();
    Target { source: source.to_owned(), variable, ty, operator, span }
}

/// `Set $x to …`
fn set_to<'a>(line: &Line<'a>) -> Option<(Target, Line<'a>)> {
    let rest = line.after("set")?;
    let len = phrase::variable_len(rest.text)?;
    let value =
        rest.part(super::after(rest.text[len..].trim_start(), "to").filter(|value| !value.is_empty())?);
    let source = &rest.text[..len];
    Some((target(source, None, None, rest.part(source).span), value))
}

/// `Increment $x`, `Decrement $x by 2`
fn step_by<'a>(line: &Line<'a>) -> Option<(Target, Line<'a>)> {
    let (rest, operator) = match line.after("increment") {
        Some(rest) => (rest, "+"),
        None => (line.after("decrement")?, "-"),
    };
    let len = phrase::variable_len(rest.text)?;
    let source = &rest.text[..len];
    let tail = rest.text[len..].trim().trim_end_matches('.');
    let value = match tail {
        "" => Line { text: "1", span: line.span, is_exact: false },
        _ => rest.part(super::after(tail, "by")?),
    };
    crate::expr::literal_of(value.text).filter(serde_json::Value::is_number)?;
    Some((target(source, None, Some(operator.to_owned()), rest.part(source).span), value))
}

fn call(line: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Option<StepKind> {
    let text = line.text.trim_end_matches(['.', ';']);
    if !text.ends_with(')') || !text.contains('(') {
        return None;
    }
    let line = line.part(text);
    let (_, uses) = native(&line, scope)?;
    let first = uses.calls.first().filter(|call| uses.is_call && !call.is_method)?;
    let call = call_of(&line, first);
    note(&line, &uses, scope, effects);
    if call.callee == "EndProgram" {
        return Some(StepKind::EndProgram);
    }
    if call.callee == "Say" {
        let literal = |index: usize| call.args.get(index)?.value.literal.as_ref()?.as_str();
        if let (Some(to), Some(words)) = (literal(0), literal(1)) {
            effects.calls.clear();
            let words = Line { text: words, span: line.span, is_exact: false };
            return Some(StepKind::Say { to: to.to_owned(), words: spoken(&words, effects) });
        }
    }
    Some(StepKind::Call { target: None, call })
}

fn control(line: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Option<StepKind> {
    if let Some(rest) = line.after("return") {
        if super::after(rest.text, "to").is_some() {
            return None;
        }
        return Some(StepKind::Return { value: returned(&rest, scope, effects) });
    }
    if let Some(rest) = line.after("wait") {
        return Some(StepKind::Wait { r#for: waits_for(rest.text, scope, effects) });
    }
    if let Some(rest) = line.after("think") {
        variables::all(rest.text).for_each(|name| effects.read(name));
        return Some(StepKind::Think { instruction: line.text.to_owned() });
    }
    let whole = line.text.trim_end_matches('.');
    let ends = ["end program", "end the program", "exit program", "exit the program", "end"];
    ends.iter().any(|words| whole.eq_ignore_ascii_case(words)).then_some(StepKind::EndProgram)
}

fn returned(value: &Line<'_>, scope: &Scope<'_>, effects: &mut Effects) -> Option<Returned> {
    let value = value.part(value.text.trim());
    if value.text.is_empty() {
        return None;
    }
    let Some((expr, uses)) = native(&value, scope) else {
        variables::all(value.text).for_each(|name| effects.read(name));
        return Some(Returned::Model { instruction: value.text.to_owned() });
    };
    note(&value, &uses, scope, effects);
    match uses.calls.first().filter(|call| uses.is_call && !call.is_method) {
        Some(call) if !BUILTIN_FUNCTIONS.contains(&call.callee.as_str()) => {
            Some(Returned::Call { call: call_of(&value, call) })
        }
        _ => Some(Returned::Expression { expr }),
    }
}

fn waits_for(text: &str, scope: &Scope<'_>, effects: &mut Effects) -> WaitFor {
    variables::all(text).for_each(|name| effects.read(name));
    let inner = super::after(text, "for").unwrap_or(text).trim_end_matches('.');
    if let Some(seconds) = trigger::duration(&inner.to_lowercase()) {
        return WaitFor::Seconds(seconds);
    }
    let first = inner.split_whitespace().find(|word| !word.eq_ignore_ascii_case("the")).unwrap_or_default();
    let first = first.trim_end_matches("'s");
    let is_user = ["user", "customer", "human"].iter().any(|word| first.eq_ignore_ascii_case(word));
    match agent_named(inner, scope) {
        _ if is_user => WaitFor::User,
        Some((agent, _)) => WaitFor::Agent(agent),
        None => WaitFor::Other(inner.to_owned()),
    }
}
