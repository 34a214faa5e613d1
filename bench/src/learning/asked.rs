use std::time::{Duration, Instant};

use reflexio_llm::endpoint::{Reply, TestEndpoint};

use super::publishing::{answer, correction, get, post, with_model};
use crate::bench::Bench;
use crate::process::cpu_time;
use crate::server::Server;

const PATIENCE: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How many windows a second are learned with a model that takes its time.
pub(crate) struct Asked {
    pub(crate) slots: usize,
    pub(crate) thinking: Duration,
    pub(crate) windows: u64,
    pub(crate) calls: usize,
    pub(crate) wall: Duration,
    /// Of the server.
    pub(crate) processor: Duration,
}

impl Asked {
    pub(crate) fn per_second(&self) -> f64 {
        self.windows as f64 / self.wall.as_secs_f64()
    }
}

/// Queues all windows first, then lets the server work them off; from its first answer until nothing is left.
pub(super) async fn measure(bench: &Bench) -> anyhow::Result<Asked> {
    let plan = &bench.plan.learning;
    let endpoint = TestEndpoint::start().await?;
    let thinking = u64::try_from(plan.thinking.as_millis())?;
    endpoint.respond(move |_| Reply::Late(thinking, Box::new(Reply::Json(answer()))));
    let folder = bench.folder()?;
    let idle = |command: &mut tokio::process::Command| {
        command.args(["--learning-workers", "0"]);
    };
    let server = Server::start_with(&bench.program, folder.path(), idle).await?;
    for user in 0..plan.asked {
        post(&server, "/api/publish_interaction", &correction(&format!("user-{user}"))).await?;
    }
    server.stop().await?;
    let slots = plan.slots.to_string();
    let busy = |command: &mut tokio::process::Command| {
        with_model(&endpoint)(command);
        command.args(["--learning-workers", &slots]);
    };
    let server = Server::start_with(&bench.program, folder.path(), busy).await?;
    let (started, before) = (Instant::now(), cpu_time(server.id())?);
    while left(&server).await? > 0 {
        anyhow::ensure!(started.elapsed() < PATIENCE, "the server does not come to an end");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let (wall, processor) = (started.elapsed(), cpu_time(server.id())?.saturating_sub(before));
    server.stop().await?;
    let (windows, calls) = (plan.asked, endpoint.count());
    Ok(Asked { slots: plan.slots, thinking: plan.thinking, windows, calls, wall, processor })
}

async fn left(server: &Server) -> anyhow::Result<u64> {
    // Jobs of other kinds follow from what was learned, or wait until a session has been silent.
    let mut open = 0;
    for (path, is_dead) in [
        ("/api/jobs?kind=learn&state=queued&limit=1000", false),
        ("/api/jobs?kind=learn&state=running&limit=1000", false),
        ("/api/jobs?kind=learn&state=dead&limit=1", true),
    ] {
        let jobs = get(server, path).await?["jobs"].as_array().map_or(0, Vec::len) as u64;
        anyhow::ensure!(!is_dead || jobs == 0, "jobs were given up");
        open += jobs;
    }
    Ok(open)
}
