use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Command};
use crate::commands::{completions, openapi, serve, status, version};
use crate::context::Context;
use crate::exit::Code;
use crate::report::Report;

pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let context = Context::new(&cli.globals);
    match run(&cli.command, &context) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => match Report::of(&error) {
            Some(report) => {
                context.out.failure(&report);
                report.code.into()
            }
            None => ExitCode::SUCCESS,
        },
    }
}

/// Asking for help is no mistake.
fn refuse(error: &clap::Error) -> ExitCode {
    // When this cannot be printed, nothing can.
    let _ = error.print();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return ExitCode::SUCCESS;
    }
    Code::Usage.into()
}

fn run(command: &Command, context: &Context) -> anyhow::Result<()> {
    match command {
        Command::Serve(command) => serve::run(command, context),
        Command::Demo(command) => wait(command.run(context)),
        Command::Publish(command) => wait(command.run(context)),
        Command::Search(command) => wait(command.run(context)),
        Command::Interactions(command) => wait(command.run(context)),
        Command::Profiles(command) => wait(command.run(context)),
        Command::UserPlaybooks(command) => wait(command.run(context)),
        Command::AgentPlaybooks(command) => wait(command.run(context)),
        Command::Sessions(command) => wait(command.run(context)),
        Command::Evaluations(command) => wait(command.run(context)),
        Command::Shadow(command) => wait(command.run(context)),
        Command::Playbook(command) => command.run(context),
        Command::Jobs(command) => wait(command.run(context)),
        Command::Costs(command) => wait(command.run(context)),
        Command::Users(command) => wait(command.run(context)),
        Command::Config(command) => wait(command.run(context)),
        Command::Embeddings(command) => wait(command.run(context)),
        Command::Keys(command) => wait(command.run(context)),
        Command::Status => wait(status::run(context)),
        Command::Doctor(command) => wait(command.run(context)),
        Command::Backup(command) => wait(command.run(context)),
        Command::Restore(command) => wait(command.run(context)),
        Command::Export(command) => wait(command.run(context)),
        Command::Import(command) => wait(command.run(context)),
        Command::Dev(command) => command.run(context),
        Command::Openapi => openapi::run(context),
        Command::Completions(command) => completions::run(command),
        Command::Version => version::run(context),
    }
}

/// One thread is enough for everything but the server.
pub(crate) fn wait(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
