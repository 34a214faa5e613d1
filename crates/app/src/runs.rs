//! Operations that changed learned rows: what they changed, what they cost, and taking them back.

use reflexio_store::{Page, RunFilter, RunStart, Undone};
use reflexio_types::{
    Caller, JobId, OrgId, Run, RunChange, RunId, RunKind, Scope, Timestamp, UndoPlan, UserId,
};

use crate::access::Access;
use crate::{App, Error, Result, ids, upkeep};

const SECONDS_PER_DAY: i64 = 86_400;

/// A run and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    pub run: Run,
    /// In millionths of a US dollar, as far as its calls of models are kept one by one; none if it asked no model.
    pub cost_micros: Option<u64>,
}

/// A run with what it changed.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDetail {
    pub report: RunReport,
    pub changes: Vec<RunChange>,
    pub has_more: bool,
}

/// What an operation did, and the run as which it can be undone, unless it changed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsRun<T> {
    pub done: T,
    pub run: Option<RunId>,
}

impl App {
    /// Latest first; also says whether there are more.
    pub async fn runs(
        &self,
        caller: &Caller,
        filter: &RunFilter,
        page: Page,
    ) -> Result<(Vec<RunReport>, bool)> {
        caller.needs(Scope::Read)?;
        let (runs, has_more) = self.store.runs(&caller.org, filter, page).await?;
        let mut reports = Vec::with_capacity(runs.len());
        for run in runs {
            reports.push(self.with_cost(&caller.org, run).await?);
        }
        Ok((reports, has_more))
    }

    pub async fn run(&self, caller: &Caller, id: &RunId, page: Page) -> Result<RunDetail> {
        caller.needs(Scope::Read)?;
        let run = self.store.run(&caller.org, id).await?.ok_or_else(|| Error::not_found("run", id))?;
        let (changes, has_more) = self.store.run_changes(&caller.org, id, page).await?;
        Ok(RunDetail { report: self.with_cost(&caller.org, run).await?, changes, has_more })
    }

    /// What undoing a run would do, or why it cannot be undone.
    pub async fn undo_plan(&self, caller: &Caller, id: &RunId) -> Result<UndoPlan> {
        caller.needs(Scope::Read)?;
        self.store.undo_plan(&caller.org, id).await?.ok_or_else(|| Error::not_found("run", id))
    }

    /// Puts every row of a run back as it was before; answers the run that did it, which can be undone, too. Where rules
    /// that are in production would change, it needs the scope of a reviewer.
    pub async fn undo_run(&self, caller: &Caller, id: &RunId) -> Result<Run> {
        caller.needs(Scope::Write)?;
        if self.undo_plan(caller, id).await?.touches_approved {
            caller.needs(Scope::Review)?;
        }
        let undo = started_by(caller, RunKind::Undo, format!("undo of {id}"));
        match self.store.undo_run(&caller.org, id, &undo, self.now()).await? {
            Undone::Done(run) => {
                self.embeddings.wake();
                Ok(run)
            }
            Undone::Refused(refusal) => Err(Error::NotUndone { run: id.clone(), refusal: Box::new(refusal) }),
            Undone::Unknown => Err(Error::not_found("run", id)),
        }
    }

    async fn with_cost(&self, org: &OrgId, run: Run) -> Result<RunReport> {
        let cost_micros = match run.job {
            Some(job) => Some(self.store.spent_by_run(org, &job.run()).await?),
            None => None,
        };
        Ok(RunReport { run, cost_micros })
    }

    /// Forgets what runs changed so many days ago; that they were stays.
    pub(crate) async fn forget_old_changes(&self, days: u32) {
        let before = Timestamp(self.now().0 - i64::from(days) * SECONDS_PER_DAY);
        upkeep::forget("changes of runs", |most| self.store.forget_run_changes(before, most)).await;
    }
}

/// A run that somebody asked for and that is over when they are answered.
pub(crate) fn started_by(caller: &Caller, kind: RunKind, scope: String) -> RunStart {
    RunStart {
        id: ids::run_id(kind),
        kind,
        actor: caller.actor().map(str::to_owned),
        automatic: false,
        job: None,
        scope,
        user_id: None,
    }
}

/// A run of somebody who works on the file itself.
pub fn import_run(scope: String) -> RunStart {
    started_by(&Caller::local(), RunKind::Import, scope)
}

/// A run that is a job; its id is the one that the books of costs have.
pub(crate) fn of_job(job: JobId, kind: RunKind, scope: String, asked: Asked) -> RunStart {
    let (actor, automatic) = match asked {
        Asked::By(actor) => (actor, false),
        Asked::ByNobody => (None, true),
    };
    RunStart { id: RunId::new(job.run()), kind, actor, automatic, job: Some(job), scope, user_id: None }
}

/// Who asked for a job.
pub(crate) enum Asked {
    /// The key, if there is one.
    By(Option<String>),
    ByNobody,
}

/// `user playbooks of version v1, type general`.
pub(crate) fn scope_of(what: &str, parts: &[(&str, Option<&str>)]) -> String {
    let given: Vec<String> =
        parts.iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}"))).collect();
    if given.is_empty() { format!("all {what}") } else { format!("{what} of {}", given.join(", ")) }
}

/// A run about the profiles of one user or of all.
pub(crate) fn about_profiles(caller: &Caller, kind: RunKind, user_id: Option<&UserId>) -> RunStart {
    let scope = scope_of("profiles", &[("user", user_id.map(UserId::as_str))]);
    RunStart { user_id: user_id.cloned(), ..started_by(caller, kind, scope) }
}
