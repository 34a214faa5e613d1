//! Calls of a remote agent's tools, once its server has said what it has.

use super::{Context, calls};
use crate::diagnostic::{Code, Diagnostic};
use crate::name;
use crate::names::{BUILTIN_PLAYBOOKS, Callee, Names};
use crate::span::Span;
use crate::suggest;
use crate::tree::{Agent, Playbook};

/// `tools` are written as playbooks.
pub(crate) fn check(agents: &[Agent], names: &Names, owner: usize, tools: &[Playbook]) -> Vec<Diagnostic> {
    let mut context = Context { agents, names, found: Vec::new() };
    for (agent, playbook) in context.playbooks() {
        for call in playbook.all_steps().flat_map(|step| &step.effects.calls) {
            let found = tool(&mut context, agent, owner, &call.callee, call.name_span, tools);
            if let Some(tool) = found {
                calls::arguments(call, tool, &mut context);
            }
        }
        for placeholder in playbook.description.placeholders() {
            for callee in &placeholder.calls {
                tool(&mut context, agent, owner, callee, placeholder.span, tools);
            }
        }
    }
    context.found
}

/// The tool that is called, if the callee is one of this server's; one that is not there is reported.
fn tool<'a>(
    context: &mut Context<'_>,
    agent: usize,
    owner: usize,
    callee: &str,
    span: Span,
    tools: &'a [Playbook],
) -> Option<&'a Playbook> {
    let (class, inner) = callee.split_once('.')?;
    let is_open = context.names.callee(context.agents, agent, callee) == Callee::Known;
    if context.names.agent(class) != Some(owner) || !is_open || BUILTIN_PLAYBOOKS.contains(&inner) {
        return None;
    }
    let found = tools.iter().find(|tool| tool.key == name::key(inner));
    if found.is_none() {
        let nearest = suggest::nearest(inner, tools.iter().map(|tool| tool.name.value.as_str()));
        let message = format!("the server of `{class}` has no tool `{inner}`");
        context.report(match nearest {
            Some(nearest) => {
                let message = format!("{message}; did you mean `{nearest}`?");
                let call = format!("{class}.{nearest}");
                let diagnostic = Diagnostic::new(Code::UnknownPlaybook, span, message);
                diagnostic.suggest(format!("call `{call}`"), span, call)
            }
            None => Diagnostic::new(Code::UnknownPlaybook, span, message),
        });
    }
    found
}
