//! Parts of the server on their own, to measure them from outside.

mod placeholders;

use clap::Subcommand;

use crate::context::Context;

#[derive(Debug, Subcommand)]
pub(crate) enum Dev {
    /// Evaluate a file of description placeholders and compare with what it says they become.
    Placeholders(placeholders::Placeholders),
}

impl Dev {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Dev::Placeholders(command) => command.run(context),
        }
    }
}
