//! The tree as indented text: what the parser understood, for eyes and for snapshots.

use std::fmt::Write;

use crate::placeholder::{Part, Template};
use crate::program::Program;
use crate::step::{Decided, Items, Returned, Step, StepKind};
use crate::tree::{Agent, Param, Playbook};

#[must_use]
pub fn tree(program: &Program) -> String {
    let mut out = String::new();
    if !program.meta.is_empty() {
        let _ = writeln!(out, "frontmatter {}", serde_json::Value::Object(program.meta.clone()));
    }
    for agent in &program.agents {
        show_agent(program, agent, &mut out);
    }
    out
}

fn place(program: &Program, span: crate::span::Span) -> String {
    let start = program.sources().start(span);
    format!("{}:{}", start.line, start.column)
}

fn show_agent(program: &Program, agent: &Agent, out: &mut String) {
    let implicit = if agent.is_implicit { " (made up)" } else { "" };
    let _ = writeln!(
        out,
        "agent {} {:?} [{}]{implicit}",
        agent.class,
        agent.kind,
        place(program, agent.title.span)
    );
    show_meta(&agent.meta, "  ", out);
    show_template(&agent.description, "  ", out);
    for block in &agent.python {
        let _ =
            writeln!(out, "  python [{}] defines {}", place(program, block.span), block.functions.join(", "));
    }
    for playbook in &agent.playbooks {
        show_playbook(program, playbook, out);
    }
}

fn show_playbook(program: &Program, playbook: &Playbook, out: &mut String) {
    let params: Vec<String> = playbook.params.iter().map(show_param).collect();
    let returns = playbook.returns.as_ref().map_or_else(String::new, |ty| format!(" -> {}", ty.value));
    let name = &playbook.name;
    let _ = writeln!(
        out,
        "  playbook {:?} ({}){returns} {:?} [{}]",
        name.value,
        params.join(", "),
        playbook.mode,
        place(program, name.span)
    );
    show_meta(&playbook.meta, "    ", out);
    show_template(&playbook.description, "    ", out);
    for trigger in &playbook.triggers {
        let kind = serde_json::to_value(&trigger.kind).unwrap_or_default();
        let _ = writeln!(out, "    {} {:?} {}", trigger.id, trigger.text, brief(&kind));
    }
    for step in &playbook.steps {
        show_step(program, step, "    ", out);
    }
    for note in &playbook.notes {
        let _ = writeln!(out, "    {} {:?}", note.id, note.text);
    }
    for section in &playbook.sections {
        let _ = writeln!(out, "    section {:?} {:?}", section.title.value, section.text);
    }
}

fn show_param(param: &Param) -> String {
    let dollar = if param.is_state { "$" } else { "" };
    let ty = param.ty.as_ref().map_or_else(String::new, |ty| format!(": {}", ty.value));
    let default =
        param.default.as_ref().map_or_else(String::new, |default| format!(" = {}", default.source.value));
    format!("{dollar}{}{ty}{default}", param.name.value)
}

fn show_meta(meta: &crate::meta::Meta, indent: &str, out: &mut String) {
    for entry in &meta.entries {
        let _ = writeln!(out, "{indent}{}: {}", entry.key, entry.value);
    }
}

fn show_template(template: &Template, indent: &str, out: &mut String) {
    for part in &template.parts {
        let _ = match part {
            Part::Text(text) => writeln!(out, "{indent}text {text:?}"),
            Part::Placeholder(found) => writeln!(out, "{indent}placeholder {:?}", found.source),
        };
    }
}

fn show_step(program: &Program, step: &Step, indent: &str, out: &mut String) {
    let effects = &step.effects;
    let mut notes = String::new();
    for (label, names) in [("reads", &effects.reads), ("writes", &effects.writes)] {
        if !names.is_empty() {
            let _ = write!(notes, " {label} {}", names.join(","));
        }
    }
    for call in &effects.calls {
        let args: Vec<String> = call
            .args
            .iter()
            .map(|arg| match &arg.name {
                Some(name) => format!("{name}={}", arg.value.source),
                None => arg.value.source.clone(),
            })
            .collect();
        let _ = write!(notes, " calls {}({})", call.callee, args.join(", "));
    }
    let code = step.code.as_ref().map_or_else(String::new, |code| format!("{code} "));
    let at = place(program, step.span);
    let _ = writeln!(out, "{indent}{} {code}{} {:?} [{at}]{notes}", step.id, kind(&step.kind), step.text);
    for inner in &step.body {
        show_step(program, inner, &format!("{indent}  "), out);
    }
}

fn kind(kind: &StepKind) -> String {
    let decided = |decided: &Decided| match decided {
        Decided::Expression { expr } => format!("python {:?}", expr.source),
        Decided::Phrase { expr } => format!("phrase {:?}", expr.source),
        Decided::Model => "model".to_owned(),
    };
    let value = serde_json::to_value(kind).unwrap_or_default();
    let name = value["is"].as_str().unwrap_or_default().to_owned();
    if let Some(condition) = kind.condition() {
        return format!("{name}({})", decided(&condition.decided));
    }
    #[expect(clippy::wildcard_enum_match_arm, reason = "the name says enough for the others")]
    match kind {
        StepKind::Assign { target, value } => {
            format!(
                "{name}({} {}= {})",
                target.source,
                target.operator.as_deref().unwrap_or(""),
                value.source
            )
        }
        StepKind::Call { target: Some(target), .. } => format!("{name}(into {})", target.source),
        StepKind::AssignAsked { target, .. } => format!("{name}({})", target.source),
        StepKind::Say { to, words } => format!("{name}({to}, {} placeholders)", words.placeholders().count()),
        StepKind::SayAsked { to, .. } | StepKind::Ask { to, .. } => format!("{name}({to})"),
        StepKind::Delegate { agent, .. } => format!("{name}({agent})"),
        StepKind::ForEach { variable, items } => {
            let items = match items {
                Items::Expression { expr } => format!("python {:?}", expr.source),
                Items::Model { description } => format!("model {description:?}"),
            };
            format!("{name}({} in {items})", variable.as_deref().unwrap_or("?"))
        }
        StepKind::Return { value: Some(Returned::Model { .. }) } => format!("{name}(model)"),
        StepKind::Wait { r#for } => format!("{name}({:?})", r#for),
        _ => name,
    }
}

/// A trigger's kind without places.
fn brief(kind: &serde_json::Value) -> String {
    let name = kind["is"].as_str().unwrap_or_default();
    let Some(map) = kind.as_object() else { return name.to_owned() };
    let expr = kind.pointer("/condition/decided/expr/source").and_then(serde_json::Value::as_str);
    let rest = map.iter().filter(|(key, _)| *key != "is" && *key != "condition");
    let rest: Vec<String> = rest.map(|(key, value)| format!("{key}={value}")).collect();
    format!("{name} {}{}", rest.join(" "), expr.unwrap_or_default()).trim_end().to_owned()
}
