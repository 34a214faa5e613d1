use std::time::{Duration, Instant};

use serde_json::json;

use super::publishing::{get, post, talk};
use crate::bench::Bench;
use crate::process::{self, cpu_time};
use crate::server::Server;

const PATIENCE: Duration = Duration::from_secs(900);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Memory of a server that learns from the same turns again and again.
pub(crate) struct Memory {
    pub(crate) looks: Vec<Look>,
    pub(crate) wall: Duration,
    pub(crate) processor: Duration,
}

/// Memory after so many windows.
pub(crate) struct Look {
    pub(crate) windows: u64,
    pub(crate) resident: u64,
}

impl Memory {
    /// From the end of the first fifth, when caches are warm, to the end; as a share.
    pub(crate) fn growth(&self) -> f64 {
        let Some(last) = self.looks.last() else { return f64::NAN };
        let warm = self.looks.iter().find(|look| look.windows * 5 >= last.windows);
        let warm = warm.map_or(f64::NAN, |look| look.resident as f64);
        last.resident as f64 / warm - 1.0
    }

    pub(crate) fn windows(&self) -> u64 {
        self.looks.last().map_or(0, |look| look.windows)
    }
}

/// Reruns read all turns anew and replace the rows of the run before, so the store does not grow, and memory that does is
/// lost.
pub(super) async fn measure(bench: &Bench) -> anyhow::Result<Memory> {
    let plan = &bench.plan.learning;
    let folder = bench.folder()?;
    let server = Server::start(&bench.program, folder.path()).await?;
    for user in 0..plan.users {
        post(&server, "/api/publish_interaction", &talk(bench.seed, user, plan.turns)).await?;
    }
    let (started, before) = (Instant::now(), cpu_time(server.id())?);
    let mut looks = Vec::new();
    let mut windows = 0;
    while windows < plan.windows {
        windows += rerun(&server).await?;
        looks.push(Look { windows, resident: process::Memory::of(server.id())?.resident });
    }
    let (wall, processor) = (started.elapsed(), cpu_time(server.id())?.saturating_sub(before));
    server.stop().await?;
    Ok(Memory { looks, wall, processor })
}

/// Learns anew from all users; says how many windows that were.
async fn rerun(server: &Server) -> anyhow::Result<u64> {
    let started = Instant::now();
    post(server, "/api/rerun_playbook_generation", &json!({})).await?;
    loop {
        let path = "/api/get_operation_status?service_name=playbook_generation";
        let status = get(server, path).await?["operation_status"].clone();
        if status["status"] == "completed" {
            let windows = status["stats"]["windows"].as_u64().unwrap_or_default();
            anyhow::ensure!(windows > 0, "a rerun read nothing: {status}");
            return Ok(windows);
        }
        anyhow::ensure!(status["status"] == "in_progress", "a rerun failed: {status}");
        anyhow::ensure!(started.elapsed() < PATIENCE, "a rerun does not come to its end: {status}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
