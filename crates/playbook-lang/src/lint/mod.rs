//! The linter: everything that can be told to be wrong or doubtful without running the program.

mod calls;
mod flow;
mod metadata;
mod placeholders;
mod reach;
mod structure;
mod variables;

use crate::diagnostic::Diagnostic;
use crate::names::Names;
use crate::tree::{Agent, Playbook};

/// What the rules look at, and where they put what they find.
pub(crate) struct Context<'a> {
    pub(crate) agents: &'a [Agent],
    pub(crate) names: &'a Names,
    found: Vec<Diagnostic>,
}

impl<'a> Context<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Every playbook with the number of its agent.
    fn playbooks(&self) -> impl Iterator<Item = (usize, &'a Playbook)> + use<'a> {
        let agents = self.agents;
        agents
            .iter()
            .enumerate()
            .flat_map(|(index, agent)| agent.playbooks.iter().map(move |playbook| (index, playbook)))
    }
}

pub(crate) fn check(agents: &[Agent], names: &Names) -> Vec<Diagnostic> {
    let mut context = Context { agents, names, found: Vec::new() };
    structure::check(&mut context);
    metadata::check(&mut context);
    calls::check(&mut context);
    placeholders::check(&mut context);
    variables::check(&mut context);
    flow::check(&mut context);
    reach::check(&mut context);
    context.found
}
