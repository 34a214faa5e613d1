//! Markdown playbooks as files: checked, laid out, explained, tested and run, without a server.

mod assistant;
mod check;
mod disk;
mod explain;
mod fmt;
mod given;
mod lsp;
mod promote;
mod run;
mod test;

use clap::Subcommand;

use crate::context::Context;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum Playbook {
    /// Find what is wrong or doubtful, with the place and often the fix.
    Check(check::Check),
    /// Lay files out: `-` for bullets, two blanks a level, one blank line between parts.
    Fmt(fmt::Fmt),
    /// Say for every step whether it runs by itself or asks the model, and why.
    Explain(explain::Explain),
    /// Run a program as a chat.
    Run(run::Run),
    /// Play the conversations that tests hold, without a model.
    Test(test::Test),
    /// Answer a conversation that an optimiser replays.
    Assistant(assistant::Assistant),
    /// Propose a learned rule as a note of a playbook.
    Promote(promote::Promote),
    /// Serve an editor as a language server.
    Lsp(lsp::Lsp),
}

impl Playbook {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Playbook::Check(command) => command.run(context),
            Playbook::Fmt(command) => command.run(context),
            Playbook::Explain(command) => command.run(context),
            Playbook::Run(command) => command.run(context),
            Playbook::Test(command) => command.run(context),
            Playbook::Assistant(command) => command.run(context),
            Playbook::Promote(command) => command.run(context),
            Playbook::Lsp(command) => command.run(),
        }
    }
}

/// The programs of a folder, each of one file and what it imports.
pub(crate) fn programs_in(folder: &std::path::Path) -> Result<Vec<playbook_lang::Program>, Failure> {
    let disk = disk::Disk::default();
    Ok(given::programs_in(folder)?.iter().map(|group| group.parse(&disk)).collect())
}

/// `1 error`, `2 errors`.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
