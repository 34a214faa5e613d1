use std::sync::Arc;
use std::time::Duration;

use reflexio_jobs::{Handlers, Runner, Settings};
use reflexio_types::{JobKind, JobState, Timestamp};
use tokio::task::JoinHandle;

use super::handler::Learning;
use super::rerun::Rerun;
use crate::aggregation::Aggregator;
use crate::carry_over::Carrier;
use crate::evaluation::{EvaluationHandler, Regenerator};
use crate::optimization::Optimizer;
use crate::playbook_runs::Playing;
use crate::shadow_comparisons::Comparing;
use crate::{App, upkeep};

/// How often to look at what is old, and how many looks make a probe of a stalled provider, and one for missing timers.
const UPKEEP: Duration = Duration::from_secs(60);
const LOOKS_PER_PROBE: u32 = 5;
const LOOKS_PER_TIMERS: u32 = 60;
/// Jobs that are over are kept so long, in seconds: the ones that failed longer, since people look at them. Every
/// publish makes a job, so those that are done would soon be the most of the database.
const KEEP_DONE: i64 = 900;
const KEEP_FAILED: i64 = 30 * 86_400;
/// Reruns that go on at the same time; each is a long row of windows.
const RERUNS: usize = 2;
/// Sessions that are judged at the same time; nobody waits for them.
const EVALUATIONS: usize = 4;
/// Each judges several sessions at the same time.
const REGENERATIONS: usize = 1;
/// Clustering is heavy; those of one type and version wait for each other anyway.
const AGGREGATIONS: usize = 1;
/// A new version of the agent is rare.
const CARRIERS: usize = 1;
/// Requests whose answers are compared at the same time; nobody waits for that.
const COMPARISONS: usize = 4;

/// Each replays several conversations at the same time.
const OPTIMIZATIONS: usize = 2;
/// Runs of playbooks that go on at the same time; people wait for them.
const PLAYBOOK_RUNS: usize = 16;

/// How much is learned at the same time.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// Users who are learned from at the same time.
    pub slots: usize,
    /// How often to look for work that nobody announced.
    pub poll: Duration,
    /// How long is kept what runs changed, in days; so long they can be undone.
    pub run_change_days: u32,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self { slots: 8, poll: Duration::from_secs(1), run_change_days: 90 }
    }
}

/// The workers of this process. Dropping them is like killing them: others take over when their leases run out.
pub struct Workers {
    runner: Runner,
    upkeep: AbortOnDrop,
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Workers {
    /// Claims nothing more, lets jobs go on for a while, and gives back the rest.
    pub async fn stop(self, grace: Duration) {
        drop(self.upkeep);
        let stopped = self.runner.stop(grace).await;
        tracing::debug!(ended = stopped.ended, given_back = stopped.released, "workers stopped");
    }
}

impl App {
    /// Takes over what a process that died left half done, without waiting for its leases to run out. Only for a
    /// process that knows that it is the only one that works on this store; call it before the workers are started.
    pub async fn take_over_jobs(&self) -> crate::Result<()> {
        let left = self.store.abandon_attempts(self.now()).await?;
        if left > 0 {
            tracing::warn!(jobs = left, "the server stopped in the middle of some jobs; they begin again");
        }
        Ok(())
    }

    /// Begins to do the work that was queued. Call it once.
    pub fn start_workers(self: &Arc<Self>, settings: &WorkerSettings) -> Workers {
        let handlers = Handlers::new()
            .with(JobKind::Learn, Arc::new(Learning(Arc::clone(self))), settings.slots)
            .with(JobKind::Rerun, Arc::new(Rerun(Arc::clone(self))), RERUNS)
            .with(JobKind::Evaluate, Arc::new(EvaluationHandler(Arc::clone(self))), EVALUATIONS)
            .with(JobKind::Regenerate, Arc::new(Regenerator(Arc::clone(self))), REGENERATIONS)
            .with(JobKind::CompareShadow, Arc::new(Comparing(Arc::clone(self))), COMPARISONS)
            .with(JobKind::Aggregate, Arc::new(Aggregator(Arc::clone(self))), AGGREGATIONS)
            .with(JobKind::Optimize, Arc::new(Optimizer(Arc::clone(self))), OPTIMIZATIONS)
            .with(JobKind::CarryOver, Arc::new(Carrier(Arc::clone(self))), CARRIERS)
            .with(JobKind::PlaybookRun, Arc::new(Playing(Arc::clone(self))), PLAYBOOK_RUNS);
        let slots = settings.slots
            + RERUNS
            + EVALUATIONS
            + REGENERATIONS
            + COMPARISONS
            + AGGREGATIONS
            + OPTIMIZATIONS
            + CARRIERS
            + PLAYBOOK_RUNS;
        let runner = Runner::start(
            Arc::clone(&self.store),
            Arc::clone(&self.clock),
            handlers,
            Settings { slots, poll: settings.poll, ..Settings::default() },
        );
        if self.learning.handle.set(runner.handle()).is_err() {
            tracing::error!("workers were started twice; the first ones are the ones that are woken");
        }
        let (app, days) = (Arc::clone(self), settings.run_change_days);
        Workers { runner, upkeep: AbortOnDrop(tokio::spawn(async move { app.keep_tidy(days).await })) }
    }

    async fn keep_tidy(&self, run_change_days: u32) {
        self.set_missing_optimizer_timers().await;
        for look in 1_u32.. {
            tokio::time::sleep(UPKEEP).await;
            self.delete_old_jobs().await;
            self.books.keep_tidy().await;
            self.forget_old_changes(run_change_days).await;
            self.forget_old_injections().await;
            self.probe_stalled(look % LOOKS_PER_PROBE == 0).await;
            if look % LOOKS_PER_TIMERS == 0 {
                self.set_missing_optimizer_timers().await;
            }
        }
    }

    async fn delete_old_jobs(&self) {
        let ages =
            [(JobState::Done, KEEP_DONE), (JobState::Cancelled, KEEP_FAILED), (JobState::Dead, KEEP_FAILED)];
        for (state, age) in ages {
            let before = Timestamp(self.now().0 - age);
            upkeep::forget("jobs", |most| self.store.delete_finished_jobs(state, before, most)).await;
        }
    }
}
