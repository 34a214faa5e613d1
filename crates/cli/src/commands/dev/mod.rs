//! Parts of the server on their own, to measure them from outside.

mod cluster;
mod duplicates;
mod lines;
mod placeholders;
mod vectors;

use clap::Subcommand;

use crate::context::Context;

#[derive(Debug, Subcommand)]
pub(crate) enum Dev {
    /// Put texts with their like: one {"text": …} a line in, one {"cluster": N} a line out, -1 for noise.
    Cluster(cluster::Cluster),
    /// Decide whether texts mean the same: one {"a": …, "b": …} a line in, one {"same": …, "score": …} a line out.
    Duplicates(duplicates::Duplicates),
    /// Evaluate a file of description placeholders and compare with what it says they become.
    Placeholders(placeholders::Placeholders),
}

impl Dev {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Dev::Cluster(command) => command.run(context),
            Dev::Duplicates(command) => command.run(context),
            Dev::Placeholders(command) => command.run(context),
        }
    }
}
