use std::sync::Arc;
use std::time::Duration;

use reflexio_store::{Claim, Claimed, Error, SharedStore};
use reflexio_types::{Clock, JobKind};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::handler::{Entry, Handlers};
use crate::heartbeat::beat;
use crate::shared::Shared;
use crate::signal::{Signal, Signals};
use crate::work::work;
use crate::{Handle, Settings};

/// Runs jobs until it is stopped. Dropping it is like killing it: jobs end where they are, and are taken over when
/// their leases run out.
pub struct Runner {
    shared: Arc<Shared>,
    stop: oneshot::Sender<Duration>,
    main: AbortOnDrop<Stopped>,
}

/// What became of the jobs that ran when the runner was stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stopped {
    /// Ended within the grace period.
    pub ended: usize,
    /// Given back, to be run by the next runner.
    pub released: usize,
}

struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Runner {
    /// Begins to run jobs. Needs a Tokio runtime with time enabled.
    pub fn start(store: SharedStore, clock: Arc<dyn Clock>, handlers: Handlers, settings: Settings) -> Self {
        let shared = Arc::new(Shared::new(store, clock, settings));
        let (stop, stopping) = oneshot::channel();
        let main = tokio::spawn(run(Arc::clone(&shared), handlers, stopping));
        Self { shared, stop, main: AbortOnDrop(main) }
    }

    pub fn handle(&self) -> Handle {
        Handle { shared: Arc::clone(&self.shared) }
    }

    /// Claims nothing more, lets running jobs go on for a while, and gives back the rest.
    pub async fn stop(mut self, grace: Duration) -> Stopped {
        // Fails only when the runner's task is gone, and then nothing runs.
        let _ = self.stop.send(grace);
        (&mut self.main.0).await.unwrap_or_default()
    }
}

async fn run(shared: Arc<Shared>, handlers: Handlers, mut stop: oneshot::Receiver<Duration>) -> Stopped {
    // Owned by this task, so that they end with it.
    let mut jobs = JoinSet::new();
    let beats = Arc::clone(&shared);
    let _beating = AbortOnDrop(tokio::spawn(async move { beat(&beats).await }));
    let mut round = 0_usize;
    let grace = loop {
        // Never in a `select!`: a claim that is dropped half-way may have taken jobs that nobody would run.
        fill(&shared, &handlers, round, &mut jobs).await;
        round = round.wrapping_add(1);
        tokio::select! {
            biased;
            grace = &mut stop => match grace {
                Ok(grace) => break grace,
                // The runner was dropped; this task is about to be aborted.
                Err(_) => std::future::pending().await,
            },
            () = shared.wake.notified() => {}
            () = sleep(shared.settings.poll) => {}
        }
        while jobs.try_join_next().is_some() {}
    };
    finish(&shared, jobs, grace).await
}

/// Claims as much as there is room for. Each kind has slots of its own, so each is claimed on its own, and each
/// round begins with another one: the slots of all kinds together may be fewer.
async fn fill(shared: &Arc<Shared>, handlers: &Handlers, round: usize, jobs: &mut JoinSet<()>) {
    let kinds = handlers.by_kind.len().max(1);
    for (kind, entry) in handlers.by_kind.iter().cycle().skip(round % kinds).take(handlers.by_kind.len()) {
        loop {
            let all = shared.settings.slots.saturating_sub(shared.leases().len());
            let room = all.min(entry.slots.saturating_sub(shared.count(*kind)));
            if room == 0 || claim(shared, *kind, entry, room, jobs).await < room {
                break;
            }
        }
    }
}

/// Says how many were claimed.
async fn claim(
    shared: &Arc<Shared>,
    kind: JobKind,
    entry: &Entry,
    limit: usize,
    jobs: &mut JoinSet<()>,
) -> usize {
    let (settings, paused) = (&shared.settings, shared.paused());
    let claim = Claim {
        kinds: &[kind],
        worker: &settings.worker,
        now: shared.now(),
        lease: settings.lease,
        limit,
        paused: &paused,
    };
    match shared.store.claim(claim).await {
        Ok(claimed) => {
            let count = claimed.len();
            metrics::counter!("reflexio_jobs_claimed_total", "kind" => kind.as_str()).increment(count as u64);
            claimed.into_iter().for_each(|claimed| begin(shared, kind, entry, claimed, jobs));
            count
        }
        Err(error) => {
            tracing::error!(error = %error, kind = kind.as_str(), "jobs could not be claimed");
            0
        }
    }
}

fn begin(shared: &Arc<Shared>, kind: JobKind, entry: &Entry, claimed: Claimed, jobs: &mut JoinSet<()>) {
    let (signals, listener) = Signals::new();
    shared.started(kind, claimed.lease.clone(), signals);
    jobs.spawn(work(Arc::clone(shared), kind, Arc::clone(&entry.handler), claimed, listener));
}

async fn finish(shared: &Shared, mut jobs: JoinSet<()>, grace: Duration) -> Stopped {
    while jobs.try_join_next().is_some() {}
    let running = jobs.len();
    shared.signal_all(Signal::Stopping);
    let in_time = timeout(grace, async { while jobs.join_next().await.is_some() {} }).await;
    if in_time.is_ok() {
        return Stopped { ended: running, released: 0 };
    }
    jobs.shutdown().await;
    let mut released = 0;
    for lease in shared.leases() {
        let now = shared.now();
        match shared.store.release(&lease, "the server stopped", now, now).await {
            Ok(_) => released += 1,
            // It was dropped just after the store had heard of its end.
            Err(Error::LostLease(_)) => {}
            Err(error) => tracing::warn!(job = %lease.job, error = %error, "a job could not be given back"),
        }
        shared.ended(&lease);
    }
    Stopped { ended: running.saturating_sub(released), released }
}
