use std::sync::Arc;

use async_trait::async_trait;
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_learn::engine::Error as LearnError;
use reflexio_optimize::{Book, Fault, Policy, Run, Split, Stepped, Task as Search, Trial, World};
use reflexio_store::OptimizationStep;
use reflexio_types::{
    Config, JobProgress, Optimization, OptimizationState, OptimizationTrial, OrgId, Timestamp,
};

use super::plan::task_of;
use super::sources_of;
use super::task::Task;
use crate::App;
use crate::learning::{payload, unavailable};

/// Looks for better wordings.
pub(crate) struct Optimizer(pub(crate) Arc<App>);

#[async_trait]
impl Handler for Optimizer {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: Task = payload(running)?;
        let work = async {
            match task {
                Task::Playbook { .. } => self.0.optimize_now(running).await,
                Task::Lift { .. } => self.0.lift_now(running).await,
                Task::Nightly => self.0.start_due_optimizations(running).await,
            }
        };
        tokio::select! {
            ended = work => ended,
            () = running.cancelled() => {
                self.0.close_run(running, OptimizationState::Cancelled, "it was cancelled").await?;
                Err(Failure::Stopped)
            }
        }
    }
}

/// A run that goes on.
struct UnderWay {
    optimization: Optimization,
    search: Search,
    run: Run,
    book: Book,
}

impl App {
    /// Step by step; each is stored before the next begins, so a run that is interrupted goes on where it was.
    async fn optimize_now(&self, running: &Running) -> Result<(), Failure> {
        let org = running.org();
        let (_, config) = self.config_in_force(org).await.map_err(|error| unavailable(&error))?;
        let found = self.store.optimization_of_job(org, running.lease.job).await?;
        let Some((optimization, run)) = found else {
            return Err(Failure::permanent("the run is gone: a user whom it replayed was erased"));
        };
        let world = match self.world(org, &config, running.lease.job, optimization.created_at).await {
            Ok(world) => world,
            Err(fault) => return Err(self.after_fault(running, &config, fault).await),
        };
        let mut under_way = match self.take_up(running, &config, optimization, run).await? {
            Ok(under_way) => under_way,
            Err(fault) => return Err(self.after_fault(running, &config, fault).await),
        };
        if let Err(fault) = self.step_by_step(running, &mut under_way, &world).await? {
            return Err(self.after_fault(running, &config, fault).await);
        }
        self.lift_stall(org).await;
        let UnderWay { optimization, run, book, .. } = under_way;
        self.end_run(running, optimization, &run, &book).await
    }

    /// The run as it stood after its last step, or a new one.
    async fn take_up(
        &self,
        running: &Running,
        config: &Config,
        optimization: Optimization,
        stored: Option<String>,
    ) -> Result<Result<UnderWay, Fault>, Failure> {
        let org = running.org();
        let search = match self.search_of(org, config, &optimization).await {
            Ok(search) => search,
            Err(fault) => return Ok(Err(fault)),
        };
        let run = match run_of(&optimization, &search, stored.as_deref()) {
            Ok(run) => run,
            Err(fault) => return Ok(Err(fault)),
        };
        let trials = self.store.optimization_trials(org, optimization.id).await?;
        let book = book_of(&run, trials);
        Ok(Ok(UnderWay { optimization, search, run, book }))
    }

    /// What a run replays, as it was when it was started.
    pub(super) async fn search_of(
        &self,
        org: &OrgId,
        config: &Config,
        run: &Optimization,
    ) -> Result<Search, Fault> {
        let failed = |error: crate::Error| Fault::Failed(error.to_string());
        let subject = match self.subject(org, run.target).await {
            Err(error @ crate::Error::NotFound { .. }) => return Err(Fault::Broken(error.to_string())),
            found => found.map_err(failed)?,
        };
        let (_, situations) = self.situations(org, sources_of(run)).await.map_err(failed)?;
        if situations.len() != run.body.windows.len() {
            return Err(Fault::Broken("turns that it replays were deleted; start it again".to_owned()));
        }
        let (incumbent, trigger) = (run.body.incumbent.clone(), run.body.trigger.clone());
        Ok(Search { incumbent, trigger, ..task_of(&subject, config, situations) })
    }

    async fn step_by_step(
        &self,
        running: &Running,
        under_way: &mut UnderWay,
        world: &dyn World,
    ) -> Result<Result<(), Fault>, Failure> {
        loop {
            let UnderWay { search, run, book, optimization } = under_way;
            let stepped = match run.step(search, book, world).await {
                Ok(stepped) => stepped,
                Err(fault) => return Ok(Err(fault)),
            };
            let step = stored_step(run, book, &stepped)?;
            self.store.advance_optimization(&running.lease, optimization.id, step, self.now()).await?;
            if stepped.done {
                return Ok(Ok(()));
            }
            if running.is_stopping() {
                return Err(Failure::Stopped);
            }
        }
    }

    /// What becomes of the job, and of the run if it cannot go on.
    pub(super) async fn after_fault(&self, running: &Running, config: &Config, fault: Fault) -> Failure {
        let reason = fault.to_string();
        match fault {
            Fault::Model(error) => self.failure(running.org(), LearnError::Model(error)).await,
            Fault::Failed(_) => Failure::retryable(reason),
            Fault::AssistantDown(_) => {
                let pause = i64::from(config.playbook_optimizer_config.cooldown_after_aborts_seconds);
                let not_before = Some(Timestamp(self.now().0.saturating_add(pause)));
                Failure::Retryable { reason, not_before }
            }
            Fault::Misconfigured(_) | Fault::Spent(_) | Fault::Broken(_) => {
                match self.close_run(running, OptimizationState::Failed, &reason).await {
                    Ok(()) => Failure::permanent(reason),
                    Err(failure) => failure,
                }
            }
        }
    }

    async fn close_run(&self, running: &Running, state: OptimizationState, why: &str) -> Result<(), Failure> {
        let org = running.org();
        if let Some((found, _)) = self.store.optimization_of_job(org, running.lease.job).await? {
            self.store.close_optimization(org, found.id, state, why, self.now()).await?;
        }
        Ok(())
    }
}

fn run_of(optimization: &Optimization, search: &Search, stored: Option<&str>) -> Result<Run, Fault> {
    let broken = |error: serde_json::Error| Fault::Broken(error.to_string());
    if let Some(stored) = stored {
        return serde_json::from_str(stored).map_err(broken);
    }
    let policy: Policy = serde_json::from_value(optimization.body.policy.clone()).map_err(broken)?;
    let split = Split::of(search.windows.len(), &policy).map_err(|error| Fault::Broken(error.to_string()))?;
    Run::new(search, split, policy)
}

fn book_of(run: &Run, trials: Vec<OptimizationTrial>) -> Book {
    let mut book = Book::default();
    for trial in trials {
        let (candidate, window) = (trial.candidate as usize, trial.window as usize);
        match (trial.judgement, run.wording(candidate)) {
            (Some(judgement), Some(wording)) => {
                book.note(Trial {
                    wording: wording.to_owned(),
                    window,
                    rollout: trial.candidate_rollout,
                    judgement,
                });
            }
            (None, _) => book.note_incumbent(window, trial.incumbent_rollout),
            (Some(_), None) => {}
        }
    }
    book
}

fn stored_step(run: &Run, book: &Book, stepped: &Stepped) -> Result<OptimizationStep, Failure> {
    let stored = serde_json::to_string(run).map_err(|error| Failure::permanent(error.to_string()))?;
    let incumbents = stepped.incumbents.iter().filter_map(|window| {
        Some(OptimizationTrial {
            candidate: 0,
            window: short(*window),
            incumbent_rollout: book.incumbent(*window)?.to_vec(),
            candidate_rollout: Vec::new(),
            judgement: None,
        })
    });
    let trials = stepped.trials.iter().filter_map(|(candidate, window)| {
        let trial = book.trial(run.wording(*candidate)?, *window)?;
        Some(OptimizationTrial {
            candidate: short(*candidate),
            window: short(*window),
            incumbent_rollout: Vec::new(),
            candidate_rollout: trial.rollout.clone(),
            judgement: Some(trial.judgement.clone()),
        })
    });
    let (done, total) = run.metric_calls();
    let candidates = run.candidates(book);
    let best = candidates.iter().filter_map(|candidate| candidate.mean).fold(0.0, f64::max);
    let message = format!("{} wordings tried, best score {best:.2}", candidates.len().saturating_sub(1));
    Ok(OptimizationStep {
        run: stored,
        trials: incumbents.chain(trials).collect(),
        candidates,
        events: stepped.events.clone(),
        progress: JobProgress { done, total: Some(total), message: Some(message) },
    })
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
