//! How much an agent playbook helps: the same conversations with and without it.

use std::collections::BTreeMap;

use reflexio_jobs::{Failure, Running};
use reflexio_optimize::{Lift, measure};
use reflexio_store::{OptimizationEnd, OptimizationFilter, Page};
use reflexio_types::{
    AgentPlaybookId, Caller, Optimization, OptimizationBody, OptimizationId, OptimizationPurpose,
    OptimizationState, OptimizationTarget, OrgId, Scope, SourceWindow, Status, WindowRole,
};
use serde_json::json;

use super::commit::run_of;
use super::plan::{Subject, task_of};
use super::{sources_of, task};
use crate::access::Access;
use crate::learning::unavailable;
use crate::{App, Error, Result};

/// More situations cost more than they tell.
const MOST_WINDOWS: usize = 10;

/// A measurement and what it came to, once it is over.
#[derive(Debug, Clone, PartialEq)]
pub struct LiftRun {
    pub run: Optimization,
    pub lift: Option<Lift>,
}

impl LiftRun {
    fn of(run: Optimization) -> Self {
        let lift = run.body.report.clone().and_then(|report| serde_json::from_value(report).ok());
        Self { run, lift }
    }
}

/// The latest measurement of each rule: its words, and what they were worth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lifts(BTreeMap<AgentPlaybookId, (String, f64)>);

impl Lifts {
    /// Only a rule that was found to help may be approved, in the words it was measured in.
    pub(crate) fn check(&self, id: AgentPlaybookId, content: &str) -> Result<()> {
        let why = match self.0.get(&id) {
            None => "cannot be approved before its lift was measured".to_owned(),
            Some((words, _)) if words != content => "was edited after its lift was measured".to_owned(),
            Some((_, lift)) if *lift <= 0.0 => {
                format!("has a lift of {lift:.2}, and an approval needs more than 0")
            }
            Some(_) => return Ok(()),
        };
        Err(Error::NoLift(format!(
            "agent playbook {id} {why}; measure it: reflexio agent-playbooks lift {id}"
        )))
    }
}

impl App {
    /// Begins to measure how much an agent playbook helps.
    pub async fn measure_lift(&self, caller: &Caller, id: AgentPlaybookId) -> Result<LiftRun> {
        caller.needs(Scope::Write)?;
        let org = &caller.org;
        let target = OptimizationTarget::AgentPlaybook(id);
        if let Some(before) = self.latest_lift(org, id).await? {
            // One whose job died long ago does not stand in the way.
            self.optimization_as_it_stands(org, before).await?;
        }
        let run = self.plan_lift(org, target).await?;
        let started = self.store.start_optimization(org, run, task::lift(target)?).await?;
        self.wake_workers();
        Ok(LiftRun::of(started))
    }

    /// The latest measurement.
    pub async fn lift(&self, caller: &Caller, id: AgentPlaybookId) -> Result<LiftRun> {
        caller.needs(Scope::Read)?;
        let found = self.latest_lift(&caller.org, id).await?;
        let found = found.ok_or_else(|| Error::not_found("lift of agent playbook", &id))?;
        Ok(LiftRun::of(self.optimization_as_it_stands(&caller.org, found).await?))
    }

    async fn latest_lift(&self, org: &OrgId, id: AgentPlaybookId) -> Result<Option<Optimization>> {
        let filter = OptimizationFilter {
            purpose: Some(OptimizationPurpose::Lift),
            target: Some(OptimizationTarget::AgentPlaybook(id)),
            state: None,
        };
        Ok(self.store.optimizations(org, &filter, Page::first(1)).await?.0.pop())
    }

    /// What the rules of an org were found to be worth.
    pub(crate) async fn lifts(&self, org: &OrgId) -> Result<Lifts> {
        let filter =
            OptimizationFilter { purpose: Some(OptimizationPurpose::Lift), ..OptimizationFilter::default() };
        let (runs, _) = self.store.optimizations(org, &filter, Page::first(usize::MAX)).await?;
        let mut lifts = BTreeMap::new();
        // The newest first, so the first one of a rule counts.
        for run in runs {
            let (target, measured) = (run.target, LiftRun::of(run));
            if let (OptimizationTarget::AgentPlaybook(id), Some(lift)) = (target, measured.lift) {
                lifts.entry(id).or_insert((measured.run.body.incumbent, lift.lift));
            }
        }
        Ok(Lifts(lifts))
    }

    async fn plan_lift(&self, org: &OrgId, target: OptimizationTarget) -> Result<Optimization> {
        let (_, config) = self.config_in_force(org).await?;
        let refused = |error: &dyn std::fmt::Display| Error::NotOptimizable(error.to_string());
        self.can_replay(org, &config).await.map_err(|fault| refused(&fault))?;
        let subject = self.subject(org, target).await?;
        let in_use = matches!(&subject, Subject::Agent(rule) if rule.status == Status::Current);
        if !in_use {
            return Err(Error::NotOptimizable(format!("playbook {} is not in use any more", target.id())));
        }
        let mut sources = self.held_out(org, target, &subject).await?;
        sources.truncate(MOST_WINDOWS);
        let (mut windows, situations) = self.situations(org, sources).await?;
        if windows.is_empty() {
            return Err(refused(&"none of its source windows has a turn of a user to replay"));
        }
        windows.iter_mut().for_each(|window| window.role = WindowRole::Validation);
        let search = task_of(&subject, &config, situations);
        Ok(Optimization {
            id: OptimizationId(0),
            purpose: OptimizationPurpose::Lift,
            target,
            state: OptimizationState::Queued,
            job_id: None,
            successor: None,
            created_at: self.now(),
            finished_at: None,
            body: OptimizationBody {
                incumbent: search.incumbent,
                trigger: search.trigger,
                policy: json!({"max_turns": config.playbook_optimizer_config.max_turns}),
                estimate: json!({}),
                warnings: Vec::new(),
                decision: None,
                report: None,
                windows,
            },
        })
    }

    /// The windows that the wording was not trained on: of an optimised one those that were held out, of another one all.
    async fn held_out(
        &self,
        org: &OrgId,
        target: OptimizationTarget,
        subject: &Subject,
    ) -> Result<Vec<SourceWindow>> {
        let filter = OptimizationFilter {
            purpose: Some(OptimizationPurpose::Wording),
            target: None,
            state: Some(OptimizationState::Committed),
        };
        let (runs, _) = self.store.optimizations(org, &filter, Page::first(1_000)).await?;
        let maker = runs.into_iter().find(|run| run.successor == Some(target));
        match maker {
            Some(mut run) => {
                run.body.windows.retain(|window| window.role != WindowRole::Train);
                Ok(sources_of(&run))
            }
            None => self.source_windows(org, subject).await,
        }
    }

    /// Measures all windows; an attempt that comes back is not asked again what was answered before.
    pub(super) async fn lift_now(&self, running: &Running) -> Result<(), Failure> {
        let org = running.org();
        let (_, config) = self.config_in_force(org).await.map_err(|error| unavailable(&error))?;
        let Some((run, _)) = self.store.optimization_of_job(org, running.lease.job).await? else {
            return Err(Failure::permanent("the measurement is gone: a user whom it replays was erased"));
        };
        let measured = async {
            let world = self.world(org, &config, running.lease.job, run.created_at).await?;
            let search = self.search_of(org, &config, &run).await?;
            let turns = config.playbook_optimizer_config.max_turns as usize;
            let windows: Vec<usize> = (0..search.windows.len()).collect();
            measure(&search, &windows, turns, &world).await
        };
        let lift = match measured.await {
            Ok(lift) => lift,
            Err(fault) => return Err(self.after_fault(running, &config, fault).await),
        };
        let broken = |error: serde_json::Error| Failure::permanent(error.to_string());
        let mut body = run.body.clone();
        body.decision = Some(words(&lift));
        body.report = Some(serde_json::to_value(&lift).map_err(broken)?);
        let state =
            if lift.windows.is_empty() { OptimizationState::Failed } else { OptimizationState::Unchanged };
        let run_start = run_of(running, &run);
        let end = OptimizationEnd { state, body, candidates: Vec::new(), successor: None, run: run_start };
        self.store.end_optimization(&running.lease, run.id, end, self.now()).await?;
        Ok(())
    }
}

fn words(lift: &Lift) -> String {
    let windows = lift.windows.len();
    match (windows, lift.interval) {
        (0, _) => "no window could be replayed and judged".to_owned(),
        (_, Some((low, high))) => {
            format!("lift {:.2} over {windows} windows, between {low:.2} and {high:.2} with 95 %", lift.lift)
        }
        (_, None) => format!("lift {:.2} in one window, which says little", lift.lift),
    }
}
