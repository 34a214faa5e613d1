//! Markdown playbooks as files: checked, laid out, explained, tested and run, without a server.

mod check;
mod disk;
mod explain;
mod fmt;
mod given;
mod lsp;
mod run;
mod test;

use clap::Subcommand;

use crate::context::Context;

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
            Playbook::Lsp(command) => command.run(),
        }
    }
}

/// `1 error`, `2 errors`.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
