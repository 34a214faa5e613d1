use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::Context as _;
use tokio::process::Command;

use crate::bench::Bench;
use crate::latency::Spread;
use crate::process::Memory;
use crate::progress::Progress;
use crate::server::Server;

/// How the program starts and what it weighs. Times are in milliseconds.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) starts: usize,
    pub(crate) program_bytes: u64,
    /// `reflexio version`, from start to end: what any program of this size costs.
    pub(crate) floor: Spread,
    /// In a folder that does not exist yet.
    pub(crate) first: Spread,
    /// On an empty store that is there already.
    pub(crate) again: Spread,
    /// After a rest, with an empty store and nothing but the first answer behind it.
    pub(crate) idle: Memory,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Results> {
    let starts = bench.plan.startup.starts;
    let progress = Progress::new("startup");
    let (mut floor, mut first, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..starts {
        progress.set(number as f64 / starts as f64);
        floor.push(run_to_end(&bench.program).await?);
        let folder = bench.folder()?;
        first.push(start_once(bench, folder.path()).await?);
        again.push(start_once(bench, folder.path()).await?);
    }
    let idle = memory_at_rest(bench).await?;
    let results = Results {
        starts,
        program_bytes: std::fs::metadata(&bench.program)?.len(),
        floor: spread(floor)?,
        first: spread(first)?,
        again: spread(again)?,
        idle,
    };
    progress.done(format_args!("{:.0} ms to the first answer", results.first.median));
    Ok(results)
}

pub(crate) fn spread(times: Vec<f64>) -> anyhow::Result<Spread> {
    Spread::of(times).context("nothing was started")
}

async fn run_to_end(program: &Path) -> anyhow::Result<f64> {
    let mut command = Command::new(program);
    command.arg("version").env_clear().stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    let started = Instant::now();
    let status = command.status().await?;
    let took = started.elapsed();
    anyhow::ensure!(status.success(), "`{} version` ended with {status}", program.display());
    Ok(took.as_secs_f64() * 1e3)
}

/// Starts a server, ends it, and tells how long the first answer took.
pub(crate) async fn start_once(bench: &Bench, folder: &Path) -> anyhow::Result<f64> {
    let server = Server::start(&bench.program, folder).await?;
    let took = server.first_answer();
    server.stop().await?;
    Ok(took.as_secs_f64() * 1e3)
}

async fn memory_at_rest(bench: &Bench) -> anyhow::Result<Memory> {
    let folder = bench.folder()?;
    let server = Server::start(&bench.program, folder.path()).await?;
    tokio::time::sleep(bench.plan.startup.rest).await;
    let memory = Memory::of(server.id())?;
    server.stop().await?;
    Ok(memory)
}
