use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to write for.
    shell: Shell,
}

pub(crate) fn run(command: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Cli::command(), "reflexio", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(())
}
