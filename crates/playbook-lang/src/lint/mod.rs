//! The linter: everything that can be told to be wrong or doubtful without running the program.

mod calls;
mod flow;
mod metadata;
mod placeholders;
mod reach;
mod structure;
pub(crate) mod tools;
mod variables;

use crate::classify::MANY;
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

type Rule = fn(&mut Context<'_>);

/// The rules in two groups that take about the same time.
const GROUPS: [&[Rule]; 2] = [
    &[structure::check, metadata::check, calls::check, placeholders::check],
    &[variables::check, flow::check, reach::check],
];

pub(crate) fn check(agents: &[Agent], names: &Names) -> Vec<Diagnostic> {
    let run = |rules: &[Rule]| {
        let mut context = Context { agents, names, found: Vec::new() };
        rules.iter().for_each(|rule| rule(&mut context));
        context.found
    };
    let [first, second] = GROUPS;
    let count: usize = agents.iter().map(|agent| agent.playbooks.len()).sum();
    let (mut found, more) = if count < MANY {
        (run(first), run(second))
    } else {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| run(second));
            // A thread that cannot be joined has panicked; rules do not, and its work can be done again.
            (run(first), other.join().unwrap_or_else(|_| run(second)))
        })
    };
    found.extend(more);
    found
}
