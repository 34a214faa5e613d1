use std::path::Path;

use crate::bench::Bench;
use crate::bodies::Bodies;
use crate::latency::Spread;
use crate::load::Load;
use crate::process::Memory;
use crate::progress::Progress;
use crate::server::Server;
use crate::startup::{spread, start_once};

/// Small requests that lie in the write-ahead log when the server crashes.
const REQUESTS_BEFORE_CRASH: u64 = 100;

/// Ending and starting again on a filled store, in milliseconds. The files are in the system's cache.
#[derive(Debug)]
pub(crate) struct Restart {
    /// How many interactions the store held.
    pub(crate) rows: u64,
    pub(crate) stop: f64,
    pub(crate) start: Spread,
    /// Of a server that was just started and rests.
    pub(crate) idle: Memory,
    /// After the process was killed while its log was not yet folded in.
    pub(crate) after_crash: f64,
}

pub(crate) async fn measure(
    bench: &Bench,
    folder: &Path,
    server: Server,
    rows: u64,
) -> anyhow::Result<Restart> {
    let progress = Progress::new("scale, starting on the filled store");
    let stop = server.stop().await?.as_secs_f64() * 1e3;
    let restarts = bench.plan.scale.restarts;
    let mut times = Vec::with_capacity(restarts);
    for number in 0..restarts {
        progress.set(number as f64 / restarts as f64);
        times.push(start_once(bench, folder).await?);
    }
    let server = Server::start(&bench.program, folder).await?;
    tokio::time::sleep(bench.plan.startup.rest).await;
    let idle = Memory::of(server.id())?;
    let after_crash = crash_and_start(bench, folder, server, &progress).await?;
    let start = spread(times)?;
    progress.done(format_args!("{:.0} ms to the first answer", start.median));
    Ok(Restart { rows, stop, start, idle, after_crash })
}

async fn crash_and_start(
    bench: &Bench,
    folder: &Path,
    server: Server,
    progress: &Progress,
) -> anyhow::Result<f64> {
    let publish = &bench.plan.publish;
    let bodies = Bodies { seed: bench.seed, users: bench.plan.users };
    let call = bodies.publish(0, publish.turns)?;
    let load = Load { connections: publish.connections, most: REQUESTS_BEFORE_CRASH, time: publish.round };
    load.run(&server, progress, move |_| call.clone()).await?.without_failures()?;
    server.crash().await?;
    start_once(bench, folder).await
}
