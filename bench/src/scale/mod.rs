//! How reading behaves while a store grows.

mod fill;
mod reads;
mod restart;

use std::time::Duration;

use tempfile::TempDir;

use crate::bench::Bench;
use crate::bodies::Bodies;
use crate::load::Outcome;
use crate::process::Memory;
use crate::progress::Progress;
use crate::server::{Server, stored_bytes};

pub(crate) use fill::Filled;
pub(crate) use reads::{Hits, Reader};
pub(crate) use restart::Restart;

/// What was seen at every size, and around it.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) users: u64,
    pub(crate) playbooks: u64,
    pub(crate) steps: Vec<Step>,
    /// Sizes for which no time was left.
    pub(crate) skipped: Vec<u64>,
    /// Many searching at the same time, at the last size.
    pub(crate) crowd: Option<Crowd>,
    /// Starting on the last size.
    pub(crate) restart: Option<Restart>,
    /// Why it went no further; what was seen before still counts.
    pub(crate) trouble: Option<String>,
    pub(crate) one_user: OneUser,
}

/// One size.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) rows: u64,
    pub(crate) filled: Filled,
    pub(crate) stored_bytes: u64,
    pub(crate) memory: Memory,
    pub(crate) search: Outcome,
    pub(crate) hits: Hits,
    pub(crate) playbooks: Outcome,
    /// Next to nothing over the same connection.
    pub(crate) http: Outcome,
}

#[derive(Debug)]
pub(crate) struct Crowd {
    pub(crate) connections: usize,
    pub(crate) search: Outcome,
    pub(crate) playbooks: Outcome,
}

/// The case no index by user helps: all rows are one user's.
#[derive(Debug)]
pub(crate) struct OneUser {
    pub(crate) rows: u64,
    pub(crate) search: Outcome,
    pub(crate) hits: Hits,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Results> {
    let one_user = Box::pin(one_user(bench)).await?;
    let mut store = Growing::start(bench).await?;
    let mut results = Results {
        users: bench.plan.users,
        playbooks: bench.plan.scale.playbooks,
        steps: Vec::new(),
        skipped: Vec::new(),
        crowd: None,
        restart: None,
        trouble: None,
        one_user,
    };
    if let Err(error) = Box::pin(store.grow(&mut results)).await {
        results.trouble = Some(format!("{error:#}"));
        return Ok(results);
    }
    results.restart = Some(restart::measure(bench, store.folder.path(), store.server, store.rows).await?);
    Ok(results)
}

/// A store that gets larger from step to step.
struct Growing<'a> {
    bench: &'a Bench,
    reader: Reader,
    rows: u64,
    server: Server,
    folder: TempDir,
}

impl<'a> Growing<'a> {
    async fn start(bench: &'a Bench) -> anyhow::Result<Self> {
        let folder = bench.folder()?;
        let server = Server::start(&bench.program, folder.path()).await?;
        let bodies = bodies(bench);
        fill::playbooks(&server, bodies, bench.plan.scale.playbooks).await?;
        let reader = Reader::new(bodies, &bench.plan.scale)?;
        Ok(Self { bench, reader, rows: 0, server, folder })
    }

    async fn grow(&mut self, results: &mut Results) -> anyhow::Result<()> {
        for &rows in &self.bench.plan.scale.sizes {
            match self.step(rows).await? {
                Some(step) => results.steps.push(step),
                None => results.skipped.push(rows),
            }
        }
        if !results.steps.is_empty() {
            results.crowd = Some(self.crowd().await?);
        }
        Ok(())
    }

    /// Nothing, if the store did not get that large in time.
    async fn step(&mut self, rows: u64) -> anyhow::Result<Option<Step>> {
        let bench = self.bench;
        let time = bench.time_left().saturating_sub(bench.plan.scale.reserve);
        if time.is_zero() {
            return Ok(None);
        }
        let filled = self.fill_to(rows, time).await?;
        if self.rows < rows {
            return Ok(None);
        }
        let progress = Progress::new(format!("scale, reading at {rows} interactions"));
        let hits = self.reader.hits(&self.server).await?;
        let search = self.reader.search(&self.server, &progress, 1).await?;
        let playbooks = self.reader.playbooks(&self.server, &progress, 1).await?;
        let http = self.reader.next_to_nothing(&self.server, &progress).await?;
        let (found, listed) = (search.latency.p50(), playbooks.latency.p50());
        progress.done(format_args!("search p50 {found:.2} ms, playbooks p50 {listed:.2} ms"));
        let (memory, stored_bytes) = (Memory::of(self.server.id())?, stored_bytes(self.folder.path())?);
        Ok(Some(Step { rows, filled, stored_bytes, memory, search, hits, playbooks, http }))
    }

    async fn fill_to(&mut self, rows: u64, time: Duration) -> anyhow::Result<Filled> {
        let plan = &self.bench.plan;
        let fill = fill::Fill { bodies: bodies(self.bench), connections: plan.scale.fill_connections, time };
        let filled = fill.run(&self.server, self.rows, rows).await?;
        self.rows += filled.rows;
        Ok(filled)
    }

    async fn crowd(&self) -> anyhow::Result<Crowd> {
        let connections = self.bench.plan.scale.crowd;
        let progress = Progress::new(format!("scale, {connections} readers at once"));
        let search = self.reader.search(&self.server, &progress, connections).await?;
        let playbooks = self.reader.playbooks(&self.server, &progress, connections).await?;
        progress.done(format_args!("{:.0} searches/s", search.per_second()));
        Ok(Crowd { connections, search, playbooks })
    }
}

fn bodies(bench: &Bench) -> Bodies {
    Bodies { seed: bench.seed, users: bench.plan.users }
}

async fn one_user(bench: &Bench) -> anyhow::Result<OneUser> {
    let plan = &bench.plan.scale;
    let folder = bench.folder()?;
    let server = Server::start(&bench.program, folder.path()).await?;
    let bodies = Bodies { users: 1, ..bodies(bench) };
    let time = bench.time_left().saturating_sub(plan.reserve);
    let filled = fill::Fill { bodies, connections: plan.fill_connections, time }
        .run(&server, 0, plan.one_user_rows)
        .await?;
    let reader = Reader::new(bodies, plan)?;
    let progress = Progress::new("scale, searching where one user owns everything");
    let hits = reader.hits(&server).await?;
    let search = reader.search(&server, &progress, 1).await?;
    progress.done(format_args!("p50 {:.2} ms", search.latency.p50()));
    server.stop().await?;
    Ok(OneUser { rows: filled.rows, search, hits })
}
