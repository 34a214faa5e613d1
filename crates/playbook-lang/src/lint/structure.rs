//! Names that clash, branches that hang in the air, types that are none.

use rustc_hash::FxHashMap;

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::name;
use crate::span::Span;
use crate::step::{Step, StepKind};
use crate::types;

pub(super) fn check(context: &mut Context<'_>) {
    duplicate_agents(context);
    for agent in context.agents {
        let mut seen: FxHashMap<&str, &str> = FxHashMap::default();
        for playbook in &agent.playbooks {
            match seen.get(playbook.key.as_str()) {
                Some(first) => {
                    let message =
                        format!("`{}` is already a playbook of `{}`", playbook.name.value, agent.title.value);
                    let help =
                        format!("rename it; names are compared without case and separators (`{first}`)");
                    context.report(
                        Diagnostic::new(Code::DuplicatePlaybook, playbook.name.span, message).help(help),
                    );
                }
                None => {
                    seen.insert(&playbook.key, &playbook.name.value);
                }
            }
        }
    }
    for (_, playbook) in context.playbooks() {
        let types = playbook.params.iter().filter_map(|param| param.ty.as_ref());
        for ty in types.chain(playbook.returns.as_ref()) {
            annotation(&ty.value, ty.span, true, context);
        }
        steps(&playbook.steps, context);
    }
}

fn duplicate_agents(context: &mut Context<'_>) {
    let mut seen = FxHashMap::default();
    for agent in context.agents {
        if seen.insert(name::key(&agent.class), ()).is_some() {
            let message = format!("there is already an agent `{}`; give this one another name", agent.class);
            context.report(Diagnostic::new(Code::DuplicateAgent, agent.title.span, message));
        }
    }
}

fn annotation(ty: &str, span: Span, is_exact: bool, context: &mut Context<'_>) {
    let Some((message, known)) = types::problem(ty) else { return };
    let diagnostic = Diagnostic::new(Code::TypeAnnotation, span, message)
        .help("types are those of Python: str, int, float, bool, list, dict, List[str], …");
    context.report(match known {
        Some(known) if is_exact => diagnostic.fix(format!("write `{known}`"), span, known),
        _ => diagnostic,
    });
}

fn steps(steps: &[Step], context: &mut Context<'_>) {
    let mut before: Option<&Step> = None;
    for step in steps {
        if matches!(step.kind, StepKind::Else | StepKind::ElseIf { .. }) && !before.is_some_and(opens_branch)
        {
            let message = "this branch follows no `If`";
            let help = "put it right after an `If` at the same level of the list";
            context.report(Diagnostic::new(Code::ElseWithoutIf, step.span, message).help(help));
        }
        if step.kind.is_block() && step.body.is_empty() {
            let message = "nothing stands under this line, so it does nothing";
            let help = "write the steps it controls below it, indented by two blanks";
            context.report(Diagnostic::new(Code::EmptyBody, step.span, message).help(help));
        }
        if let StepKind::Assign { target, .. } | StepKind::AssignAsked { target, .. } = &step.kind
            && let Some(ty) = &target.ty
        {
            annotation(ty, target.span, false, context);
        }
        if let StepKind::AssignAsked { target, instruction } = &step.kind {
            let message =
                format!("`{instruction}` is not Python, so the model is asked for `{}`", target.source);
            context.report(Diagnostic::new(Code::AskedAssignment, step.span, message));
        }
        self::steps(&step.body, context);
        before = Some(step);
    }
}

/// A sentence that begins with "If" is a branch too, only that the model takes it.
fn opens_branch(step: &Step) -> bool {
    let is_sentence = matches!(step.kind, StepKind::Instruct { .. })
        && step.text.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("if "));
    matches!(step.kind, StepKind::If { .. } | StepKind::ElseIf { .. } | StepKind::When { .. }) || is_sentence
}
