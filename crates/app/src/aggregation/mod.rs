//! Agent playbooks out of user playbooks, as a use case: when, for which type and version, and what people see of it. How
//! members are found and worded is in `reflexio_cluster` and `reflexio_learn::aggregate`.

mod handler;
mod proposals;

use std::time::{Duration, Instant};

use reflexio_jobs::Waited;
use reflexio_learn::aggregate::{self, Task};
use reflexio_store::AggregationScope;
use reflexio_types::{Caller, Job, JobState, RunId, Scope};

pub(crate) use handler::Aggregator;
pub(crate) use proposals::Standing;

use crate::access::Access;
use crate::{App, Result};

/// Somebody waits at the other end of a connection.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What came of an aggregation that somebody asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AggregationOutcome {
    pub clusters_found: u64,
    pub playbooks_generated: u64,
    pub message: String,
    /// Otherwise it goes on, or failed; `message` says why.
    pub finished: bool,
    /// As which what it changed can be undone: one for each type and version in which something changed.
    pub runs: Vec<RunId>,
}

impl App {
    /// Aggregates now. Without a name, all types of the version.
    pub async fn aggregate(
        &self,
        caller: &Caller,
        agent_version: Option<&str>,
        playbook_name: Option<&str>,
    ) -> Result<AggregationOutcome> {
        caller.needs(Scope::Write)?;
        let scopes = self.store.aggregation_scopes(&caller.org).await?;
        let wanted = |scope: &&AggregationScope| {
            agent_version.is_none_or(|version| version == scope.agent_version)
                && playbook_name.is_none_or(|name| name == scope.playbook_name)
        };
        let mut total = AggregationOutcome { finished: true, ..AggregationOutcome::default() };
        let mut messages = Vec::new();
        for scope in scopes.iter().filter(wanted) {
            let outcome = self.aggregate_scope(caller, scope).await?;
            total.clusters_found += outcome.clusters_found;
            total.playbooks_generated += outcome.playbooks_generated;
            total.finished &= outcome.finished;
            total.runs.extend(outcome.runs);
            messages.push(format!("{} ({}): {}", scope.playbook_name, scope.agent_version, outcome.message));
        }
        total.message = match messages.is_empty() {
            true => "no user playbooks of this type and version are in use".to_owned(),
            false => messages.join("; "),
        };
        Ok(total)
    }

    async fn aggregate_scope(&self, caller: &Caller, scope: &AggregationScope) -> Result<AggregationOutcome> {
        let Some(handle) = self.learning.handle.get() else {
            let message = "no workers run on this server (--learning-workers 0)".to_owned();
            return Ok(AggregationOutcome { message, ..AggregationOutcome::default() });
        };
        let task = Task {
            agent_version: scope.agent_version.clone(),
            playbook_name: scope.playbook_name.clone(),
            forced: true,
            asked_by: caller.actor().map(str::to_owned),
        };
        let queued = self.store.enqueue(&caller.org, vec![aggregate::job(&task)], self.now()).await?;
        self.wake_workers();
        let Some(job) = queued.first().map(|queued| queued.id()) else {
            return Ok(AggregationOutcome::default());
        };
        let deadline = Instant::now() + LONGEST_WAIT;
        loop {
            match handle.wait(&caller.org, job, LOOK_EVERY).await? {
                Waited::Over(job) => {
                    let run = self.store.run(&caller.org, &RunId::new(job.id.run())).await?;
                    let runs = run.into_iter().map(|run| run.id).collect();
                    return Ok(AggregationOutcome { runs, ..outcome(&job) });
                }
                Waited::StillGoing(job) if Instant::now() >= deadline => {
                    let message = "it goes on in the background, see its job".to_owned();
                    return Ok(AggregationOutcome { message, finished: false, ..outcome(&job) });
                }
                Waited::StillGoing(job) if self.store.stall(&caller.org).await?.is_some() => {
                    let message = "learning is paused, see /stall_state".to_owned();
                    return Ok(AggregationOutcome { message, finished: false, ..outcome(&job) });
                }
                Waited::StillGoing(_) => {}
                Waited::Gone => return Ok(AggregationOutcome::default()),
            }
        }
    }
}

fn outcome(job: &Job) -> AggregationOutcome {
    let progress = job.progress.clone().unwrap_or_default();
    let message = progress.message.or_else(|| job.last_error.clone()).unwrap_or_default();
    AggregationOutcome {
        clusters_found: progress.total.unwrap_or_default(),
        playbooks_generated: progress.done,
        message,
        finished: job.state == JobState::Done,
        runs: Vec::new(),
    }
}
