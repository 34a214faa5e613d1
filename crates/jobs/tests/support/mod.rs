//! A real store, a clock that stands still, and handlers that do what a test says.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses a part of it")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use reflexio_jobs::{Backoff, Failure, Handler, Handlers, Runner, Running, Settings, Waited};
use reflexio_store::{SharedStore, Store};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{Clock, Job, JobId, JobKind, NewJob, OrgId, Timestamp};
use serde_json::json;
use tempfile::TempDir;

/// Longer than anything here takes on a slow machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);
pub(crate) const NEVER: Duration = Duration::from_secs(3600);

pub(crate) struct Stopwatch(AtomicI64);

impl Stopwatch {
    pub(crate) fn forward(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for Stopwatch {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

pub(crate) struct Bench {
    pub(crate) store: SharedStore,
    pub(crate) clock: Arc<Stopwatch>,
    _folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db"), &Default::default()).unwrap();
        let clock = Arc::new(Stopwatch(AtomicI64::new(1_700_000_000)));
        Self { store: Arc::new(store), clock, _folder: folder }
    }

    pub(crate) fn start(&self, handlers: Handlers, settings: Settings) -> Runner {
        Runner::start(Arc::clone(&self.store), Arc::clone(&self.clock) as Arc<dyn Clock>, handlers, settings)
    }

    pub(crate) async fn enqueue(&self, job: NewJob) -> JobId {
        self.store.enqueue(&org(), vec![job], self.clock.now()).await.unwrap()[0].id()
    }

    pub(crate) async fn job(&self, id: JobId) -> Job {
        self.store.job(&org(), id).await.unwrap().unwrap()
    }

    /// Waits for a state of affairs that others bring about.
    pub(crate) async fn until(&self, id: JobId, holds: impl Fn(&Job) -> bool) -> Job {
        let started = std::time::Instant::now();
        loop {
            let job = self.job(id).await;
            if holds(&job) {
                return job;
            }
            assert!(started.elapsed() < LONG, "waited too long: {job:?}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

pub(crate) fn org() -> OrgId {
    OrgId::new("acme")
}

pub(crate) fn learn(user: &str) -> NewJob {
    NewJob::of_user(JobKind::Learn, user.into(), json!({}))
}

/// Looks often, is heard of often.
pub(crate) fn quick(worker: &str) -> Settings {
    let often = Duration::from_millis(5);
    Settings {
        worker: worker.to_owned(),
        heartbeat: often,
        poll: often,
        cancel_grace: often,
        backoff: Backoff { first_seconds: 10, longest_seconds: 100 },
        ..Settings::default()
    }
}

pub(crate) struct Doing<F>(F);

#[async_trait]
impl<F> Handler for Doing<F>
where
    F: for<'a> Fn(&'a Running) -> BoxFuture<'a, Result<(), Failure>> + Send + Sync + 'static,
{
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        (self.0)(running).await
    }
}

pub(crate) fn doing<F>(work: F) -> Arc<dyn Handler>
where
    F: for<'a> Fn(&'a Running) -> BoxFuture<'a, Result<(), Failure>> + Send + Sync + 'static,
{
    Arc::new(Doing(work))
}

pub(crate) fn learning<F>(work: F) -> Handlers
where
    F: for<'a> Fn(&'a Running) -> BoxFuture<'a, Result<(), Failure>> + Send + Sync + 'static,
{
    Handlers::new().with(JobKind::Learn, doing(work), 8)
}

/// Counts up while it lives, to see how many live at once.
#[derive(Clone, Default)]
pub(crate) struct Gauge {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

pub(crate) struct Alive(Gauge);

impl Gauge {
    pub(crate) fn enter(&self) -> Alive {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Alive(self.clone())
    }

    pub(crate) fn now(&self) -> usize {
        self.now.load(Ordering::SeqCst)
    }

    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

#[track_caller]
pub(crate) fn over(waited: Waited) -> Job {
    match waited {
        Waited::Over(job) => *job,
        other @ (Waited::StillGoing(_) | Waited::Gone) => panic!("{other:?}"),
    }
}

/// Another process that claims everything, long after all leases ran out.
pub(crate) async fn steal(store: &dyn Store, clock: &Stopwatch) -> Vec<reflexio_store::Claimed> {
    let now = Timestamp(clock.now().0 + 100_000);
    let paused = std::collections::HashSet::new();
    let claim = reflexio_store::Claim {
        kinds: &JobKind::ALL,
        worker: "thief",
        now,
        lease: NEVER,
        limit: 10,
        paused: &paused,
    };
    store.claim(claim).await.unwrap()
}
