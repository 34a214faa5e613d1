use std::sync::Arc;

use tempfile::TempDir;

use crate::bench::Bench;
use crate::bodies::Bodies;
use crate::ceiling::{Syncs, durable_writes};
use crate::connection::Call;
use crate::latency::Latency;
use crate::load::{Load, Outcome};
use crate::metrics::Commits;
use crate::plan::PublishPlan;
use crate::process::Memory;
use crate::progress::Progress;
use crate::server::Server;

/// What publishing reached, beside its ceilings.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) plan: PublishPlan,
    /// The mean size of a request.
    pub(crate) body_bytes: usize,
    pub(crate) rounds: Vec<Round>,
    /// Of the publishes of all rounds.
    pub(crate) latency: Latency,
    /// Of the server, after the last round.
    pub(crate) memory: Memory,
}

/// The same things one after the other, so that a noisy minute hits them all.
#[derive(Debug)]
pub(crate) struct Round {
    /// The same connections asking for next to nothing.
    pub(crate) http: Outcome,
    pub(crate) publish: Outcome,
    pub(crate) commits: Option<Commits>,
    /// One durable write for each request, by nobody else.
    pub(crate) syncs: Syncs,
    /// One durable write for as many requests as one commit had.
    pub(crate) grouped_syncs: Option<GroupedSyncs>,
}

#[derive(Debug)]
pub(crate) struct GroupedSyncs {
    requests: f64,
    syncs: Syncs,
}

impl GroupedSyncs {
    pub(crate) fn requests_per_second(&self) -> f64 {
        self.syncs.per_second() * self.requests
    }
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Results> {
    let publishing = Publishing::start(bench).await?;
    publishing.warm_up().await?;
    let mut rounds = Vec::new();
    for number in 1..=publishing.plan.rounds {
        rounds.push(Box::pin(publishing.round(number)).await?);
    }
    publishing.finish(rounds).await
}

/// A server that is published to.
struct Publishing {
    plan: PublishPlan,
    calls: Arc<[Call]>,
    body_bytes: usize,
    server: Server,
    folder: TempDir,
}

impl Publishing {
    async fn start(bench: &Bench) -> anyhow::Result<Self> {
        let plan = bench.plan.publish.clone();
        let bodies = Bodies { seed: bench.seed, users: bench.plan.users };
        let calls: Arc<[Call]> = (0..plan.bodies)
            .map(|number| bodies.publish(number, plan.turns))
            .collect::<anyhow::Result<_>>()?;
        let body_bytes = calls.iter().map(Call::body_bytes).sum::<usize>() / calls.len().max(1);
        let folder = bench.folder()?;
        let server = Server::start(&bench.program, folder.path()).await?;
        Ok(Self { plan, calls, body_bytes, server, folder })
    }

    async fn warm_up(&self) -> anyhow::Result<()> {
        let progress = Progress::new("publish, warming up");
        let load = Load { time: self.plan.warm_up, ..self.load() };
        load.run(&self.server, &progress, self.calls()).await?.without_failures()?;
        Ok(())
    }

    fn load(&self) -> Load {
        Load { connections: self.plan.connections, most: self.plan.most_requests, time: self.plan.round }
    }

    fn calls(&self) -> impl Fn(u64) -> Call + Send + Sync + 'static {
        let calls = Arc::clone(&self.calls);
        move |number| calls[(number % calls.len() as u64) as usize].clone()
    }

    async fn round(&self, number: usize) -> anyhow::Result<Round> {
        let progress = Progress::new(format!("publish, round {number} of {}", self.plan.rounds));
        let live = Call::get("/health/live");
        let ceiling = Load { time: self.plan.ceiling, most: u64::MAX, ..self.load() };
        let http = ceiling.run(&self.server, &progress, move |_| live.clone()).await?.without_failures()?;
        let before = Commits::of(&self.server).await?;
        let publish = self.load().run(&self.server, &progress, self.calls()).await?.without_failures()?;
        let after = Commits::of(&self.server).await?;
        let commits = after.zip(before).map(|(after, before)| after.since(before));
        self.check_count(&publish, commits)?;
        let syncs = durable_writes(self.folder.path(), self.body_bytes, self.plan.ceiling).await?;
        let grouped_syncs = match commits.map(|commits| commits.mean_batch()) {
            Some(requests) => Some(self.grouped(requests).await?),
            None => None,
        };
        let (rate, p99) = (publish.per_second(), publish.latency.p99());
        progress.done(format_args!("{rate:.0} requests/s, p99 {p99:.1} ms"));
        Ok(Round { http, publish, commits, syncs, grouped_syncs })
    }

    async fn grouped(&self, requests: f64) -> anyhow::Result<GroupedSyncs> {
        let bytes = (self.body_bytes as f64 * requests) as usize;
        let syncs = durable_writes(self.folder.path(), bytes, self.plan.ceiling).await?;
        Ok(GroupedSyncs { requests, syncs })
    }

    /// What was answered must be what was stored, or speed means nothing.
    fn check_count(&self, publish: &Outcome, commits: Option<Commits>) -> anyhow::Result<()> {
        let Some(commits) = commits else { return Ok(()) };
        let sent = publish.latency.count() * self.plan.turns as u64;
        let stored = commits.interactions.round() as u64;
        anyhow::ensure!(sent == stored, "{sent} interactions were accepted, but the server counts {stored}");
        Ok(())
    }

    async fn finish(self, rounds: Vec<Round>) -> anyhow::Result<Results> {
        let mut latency = Latency::new()?;
        for round in &rounds {
            latency.add(&round.publish.latency)?;
        }
        let memory = Memory::of(self.server.id())?;
        self.server.stop().await?;
        Ok(Results { plan: self.plan, body_bytes: self.body_bytes, rounds, latency, memory })
    }
}
