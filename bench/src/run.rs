use anyhow::Context as _;

use crate::args::{Cli, Command};
use crate::bench::Bench;
use crate::report::{Machine, Report, put_section};
use crate::{jobs, learning, publish, scale, startup};

/// Runs what was asked for, prints the results, and keeps them if a file was named.
pub(crate) async fn run(cli: &Cli) -> anyhow::Result<()> {
    if cli.command == Command::Jobs {
        return jobs::run(&cli.options).await;
    }
    let bench = Bench::new(&cli.options)?;
    if bench.is_debug_build() {
        eprintln!("note: `{}` is a debug build; its numbers say nothing", bench.program.display());
    }
    let report = measure(cli, &bench).await;
    let text = report.markdown();
    println!("{text}");
    if let Some(file) = &cli.options.out {
        put_section(file, &report.name, &text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    anyhow::ensure!(report.failures.is_empty(), "{}", report.failures.join("; "));
    Ok(())
}

/// A benchmark that fails does not take the others with it.
async fn measure(cli: &Cli, bench: &Bench) -> Report {
    let machine = Machine::look(&bench.work_dir);
    let name = cli.options.section.clone().unwrap_or_else(|| section_name(cli, &machine));
    let mut report = Report::new(name, shown_command(cli), bench.is_debug_build(), machine);
    if cli.command.includes(Command::Startup) {
        let results = startup::run(bench).await;
        report.startup = report.keep(Command::Startup, results);
    }
    if cli.command.includes(Command::Publish) {
        let results = Box::pin(publish::run(bench)).await;
        report.publish = report.keep(Command::Publish, results);
    }
    if cli.command.includes(Command::Scale) {
        let results = Box::pin(scale::run(bench)).await;
        report.scale = report.keep(Command::Scale, results);
        let trouble = report.scale.as_ref().and_then(|results| results.trouble.clone());
        report.failures.extend(trouble.map(|trouble| format!("scale: {trouble}")));
    }
    if cli.command.includes(Command::Learning) {
        let results = Box::pin(learning::run(bench)).await;
        report.learning = report.keep(Command::Learning, results);
    }
    report
}

/// Results of other machines, and quick ones, must not replace each other.
fn section_name(cli: &Cli, machine: &Machine) -> String {
    let size = if cli.options.quick { "quick" } else { "full" };
    format!("{} ({size}), {} cores, {}", cli.command.name(), machine.cores, machine.processor)
}

fn shown_command(cli: &Cli) -> String {
    let given = || std::env::args().collect::<Vec<_>>().join(" ");
    cli.options.invoked_as.clone().unwrap_or_else(given)
}
