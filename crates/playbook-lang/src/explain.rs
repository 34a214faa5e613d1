//! Says for every step who does it and why, so that authors learn which wording is exact.

use std::fmt::Write;

use serde::Serialize;

use crate::model_calls::{Counter, ModelCalls};
use crate::program::Program;
use crate::span::{Position, Span};
use crate::step::{Decided, Items, Returned, Step, StepKind, WaitFor};
use crate::tree::{Mode, Playbook};
use crate::trigger::{Trigger, TriggerKind};

/// Who does a step.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doer {
    /// The runtime, exactly as written.
    Native,
    /// The model, in its own words.
    Model,
}

/// One step explained.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    pub id: String,
    pub text: String,
    pub span: Span,
    pub at: Position,
    pub doer: Doer,
    pub why: String,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    pub calls: Vec<String>,
    pub depth: usize,
}

/// A playbook explained.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedPlaybook {
    pub agent: String,
    pub playbook: String,
    pub mode: Mode,
    pub triggers: Vec<ExplainedTrigger>,
    pub steps: Vec<Explained>,
    pub model_calls: ModelCalls,
}

/// One trigger explained.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedTrigger {
    pub id: String,
    pub text: String,
    pub doer: Doer,
    pub why: String,
}

#[must_use]
pub fn explain(program: &Program) -> Vec<ExplainedPlaybook> {
    let mut all = Vec::new();
    let mut counter = Counter::new(program);
    for (index, agent) in program.agents.iter().enumerate() {
        for (number, playbook) in agent.playbooks.iter().enumerate() {
            let mut steps = Vec::new();
            explain_steps(&playbook.steps, 0, program, &mut steps);
            let triggers = playbook.triggers.iter().map(|trigger| {
                let (doer, why) = explain_trigger(trigger);
                ExplainedTrigger { id: trigger.id.clone(), text: trigger.text.clone(), doer, why }
            });
            all.push(ExplainedPlaybook {
                agent: agent.class.clone(),
                playbook: playbook.title.value.clone(),
                mode: playbook.mode,
                triggers: triggers.collect(),
                steps,
                model_calls: counter.playbook(index, number),
            });
        }
    }
    all
}

/// What a playbook's mode means for who works.
#[must_use]
pub fn explain_mode(playbook: &Playbook) -> &'static str {
    match playbook.mode {
        Mode::Steps => "runs step by step",
        Mode::React => "has no steps: the model decides what to do until it is done",
        Mode::Raw => "is one completion of its description",
        Mode::Python => "is Python, run in the sandbox",
    }
}

fn explain_steps(steps: &[Step], depth: usize, program: &Program, out: &mut Vec<Explained>) {
    for step in steps {
        let (doer, why) = explain_step(step);
        let mut calls: Vec<String> = step.effects.calls.iter().map(|call| call.callee.clone()).collect();
        calls.dedup();
        out.push(Explained {
            id: step.id.clone(),
            text: step.text.clone(),
            span: step.span,
            at: program.sources().start(step.span),
            doer,
            why,
            reads: step.effects.reads.clone(),
            writes: step.effects.writes.clone(),
            calls,
            depth,
        });
        explain_steps(&step.body, depth + 1, program, out);
    }
}

/// Who does a step, and the reason in half a sentence.
#[must_use]
pub fn explain_step(step: &Step) -> (Doer, String) {
    let native = |why: &str| (Doer::Native, why.to_owned());
    let model = |why: &str| (Doer::Model, why.to_owned());
    match &step.kind {
        StepKind::Assign { .. } => native("the right side is a Python expression"),
        StepKind::AssignAsked { target, .. } => {
            model(&format!("the right side is not Python, so the model is asked for `{}`", target.source))
        }
        StepKind::Call { call, .. } => native(&format!("calls `{}` with these arguments", call.callee)),
        StepKind::Say { .. } => native("the words stand in quotes and are said as they are"),
        StepKind::SayAsked { .. } => model("the words are not in quotes, so the model finds them"),
        StepKind::Ask { fills, words: Some(_), .. } if fills.is_empty() => {
            native("the question stands in quotes and is put as it is; the run waits for the answer")
        }
        StepKind::Ask { fills, words: Some(_), .. } => model(&format!(
            "the question is put as it stands in quotes; the model finds {} in the answer",
            dollars(fills)
        )),
        StepKind::Ask { fills, .. } if fills.is_empty() => {
            model("the model asks; the run waits for the answer")
        }
        StepKind::Ask { fills, .. } => model(&format!("the model asks; the answer fills {}", dollars(fills))),
        StepKind::Delegate { agent, .. } => model(&format!("the model chooses how to ask `{agent}`")),
        StepKind::If { condition }
        | StepKind::ElseIf { condition }
        | StepKind::While { condition }
        | StepKind::Until { condition }
        | StepKind::When { condition } => match &condition.decided {
            Decided::Expression { .. } => native("the condition is a Python expression"),
            Decided::Phrase { expr } => native(&format!("the condition means `{}`", expr.source)),
            Decided::Model => model("only the model can judge the condition"),
        },
        StepKind::Else => native("taken when no branch before it was"),
        StepKind::ForEach { items: Items::Expression { .. }, .. } => {
            native("the list is a Python expression")
        }
        StepKind::ForEach { items: Items::Model { .. }, .. } => {
            model("the model says what there is to go through")
        }
        StepKind::Return { value: None | Some(Returned::Expression { .. }) } => {
            native("returns a value that is computed")
        }
        StepKind::Return { value: Some(Returned::Call { call }) } => {
            native(&format!("returns what `{}` gives", call.callee))
        }
        StepKind::Return { value: Some(Returned::Model { .. }) } => model("the value is described in words"),
        StepKind::EndProgram => native("ends the program"),
        StepKind::Wait { r#for: WaitFor::Other(_) } => model("the model says when the waiting is over"),
        StepKind::Wait { .. } => native("waits"),
        StepKind::Think { .. } => model("thinking is the model's"),
        StepKind::ApplyNote { .. } => model("a note is applied by the model"),
        StepKind::Approve { .. } => native("waits for an approval"),
        StepKind::Instruct { .. } => model("an instruction in words"),
        StepKind::Nothing => native("the structure says it already"),
    }
}

fn dollars(names: &[String]) -> String {
    names.iter().map(|name| format!("`${name}`")).collect::<Vec<_>>().join(", ")
}

/// Who notices that a trigger fires, and how.
#[must_use]
pub fn explain_trigger(trigger: &Trigger) -> (Doer, String) {
    let judged = || (Doer::Model, "judged with every message".to_owned());
    let why = match &trigger.kind {
        TriggerKind::Begin => "when the program starts".to_owned(),
        TriggerKind::After { seconds } => format!("a timer of {seconds} s"),
        TriggerKind::Every { seconds } => format!("a timer every {seconds} s"),
        TriggerKind::At { hour, minute } => format!("a timer at {hour:02}:{minute:02}"),
        TriggerKind::State { condition } => match &condition.decided {
            Decided::Phrase { expr } | Decided::Expression { expr } => {
                format!("when `{}` becomes true", expr.source)
            }
            Decided::Model => return judged(),
        },
        TriggerKind::Flow { playbook, .. } => format!("a hook on the calls of `{playbook}`"),
        TriggerKind::Meaning => return judged(),
    };
    (Doer::Native, why)
}

/// The explanation as text for a terminal.
#[must_use]
pub fn explain_text(program: &Program) -> String {
    let mut out = String::new();
    for playbook in explain(program) {
        let _ = writeln!(out, "{} · {}", playbook.agent, playbook.playbook);
        for ExplainedTrigger { text, doer, why, .. } in &playbook.triggers {
            let doer = if *doer == Doer::Native { "native" } else { "model" };
            let _ = writeln!(out, "  trigger  {text}\n           {doer}: {why}");
        }
        for step in &playbook.steps {
            let doer = if step.doer == Doer::Native { "native" } else { "model " };
            let indent = "  ".repeat(step.depth);
            let first = step.text.lines().next().unwrap_or_default();
            let _ = writeln!(out, "  {doer}   {indent}{} {first}", step.id);
            let _ = writeln!(out, "           {indent}{}{}", step.why, touched(step));
        }
        out.push('\n');
    }
    out
}

fn touched(step: &Explained) -> String {
    let mut text = String::new();
    for (label, names) in [("reads", &step.reads), ("writes", &step.writes)] {
        if !names.is_empty() {
            let _ = write!(text, "; {label} {}", dollars(names));
        }
    }
    if !step.calls.is_empty() {
        let _ = write!(
            text,
            "; calls {}",
            step.calls.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        );
    }
    text
}
