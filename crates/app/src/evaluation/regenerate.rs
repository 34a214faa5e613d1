//! Judging a sample of past sessions anew: as a job that survives a restart, with its progress as an operation.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use reflexio_evaluate::Policy;
use reflexio_evaluate::sampling::{Asked, stratified};
use reflexio_evaluate::session::Judge;
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_learn::engine::Error as JudgeError;
use reflexio_store::{EvaluationFilter, JobEnd, JudgedBy, Judgement, SessionRef};
use reflexio_types::{
    Caller, JobProgress, Operation, OperationState, OrgId, Scope, SessionId, TimeRange, Timestamp, UserId,
};
use serde_json::{Map, Value, json};

use super::judging::Occasion;
use super::task::{RegenerateTask, draw, regenerate};
use crate::access::Access;
use crate::learning::payload;
use crate::{App, Error, Result, ids};

pub(crate) const REGENERATION: &str = "evaluation_regeneration";
/// More failures are only counted.
const MOST_LISTED: usize = 100;

/// How far a regeneration is.
#[derive(Debug, Clone, PartialEq)]
pub struct Regeneration {
    pub id: String,
    pub state: OperationState,
    /// Sessions to judge.
    pub total: u64,
    pub completed: u64,
    pub failed: u64,
    /// Session and reason; at most a hundred.
    pub failures: Vec<(String, String)>,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// Sessions of that time, of which a sample is judged.
    pub candidates: u64,
    pub concurrency: u64,
}

impl App {
    /// Begins to judge sessions with requests in a time anew.
    pub async fn regenerate(&self, caller: &Caller, from: Timestamp, to: Timestamp) -> Result<Regeneration> {
        caller.needs(Scope::Write)?;
        let org = &caller.org;
        let (_, config) = self.config_in_force(org).await?;
        let policy = Policy::of(&config).ok_or(Error::NotConfigured("agent_success_config"))?;
        let task = RegenerateTask {
            operation_id: ids::regeneration_id(),
            from,
            to,
            most_per_stratum: config.eval_sample_n_per_stratum as usize,
            concurrency: config.eval_concurrency_limit.max(1) as usize,
            policy,
        };
        let (candidates, sample) = self.sample(org, &task).await?;
        let mut operation = self.regeneration_of(&task, candidates, sample.len());
        if sample.is_empty() {
            operation.state = OperationState::Completed;
            operation.completed_at = Some(operation.started_at);
        }
        self.store.put_operation(org, &operation).await?;
        if !sample.is_empty() {
            self.store.enqueue(org, vec![regenerate(&task)?], self.now()).await?;
            self.wake_workers();
        }
        Ok(Regeneration::of(operation))
    }

    pub async fn regeneration(&self, caller: &Caller, id: &str) -> Result<Regeneration> {
        caller.needs(Scope::Read)?;
        Ok(Regeneration::of(self.stored_regeneration(&caller.org, id).await?))
    }

    /// Asks it to stop; what was judged stays. One that is over stays as it is.
    pub async fn cancel_regeneration(&self, caller: &Caller, id: &str) -> Result<Regeneration> {
        caller.needs(Scope::Write)?;
        let mut operation = self.stored_regeneration(&caller.org, id).await?;
        if operation.state == OperationState::InProgress
            && let Some(job) = self.job_of(&caller.org, &operation).await?
        {
            self.store.cancel_job(&caller.org, job.id, self.now()).await?;
            operation = self.stored_regeneration(&caller.org, id).await?;
        }
        Ok(Regeneration::of(operation))
    }

    async fn stored_regeneration(&self, org: &OrgId, id: &str) -> Result<Operation> {
        let found = self.store.operation_by_id(org, id).await?;
        let found = found.filter(|operation| operation.service_name == REGENERATION);
        let operation = found.ok_or_else(|| Error::not_found("evaluation job", &id))?;
        self.as_it_stands(org, operation).await
    }

    /// How many sessions there are, and those of them that are judged: always the same ones.
    async fn sample(
        &self,
        org: &OrgId,
        task: &RegenerateTask,
    ) -> Result<(usize, Vec<SessionRef>), reflexio_store::Error> {
        let time = TimeRange { start: Some(task.from), end: Some(task.to) };
        let sessions = self.store.sessions_within(org, time).await?;
        let count = sessions.len();
        let stratum = |one: &SessionRef| (one.last_at.0.div_euclid(86_400), one.agent_version.clone());
        let draw = |one: &SessionRef| draw(org, &one.user_id, &one.session_id);
        Ok((count, stratified(sessions, task.most_per_stratum, stratum, draw)))
    }

    fn regeneration_of(&self, task: &RegenerateTask, candidates: usize, sampled: usize) -> Operation {
        let given = [("from_ts", json!(task.from)), ("to_ts", json!(task.to))];
        let stats =
            [("total_candidates", candidates), ("sampled_count", sampled), ("concurrency", task.concurrency)];
        Operation {
            id: task.operation_id.clone(),
            service_name: REGENERATION.to_owned(),
            state: OperationState::InProgress,
            started_at: self.now(),
            completed_at: None,
            total_users: sampled as u64,
            processed_user_ids: Vec::new(),
            failed_user_ids: Vec::new(),
            current_user_id: None,
            request_params: given.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            stats: stats.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect(),
            error_message: None,
        }
    }
}

impl Regeneration {
    fn of(operation: Operation) -> Self {
        let text = |entry: &Map<String, Value>, key: &str| {
            entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Self {
            total: operation.total_users,
            completed: count(&operation, "completed"),
            failed: count(&operation, "failed"),
            failures: operation
                .failed_user_ids
                .iter()
                .map(|entry| (text(entry, "session_id"), text(entry, "error")))
                .collect(),
            candidates: count(&operation, "total_candidates"),
            concurrency: count(&operation, "concurrency"),
            id: operation.id,
            state: operation.state,
            started_at: operation.started_at,
            finished_at: operation.completed_at,
        }
    }
}

fn count(operation: &Operation, key: &str) -> u64 {
    operation.stats.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// Judges one session after the other, several at the same time. A session is done when its judgement and the
/// progress of the operation are stored, together; an interrupted run goes on with the others.
pub(crate) struct Regenerator(pub(crate) Arc<App>);

#[async_trait]
impl Handler for Regenerator {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: RegenerateTask = payload(running)?;
        let org = running.org();
        let found = self.0.store.operation_by_id(org, &task.operation_id).await?;
        let Some(mut operation) = found else { return Err(Failure::permanent("its operation is gone")) };
        tokio::select! {
            ended = self.0.judge_anew(running, &task, &mut operation) => return ended,
            () = running.cancelled() => {}
        }
        operation.state = OperationState::Cancelled;
        operation.completed_at = Some(self.0.now());
        self.0.store.put_operation(org, &operation).await?;
        Err(Failure::Stopped)
    }
}

impl App {
    async fn judge_anew(
        &self,
        running: &Running,
        task: &RegenerateTask,
        operation: &mut Operation,
    ) -> Result<(), Failure> {
        let org = running.org();
        let judge = self.ready_judge(org).await?;
        let (_, sample) = self.sample(org, task).await?;
        let done = self.done_already(org, operation).await?;
        operation.total_users = sample.len() as u64;
        let open: Vec<SessionRef> = sample
            .into_iter()
            .filter(|one| !done.contains(&(one.user_id.clone(), one.session_id.clone())))
            .collect();
        let failed = operation.failed_user_ids.len() as u64;
        let completed = operation.total_users.saturating_sub(open.len() as u64 + failed);
        note(operation, "failed", failed);
        note(operation, "completed", completed);
        let judging = open.into_iter().map(|one| async {
            let judged = self.judge_one(org, &judge, task, &one).await;
            (one, judged)
        });
        let mut judging = futures::stream::iter(judging).buffer_unordered(task.concurrency.max(1));
        while let Some((session, judged)) = judging.next().await {
            self.note_one(running, &judge, operation, &session, judged).await?;
        }
        operation.state = OperationState::Completed;
        operation.completed_at = Some(self.now());
        let by = JudgedBy { lease: &running.lease, end: JobEnd::Done, operation: Some(operation.clone()) };
        self.store.judge(org, None, Some(by), self.now()).await?;
        Ok(())
    }

    /// Sessions that an earlier attempt has judged, or given up.
    async fn done_already(
        &self,
        org: &OrgId,
        operation: &Operation,
    ) -> Result<HashSet<(UserId, SessionId)>, reflexio_store::Error> {
        let time = TimeRange { start: Some(operation.started_at), end: None };
        let filter = EvaluationFilter { time, ..EvaluationFilter::default() };
        let judged = self.store.evaluations(org, &filter, usize::MAX).await?.into_iter();
        let judged = judged.filter(|row| row.run.as_deref() == Some(&operation.id));
        let failed = operation.failed_user_ids.iter().filter_map(|entry| {
            let text = |key: &str| entry.get(key)?.as_str();
            Some((UserId::from(text("user_id")?), SessionId::from(text("session_id")?)))
        });
        Ok(judged.map(|row| (row.user_id, row.session_id)).chain(failed).collect())
    }

    async fn judge_one(
        &self,
        org: &OrgId,
        judge: &Judge,
        task: &RegenerateTask,
        session: &SessionRef,
    ) -> Result<Option<Judgement>, JudgeError> {
        let read = self.read_session(org, &session.user_id, &session.session_id).await?;
        let Some(read) = read else { return Ok(None) };
        let occasion = Occasion {
            policy: &task.policy,
            asked: Asked::ALL,
            run: &task.operation_id,
            operation: Some(&task.operation_id),
        };
        self.judge_session(org, judge, &read, &occasion).await
    }

    /// A session that no model could judge is noted, and the others go on; anything that passes is tried again.
    async fn note_one(
        &self,
        running: &Running,
        judge: &Judge,
        operation: &mut Operation,
        session: &SessionRef,
        judged: Result<Option<Judgement>, JudgeError>,
    ) -> Result<(), Failure> {
        let org = running.org();
        let judgement = match judged {
            Ok(judgement) => {
                note(operation, "completed", count(operation, "completed") + 1);
                judgement
            }
            Err(error) => {
                let reason = error.to_string();
                if let Some(failure) = self.unless_hopeless(org, error).await {
                    return Err(failure);
                }
                note(operation, "failed", count(operation, "failed") + 1);
                if operation.failed_user_ids.len() < MOST_LISTED {
                    let entry = json!({"user_id": session.user_id, "session_id": session.session_id,
                                       "error": reason});
                    operation.failed_user_ids.extend(entry.as_object().cloned());
                }
                None
            }
        };
        let by = JudgedBy { lease: &running.lease, end: JobEnd::GoesOn, operation: Some(operation.clone()) };
        match judgement {
            Some(judgement) => {
                self.keep(org, judge, judgement, Some(by)).await?;
            }
            None => {
                self.store.judge(org, None, Some(by), self.now()).await?;
            }
        }
        let done = count(operation, "completed") + count(operation, "failed");
        let progress = JobProgress { done, total: Some(operation.total_users), message: None };
        Ok(running.set_progress(progress).await?)
    }
}

fn note(operation: &mut Operation, key: &str, number: u64) {
    operation.stats.insert(key.to_owned(), number.into());
}
