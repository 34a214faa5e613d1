//! Better wording for playbooks: what may be optimised, the runs and what came of them. How is in `reflexio_optimize`.

mod assistant;
mod backend;
mod commit;
mod handler;
mod lift;
mod plan;
mod schedule;
mod task;
mod world;

use reflexio_optimize::Estimate;
use reflexio_store::{OptimizationFilter, Page};
use reflexio_types::{
    Caller, Job, JobState, Optimization, OptimizationCandidate, OptimizationEvent, OptimizationId,
    OptimizationPurpose, OptimizationState, OptimizationTarget, OptimizationTrial, OptimizationWindow, OrgId,
    Scope, SourceWindow,
};

pub(crate) use handler::Optimizer;
pub use lift::LiftRun;
pub(crate) use lift::Lifts;

use crate::access::Access;
use crate::{App, Error, Result};

/// A page of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimizationPage {
    pub optimizations: Vec<Optimization>,
    pub has_more: bool,
}

/// A run with everything that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimizationDetail {
    pub optimization: Optimization,
    pub candidates: Vec<OptimizationCandidate>,
    /// The conversations, both of each pair, and what the judge thinks of them.
    pub trials: Vec<OptimizationTrial>,
    /// While it is under way.
    pub job: Option<Job>,
}

/// What a run would do and cost.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimizationPlan {
    pub target: OptimizationTarget,
    pub windows: Vec<OptimizationWindow>,
    pub estimate: Estimate,
}

impl App {
    /// What optimising a playbook would cost at most; nothing is started.
    pub async fn plan_optimization(
        &self,
        caller: &Caller,
        target: OptimizationTarget,
    ) -> Result<OptimizationPlan> {
        caller.needs(Scope::Read)?;
        let plan = self.plan(&caller.org, target).await?;
        Ok(OptimizationPlan { target, windows: plan.windows, estimate: plan.estimate })
    }

    /// Begins to look for a better wording.
    pub async fn optimize(&self, caller: &Caller, target: OptimizationTarget) -> Result<Optimization> {
        caller.needs(Scope::Write)?;
        self.start_optimization(&caller.org, target).await
    }

    async fn start_optimization(&self, org: &OrgId, target: OptimizationTarget) -> Result<Optimization> {
        let plan = self.plan(org, target).await?;
        let open = OptimizationFilter { target: Some(target), ..wordings() };
        let (before, _) = self.store.optimizations(org, &open, Page::first(1)).await?;
        if let Some(before) = before.into_iter().next() {
            // One whose job died long ago does not stand in the way.
            self.optimization_as_it_stands(org, before).await?;
        }
        let job = task::job(target)?;
        let started = self.store.start_optimization(org, plan.into_optimization(self.now())?, job).await?;
        self.wake_workers();
        Ok(started)
    }

    /// The newest first.
    pub async fn optimizations(
        &self,
        caller: &Caller,
        filter: &OptimizationFilter,
        page: Page,
    ) -> Result<OptimizationPage> {
        caller.needs(Scope::Read)?;
        let filter = OptimizationFilter { purpose: wordings().purpose, ..filter.clone() };
        let (found, has_more) = self.store.optimizations(&caller.org, &filter, page).await?;
        let mut optimizations = Vec::with_capacity(found.len());
        for one in found {
            optimizations.push(self.optimization_as_it_stands(&caller.org, one).await?);
        }
        Ok(OptimizationPage { optimizations, has_more })
    }

    pub async fn optimization(&self, caller: &Caller, id: OptimizationId) -> Result<OptimizationDetail> {
        caller.needs(Scope::Read)?;
        let optimization = self.stored_optimization(&caller.org, id).await?;
        let candidates = self.store.optimization_candidates(&caller.org, id).await?;
        let trials = with_incumbents(self.store.optimization_trials(&caller.org, id).await?);
        let job = match optimization.job_id.filter(|_| !optimization.state.is_over()) {
            Some(job) => self.store.job(&caller.org, job).await?,
            None => None,
        };
        Ok(OptimizationDetail { optimization, candidates, trials, job })
    }

    /// What happened in a run, from the event after `after` on.
    pub async fn optimization_events(
        &self,
        caller: &Caller,
        id: OptimizationId,
        after: u64,
        limit: usize,
    ) -> Result<(OptimizationState, Vec<OptimizationEvent>)> {
        caller.needs(Scope::Read)?;
        let state = self.stored_optimization(&caller.org, id).await?.state;
        Ok((state, self.store.optimization_events(&caller.org, id, after, limit).await?))
    }

    /// Asks a run to stop; what was tried stays to be seen. One that is over stays as it is.
    pub async fn cancel_optimization(&self, caller: &Caller, id: OptimizationId) -> Result<Optimization> {
        caller.needs(Scope::Write)?;
        let found = self.stored_optimization(&caller.org, id).await?;
        if let Some(job) = found.job_id.filter(|_| !found.state.is_over()) {
            self.store.cancel_job(&caller.org, job, self.now()).await?;
        }
        self.stored_optimization(&caller.org, id).await
    }

    async fn stored_optimization(&self, org: &OrgId, id: OptimizationId) -> Result<Optimization> {
        let found = self.store.optimization(org, id).await?;
        let found = found.ok_or_else(|| Error::not_found("optimization", &id))?;
        self.optimization_as_it_stands(org, found).await
    }

    /// A run is over when its job is, however that came about.
    async fn optimization_as_it_stands(&self, org: &OrgId, found: Optimization) -> Result<Optimization> {
        let Some(job) = found.job_id.filter(|_| !found.state.is_over()) else { return Ok(found) };
        let job = self.store.job(org, job).await?;
        let (state, decision) = match job.map(|job| (job.state, job.last_error)) {
            Some((JobState::Queued | JobState::Running, _)) => return Ok(found),
            Some((JobState::Cancelled, _)) => (OptimizationState::Cancelled, "it was cancelled".to_owned()),
            Some((JobState::Dead | JobState::Done, error)) => {
                (OptimizationState::Failed, error.unwrap_or_else(|| "its job came to nothing".to_owned()))
            }
            None => (OptimizationState::Failed, "its job is gone".to_owned()),
        };
        let closed = self.store.close_optimization(org, found.id, state, &decision, self.now()).await?;
        closed.ok_or_else(|| Error::not_found("optimization", &found.id))
    }
}

/// Runs that look for better wordings.
fn wordings() -> OptimizationFilter {
    OptimizationFilter { purpose: Some(OptimizationPurpose::Wording), ..OptimizationFilter::default() }
}

fn sources_of(run: &Optimization) -> Vec<SourceWindow> {
    let source = |window: &OptimizationWindow| SourceWindow {
        user_playbook_id: window.user_playbook_id,
        request_id: window.request_id.clone(),
        interaction_ids: window.interaction_ids.clone(),
    };
    run.body.windows.iter().map(source).collect()
}

/// The conversations under the wording that was there are stored once, and belong to every trial of their window.
fn with_incumbents(mut trials: Vec<OptimizationTrial>) -> Vec<OptimizationTrial> {
    let incumbents: Vec<(u32, _)> = trials
        .iter()
        .filter(|trial| trial.candidate == 0)
        .map(|trial| (trial.window, trial.incumbent_rollout.clone()))
        .collect();
    for trial in &mut trials {
        if let Some((_, rollout)) = incumbents.iter().find(|(window, _)| *window == trial.window) {
            trial.incumbent_rollout.clone_from(rollout);
        }
    }
    trials
}
