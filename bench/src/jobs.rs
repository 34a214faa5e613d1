use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use async_trait::async_trait;
use reflexio_jobs::{Failure, Handler, Handlers, Runner, Running, Settings};
use reflexio_store::{Claim, JobCounts, Lease, SharedStore};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{Clock, JobKind, NewJob, OrgId, SystemClock};
use serde_json::json;
use tempfile::TempDir;

use crate::args::Options;
use crate::process::cpu_time;

const ORGS: usize = 10;
const USERS_PER_ORG: usize = 100;
/// Jobs that one call puts into the queue.
const FILL_BATCH: usize = 1000;

/// One way to work the queue off.
enum Way {
    Batches { size: usize, workers: usize },
    Runner { slots: usize },
}

pub(crate) struct Result {
    pub(crate) name: String,
    queued: usize,
    done: usize,
    wall: Duration,
    processor: Duration,
}

/// Prints a table of how fast queues of two lengths are worked off.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let (short, long) = if options.quick { (1_000, 5_000) } else { (10_000, 100_000) };
    let most_done = if options.quick { 1_000 } else { 20_000 };
    std::fs::create_dir_all(&options.work_dir)?;
    println!("| queue | way | done | jobs/s | processor, µs/job |\n|---|---|---|---|---|");
    for queued in [short, long] {
        for way in [
            Way::Batches { size: 1, workers: 1 },
            Way::Batches { size: 32, workers: 1 },
            Way::Batches { size: 32, workers: 4 },
            Way::Batches { size: 256, workers: 1 },
            Way::Runner { slots: 256 },
        ] {
            let most = if matches!(way, Way::Batches { size: 1, .. }) { most_done / 20 } else { most_done };
            println!("{}", measure(&options.work_dir, queued, most.min(queued), &way).await?.row());
        }
    }
    let (_folder, store) = filled(&options.work_dir, long).await?;
    println!("\nlate org: its job was number {} to be handed out", late_org(&store).await?);
    Ok(())
}

/// How fast a queue of so many jobs is worked off, in batches and by the runner that the server uses.
pub(crate) async fn headline(work_dir: &Path, queued: usize) -> anyhow::Result<Vec<Result>> {
    let mut results = Vec::new();
    for way in [Way::Batches { size: 32, workers: 4 }, Way::Runner { slots: 256 }] {
        results.push(measure(work_dir, queued, queued, &way).await?);
    }
    Ok(results)
}

async fn measure(work_dir: &Path, queued: usize, most: usize, way: &Way) -> anyhow::Result<Result> {
    let (_folder, store) = filled(work_dir, queued).await?;
    let before = cpu_time(std::process::id())?;
    let started = Instant::now();
    let name = match way {
        Way::Batches { size, workers } => {
            let each = most / workers;
            let work = (0..*workers).map(|_| tokio::spawn(in_batches(Arc::clone(&store), *size, each)));
            for worker in work.collect::<Vec<_>>() {
                worker.await??;
            }
            format!("batch {size}, workers {workers}")
        }
        Way::Runner { slots } => {
            through_runner(&store, *slots, most).await?;
            format!("runner, slots {slots}")
        }
    };
    let wall = started.elapsed();
    let processor = cpu_time(std::process::id())?.saturating_sub(before);
    let JobCounts { queued: left, .. } = store.job_counts().await?;
    let done = queued - usize::try_from(left)?;
    anyhow::ensure!(done >= most, "{name}: only {done} of {most} jobs are done");
    Ok(Result { name, queued, done, wall, processor })
}

async fn filled(work_dir: &Path, count: usize) -> anyhow::Result<(TempDir, SharedStore)> {
    let folder = tempfile::Builder::new().prefix("jobs-").tempdir_in(work_dir)?;
    let store = SqliteStore::open(&folder.path().join("reflexio.db"), &Default::default())?;
    let users = ORGS * USERS_PER_ORG;
    for org in 0..ORGS {
        let numbers: Vec<usize> = (0..count).filter(|number| number % users / USERS_PER_ORG == org).collect();
        for some in numbers.chunks(FILL_BATCH) {
            let jobs = some.iter().map(|number| {
                let user = format!("user-{:04}", number % users);
                NewJob::of_user(JobKind::Learn, user.as_str().into(), json!({ "user_id": user }))
            });
            use_store(&store).enqueue(&name(org), jobs.collect(), SystemClock.now()).await?;
        }
    }
    Ok((folder, Arc::new(store)))
}

/// The trait is what is measured.
fn use_store(store: &SqliteStore) -> &dyn reflexio_store::Store {
    store
}

fn name(org: usize) -> OrgId {
    OrgId::new(format!("org-{org:02}"))
}

async fn in_batches(store: SharedStore, size: usize, most: usize) -> anyhow::Result<()> {
    let mut done = 0;
    while done < most {
        let leases = claim(&store, size).await?;
        if leases.is_empty() {
            // The other workers have the rest, or did more than their share.
            let JobCounts { queued, running, .. } = store.job_counts().await?;
            if queued + running == 0 {
                return Ok(());
            }
            tokio::task::yield_now().await;
        }
        let lost = store.complete_many(&leases, SystemClock.now()).await?;
        anyhow::ensure!(lost.is_empty(), "{} jobs were lost", lost.len());
        done += leases.len();
    }
    Ok(())
}

async fn claim(store: &SharedStore, limit: usize) -> anyhow::Result<Vec<Lease>> {
    let claim = Claim {
        kinds: &JobKind::ALL,
        worker: "bench",
        now: SystemClock.now(),
        lease: Duration::from_secs(600),
        limit,
        paused: &HashSet::new(),
    };
    Ok(store.claim(claim).await?.into_iter().map(|claimed| claimed.lease).collect())
}

struct Nothing;

#[async_trait]
impl Handler for Nothing {
    async fn run(&self, _: &Running) -> std::result::Result<(), Failure> {
        Ok(())
    }
}

async fn through_runner(store: &SharedStore, slots: usize, most: usize) -> anyhow::Result<()> {
    let before = store.job_counts().await?.queued;
    let handlers = Handlers::new().with(JobKind::Learn, Arc::new(Nothing), slots);
    let settings = Settings { slots, ..Settings::default() };
    let runner = Runner::start(Arc::clone(store), Arc::new(SystemClock), handlers, settings);
    while before - store.job_counts().await?.queued < most as u64 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    runner.stop(Duration::from_secs(10)).await;
    Ok(())
}

/// How many jobs are handed out before the only one of an org that comes last.
async fn late_org(store: &SharedStore) -> anyhow::Result<usize> {
    claim(store, 7).await?;
    let late = OrgId::new("org-99");
    let job = NewJob::of_user(JobKind::Learn, "late".into(), json!({}));
    store.enqueue(&late, vec![job], SystemClock.now()).await?;
    for number in 1..=100 {
        let leases = claim(store, 1).await?;
        if leases.first().context("the queue ran dry")?.org == late {
            return Ok(number);
        }
    }
    anyhow::bail!("the late org waits for more than 100 jobs")
}

impl Result {
    pub(crate) fn per_second(&self) -> f64 {
        self.done as f64 / self.wall.as_secs_f64()
    }

    /// Of processor time, for each job.
    pub(crate) fn microseconds(&self) -> f64 {
        self.processor.as_micros() as f64 / self.done as f64
    }

    fn row(&self) -> String {
        let (rate, each) = (self.per_second(), self.microseconds());
        format!("| {} | {} | {} | {rate:.0} | {each:.0} |", self.queued, self.name, self.done)
    }
}
