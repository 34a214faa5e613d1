//! Loops that cannot end, and long stretches left to the model.

use rustc_hash::FxHashSet;

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::step::{Decided, Expr, Step, StepKind};
use crate::tree::Agent;

/// More steps in a row than one answer of a model should carry.
const MONOLOGUE: usize = 12;

pub(super) fn check(context: &mut Context<'_>) {
    for agent in context.agents {
        for playbook in &agent.playbooks {
            for step in playbook.all_steps() {
                endless(step, agent, context);
            }
            monologue(&playbook.steps, context);
        }
    }
}

fn endless(step: &Step, agent: &Agent, context: &mut Context<'_>) {
    let (StepKind::While { condition } | StepKind::Until { condition }) = &step.kind else { return };
    let (Decided::Expression { expr } | Decided::Phrase { expr }) = &condition.decided else { return };
    if step.body.is_empty() || has_call(expr) {
        return;
    }
    let body: Vec<&Step> = below(&step.body);
    let leaves = |step: &&Step| matches!(step.kind, StepKind::Return { .. } | StepKind::EndProgram);
    if body.iter().any(leaves) {
        return;
    }
    let writes: FxHashSet<&str> =
        body.iter().flat_map(|step| step.effects.writes.iter().map(String::as_str)).collect();
    let calls = body.iter().any(|step| {
        !step.effects.calls.is_empty()
            || matches!(step.kind, StepKind::Delegate { .. } | StepKind::Call { .. })
    });
    let changes = |name: &String| writes.contains(name.as_str()) || (calls && is_written(agent, name));
    if step.effects.reads.iter().any(changes) {
        return;
    }
    let message = match step.effects.reads.as_slice() {
        [] => "this loop has a condition that never changes".to_owned(),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`${name}`")).collect();
            format!("nothing in this loop changes {}", names.join(" or "))
        }
    };
    let help = "change a variable of the condition in the loop, or leave it with `Return`";
    context.report(Diagnostic::new(Code::EndlessLoop, condition.span, message).help(help));
}

fn has_call(expr: &Expr) -> bool {
    crate::expr::parse(&expr.source).is_ok_and(|uses| {
        uses.calls
            .iter()
            .any(|call| !call.is_method && !crate::names::BUILTIN_FUNCTIONS.contains(&call.callee.as_str()))
    })
}

fn is_written(agent: &Agent, name: &str) -> bool {
    !agent.python.is_empty()
        || agent.playbooks.iter().any(|playbook| {
            playbook.all_steps().any(|step| step.effects.writes.iter().any(|written| written == name))
                || playbook.params.iter().any(|param| param.is_state && param.name.value == name)
        })
}

fn below(steps: &[Step]) -> Vec<&Step> {
    let mut all = Vec::new();
    let mut open: Vec<&Step> = steps.iter().collect();
    while let Some(step) = open.pop() {
        all.push(step);
        open.extend(&step.body);
    }
    all
}

fn monologue(steps: &[Step], context: &mut Context<'_>) {
    let mut run: Vec<&Step> = Vec::new();
    for step in steps {
        if matches!(
            step.kind,
            StepKind::Instruct { .. } | StepKind::SayAsked { .. } | StepKind::AssignAsked { .. }
        ) {
            run.push(step);
        } else {
            report(&run, context);
            run.clear();
        }
        monologue(&step.body, context);
    }
    report(&run, context);
}

fn report(run: &[&Step], context: &mut Context<'_>) {
    if let ([first, ..], true) = (run, run.len() > MONOLOGUE) {
        let message = format!("{} steps in a row are left to the model", run.len());
        let help =
            "put a question, a call or a condition between them, or move some into a playbook of their own";
        context.report(Diagnostic::new(Code::LongMonologue, first.span, message).help(help));
    }
}
