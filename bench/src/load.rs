use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::task::JoinSet;

use crate::connection::{Call, Connection};
use crate::latency::Latency;
use crate::process::cpu_time;
use crate::progress::Progress;
use crate::server::Server;

/// A server that hangs for so long is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connections that each send one request after the other, until the count or the time is reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) most: u64,
    pub(crate) time: Duration,
}

/// What a load saw and what it cost.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Of the requests that succeeded.
    pub(crate) latency: Latency,
    pub(crate) failed: u64,
    /// What the first failed request was told.
    pub(crate) failure: Option<String>,
    pub(crate) answered_bytes: u64,
    pub(crate) elapsed: Duration,
    pub(crate) server_cpu: Duration,
    pub(crate) client_cpu: Duration,
}

impl Outcome {
    pub(crate) fn per_second(&self) -> f64 {
        self.latency.count() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Processor time of the server for one request, in microseconds.
    pub(crate) fn server_micros(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / self.latency.count().max(1) as f64
    }

    /// A measurement in which requests failed is none.
    pub(crate) fn without_failures(self) -> anyhow::Result<Self> {
        match &self.failure {
            None => Ok(self),
            Some(answer) => anyhow::bail!("{} request(s) failed; the first was told: {answer}", self.failed),
        }
    }
}

impl Load {
    /// Sends `call(0)`, `call(1)` and so on, over all connections, and measures each answer.
    pub(crate) async fn run(
        self,
        server: &Server,
        progress: &Progress,
        call: impl Fn(u64) -> Call + Send + Sync + 'static,
    ) -> anyhow::Result<Outcome> {
        let connections = open(server.address(), self.connections).await?;
        let (server_before, client_before) = (cpu_time(server.id())?, cpu_time(std::process::id())?);
        let started = Instant::now();
        let tally =
            Arc::new(Tally { next: AtomicU64::new(0), most: self.most, end: started + self.time, call });
        let shown = Arc::clone(&tally);
        let share = || shown.share(started, self.time);
        let work = tokio::time::timeout(self.time + PATIENCE, work(connections, tally));
        let seen = tokio::select! {
            seen = work => seen.context("the server does not answer any more")??,
            never = progress.follow(share) => match never {},
        };
        Ok(Outcome {
            latency: seen.latency,
            failed: seen.failed,
            failure: seen.failure,
            answered_bytes: seen.bytes,
            elapsed: started.elapsed(),
            server_cpu: cpu_time(server.id())?.saturating_sub(server_before),
            client_cpu: cpu_time(std::process::id())?.saturating_sub(client_before),
        })
    }
}

/// All connections stand before the clock runs.
async fn open(address: SocketAddr, count: usize) -> anyhow::Result<Vec<Connection>> {
    let mut connections = Vec::with_capacity(count);
    for _ in 0..count {
        connections.push(Connection::open(address).await?);
    }
    Ok(connections)
}

/// What the connections share.
struct Tally<F> {
    next: AtomicU64,
    most: u64,
    end: Instant,
    call: F,
}

impl<F: Fn(u64) -> Call> Tally<F> {
    fn take(&self) -> Option<Call> {
        if Instant::now() >= self.end {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.most).then(|| (self.call)(number))
    }

    fn share(&self, started: Instant, time: Duration) -> f64 {
        let counted = self.next.load(Ordering::Relaxed) as f64 / self.most.max(1) as f64;
        counted.max(started.elapsed().as_secs_f64() / time.as_secs_f64())
    }
}

/// What one connection saw.
struct Seen {
    latency: Latency,
    failed: u64,
    failure: Option<String>,
    bytes: u64,
}

impl Seen {
    fn new() -> anyhow::Result<Self> {
        Ok(Self { latency: Latency::new()?, failed: 0, failure: None, bytes: 0 })
    }

    fn add(&mut self, other: Self) -> anyhow::Result<()> {
        self.latency.add(&other.latency)?;
        self.failed += other.failed;
        self.bytes += other.bytes;
        self.failure = self.failure.take().or(other.failure);
        Ok(())
    }
}

async fn work<F>(connections: Vec<Connection>, tally: Arc<Tally<F>>) -> anyhow::Result<Seen>
where
    F: Fn(u64) -> Call + Send + Sync + 'static,
{
    let mut workers = JoinSet::new();
    for connection in connections {
        workers.spawn(send_all(connection, Arc::clone(&tally)));
    }
    let mut all = Seen::new()?;
    while let Some(seen) = workers.join_next().await {
        all.add(seen??)?;
    }
    Ok(all)
}

async fn send_all<F: Fn(u64) -> Call>(
    mut connection: Connection,
    tally: Arc<Tally<F>>,
) -> anyhow::Result<Seen> {
    let mut seen = Seen::new()?;
    while let Some(call) = tally.take() {
        let sent = Instant::now();
        let answer = connection.send(&call).await?;
        let took = sent.elapsed();
        seen.bytes += answer.body.len() as u64;
        if answer.is_success() {
            seen.latency.record(took);
        } else {
            seen.failed += 1;
            seen.failure.get_or_insert_with(|| format!("{} {}", answer.status, answer.text()));
        }
    }
    Ok(seen)
}
