//! Runs that a person starts: the last window again, or everything anew.

use reflexio_learn::engine::Selection;
use reflexio_learn::{Policy, Wanted};
use reflexio_store::{JobFilter, Page, PublisherFilter, RunStart};
use reflexio_types::{
    Caller, Job, JobId, JobKind, JobState, Operation, OperationState, OrgId, RunId, RunKind, Scope, UserId,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::task::{self, RerunTask};
use crate::access::Access;
use crate::evaluation::REGENERATION;
use crate::runs::{Asked, of_job, scope_of};
use crate::{App, Result};

/// Among so many jobs that of the newest operation is found.
const RECENT_RERUNS: usize = 200;
const SERVICES: [&str; 2] = ["profile_generation", "playbook_generation"];

/// What became of a run that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Started {
    /// So many users are learned from now.
    Users(usize),
    /// In the background; what it changes can be undone as the run, if there is one.
    Operation { id: String, run: Option<RunId> },
    /// It did not start; why.
    Refused(String),
}

fn service(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Profiles => SERVICES[0],
        Wanted::Playbooks => SERVICES[1],
    }
}

impl App {
    /// Learns now from the last window of a user, or of all who match; the rows are CURRENT.
    pub async fn learn_now(
        &self,
        caller: &Caller,
        wanted: Wanted,
        user_id: Option<UserId>,
        which: Selection,
    ) -> Result<Started> {
        caller.needs(Scope::Write)?;
        let policy = Policy::of(&self.config_in_force(&caller.org).await?.1);
        if policy.manual(wanted).next().is_none() {
            let refused =
                "no extractor may be started by hand: set allow_manual_trigger in its configuration";
            return Ok(Started::Refused(refused.to_owned()));
        }
        let users = self.store.publishers(&caller.org, &publishers(user_id, &which)).await?;
        let jobs = users.iter().map(|user| task::last(user, &policy, wanted, &which));
        let jobs = jobs.collect::<Result<Vec<_>>>()?;
        self.store.enqueue(&caller.org, jobs, self.now()).await?;
        self.wake_workers();
        Ok(Started::Users(users.len()))
    }

    /// Learns anew from all that was published; the rows are PENDING and nothing in use changes.
    pub async fn rerun(
        &self,
        caller: &Caller,
        wanted: Wanted,
        user_id: Option<UserId>,
        which: Selection,
    ) -> Result<Started> {
        caller.needs(Scope::Write)?;
        let service = service(wanted);
        let running = self.current_operation(&caller.org, service).await?;
        if running.is_some_and(|operation| operation.state == OperationState::InProgress) {
            return Ok(Started::Refused("Another generation attempt is already in progress".to_owned()));
        }
        let policy = Policy::of(&self.config_in_force(&caller.org).await?.1);
        let users = self.store.publishers(&caller.org, &publishers(user_id.clone(), &which)).await?;
        let operation_id = format!("{service}-{}", Uuid::now_v7());
        let asked_by = caller.actor().map(str::to_owned);
        let task = RerunTask { operation_id: operation_id.clone(), wanted, user_id, which, policy, asked_by };
        let mut operation = self.new_operation(service, &task, users.len());
        if users.is_empty() {
            operation.state = OperationState::Failed;
            operation.completed_at = Some(operation.started_at);
            operation.error_message = Some("No interactions found matching the specified filters".to_owned());
            self.store.put_operation(&caller.org, &operation).await?;
            return Ok(Started::Operation { id: operation_id, run: None });
        }
        self.store.put_operation(&caller.org, &operation).await?;
        let queued = self.store.enqueue(&caller.org, vec![task::rerun(&task, service)?], self.now()).await?;
        self.wake_workers();
        let run = queued.first().map(|queued| RunId::new(queued.id().run()));
        Ok(Started::Operation { id: operation_id, run })
    }

    fn new_operation(&self, service: &str, task: &RerunTask, users: usize) -> Operation {
        let which = &task.which;
        let given = [
            ("operation_id", json!(task.operation_id)),
            ("user_id", json!(task.user_id)),
            ("agent_version", json!(which.agent_version)),
            ("source", json!(which.source)),
            ("start_time", json!(which.start)),
            ("end_time", json!(which.end)),
        ];
        Operation {
            id: task.operation_id.clone(),
            service_name: service.to_owned(),
            state: OperationState::InProgress,
            started_at: self.now(),
            completed_at: None,
            total_users: users as u64,
            processed_user_ids: Vec::new(),
            failed_user_ids: Vec::new(),
            current_user_id: None,
            request_params: given.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            stats: Map::new(),
            error_message: None,
        }
    }

    /// The newest operation of a service, if there ever was one.
    pub async fn operation(&self, caller: &Caller, service_name: &str) -> Result<Option<Operation>> {
        caller.needs(Scope::Read)?;
        self.current_operation(&caller.org, service_name).await
    }

    /// Asks the reruns that go on to stop; says of which services.
    pub async fn cancel_operations(&self, caller: &Caller, service: Option<&str>) -> Result<Vec<String>> {
        caller.needs(Scope::Write)?;
        let mut cancelled = Vec::new();
        for name in SERVICES.into_iter().filter(|name| service.is_none_or(|service| service == *name)) {
            let operation = self.current_operation(&caller.org, name).await?;
            let Some(operation) = operation.filter(|one| one.state == OperationState::InProgress) else {
                continue;
            };
            if let Some(job) = self.job_of(&caller.org, &operation).await? {
                self.store.cancel_job(&caller.org, job.id, self.now()).await?;
                cancelled.push(name.to_owned());
            }
        }
        Ok(cancelled)
    }

    async fn current_operation(&self, org: &OrgId, service: &str) -> Result<Option<Operation>> {
        match self.store.operation(org, service).await? {
            Some(operation) => self.as_it_stands(org, operation).await.map(Some),
            None => Ok(None),
        }
    }

    /// An operation whose job came to another end has come to it, too.
    pub(crate) async fn as_it_stands(&self, org: &OrgId, mut operation: Operation) -> Result<Operation> {
        if operation.state != OperationState::InProgress {
            return Ok(operation);
        }
        let job = self.job_of(org, &operation).await?;
        let ended = match job.as_ref().map(|job| job.state) {
            Some(JobState::Running) if job.as_ref().is_some_and(|job| job.cancel_asked) => {
                Some((OperationState::Cancelled, None))
            }
            Some(JobState::Queued | JobState::Running | JobState::Done) => None,
            Some(JobState::Cancelled) => Some((OperationState::Cancelled, None)),
            Some(JobState::Dead) => {
                Some((OperationState::Failed, job.as_ref().and_then(|job| job.last_error.clone())))
            }
            // It is queued right after the operation is stored.
            None if operation.started_at.0 + 60 > self.now().0 => None,
            None => Some((OperationState::Failed, Some("the server stopped before it began".to_owned()))),
        };
        if let Some((state, message)) = ended {
            operation.state = state;
            operation.error_message = message;
            operation.completed_at = job.and_then(|job| job.finished_at).or_else(|| Some(self.now()));
        }
        Ok(operation)
    }

    pub(crate) async fn job_of(&self, org: &OrgId, operation: &Operation) -> Result<Option<Job>> {
        let kind = if operation.service_name == REGENERATION { JobKind::Regenerate } else { JobKind::Rerun };
        let filter = JobFilter { kind: Some(kind.as_str().to_owned()), ..JobFilter::default() };
        let (jobs, _) = self.store.jobs(org, &filter, Page::first(RECENT_RERUNS)).await?;
        let of_operation =
            |job: &Job| job.payload.get("operation_id").and_then(Value::as_str) == Some(&operation.id);
        Ok(jobs.into_iter().find(of_operation))
    }

    pub(crate) fn wake_workers(&self) {
        if let Some(handle) = self.learning.handle.get() {
            handle.wake();
        }
    }
}

fn publishers(user_id: Option<UserId>, which: &Selection) -> PublisherFilter {
    PublisherFilter {
        user_id,
        agent_version: which.agent_version.clone(),
        source: which.source.clone(),
        time: which.time(),
    }
}

impl RerunTask {
    pub(super) fn run(&self, job: JobId) -> RunStart {
        let what = match self.wanted {
            Wanted::Profiles => "profiles",
            Wanted::Playbooks => "user playbooks",
        };
        let user = self.user_id.as_ref().map(UserId::as_str);
        let parts = [
            ("user", user),
            ("version", self.which.agent_version.as_deref()),
            ("source", self.which.source.as_deref()),
        ];
        let asked = Asked::By(self.asked_by.clone());
        let run = of_job(job, RunKind::Rerun, scope_of(what, &parts), asked);
        RunStart { user_id: self.user_id.clone(), ..run }
    }

    pub(super) fn service(&self) -> &'static str {
        service(self.wanted)
    }

    pub(super) fn publishers(&self) -> PublisherFilter {
        publishers(self.user_id.clone(), &self.which)
    }
}
