use std::sync::Arc;

use async_trait::async_trait;
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_learn::Policy;
use reflexio_learn::engine::{Engine, Error, Flush, Learner, Learnt, Work};
use reflexio_llm::Error as ModelError;
use reflexio_types::{OrgId, Timestamp};

use super::task::{self, Run, Task};
use crate::{App, ids};

/// A spent budget is looked at again after so many seconds.
const BUDGET_PAUSE: i64 = 3_600;

/// Learns from what one user published.
pub(super) struct Learning(pub(super) Arc<App>);

#[async_trait]
impl Handler for Learning {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: Task = payload(running)?;
        tokio::select! {
            ended = self.0.learn(running, task) => ended,
            () = running.cancelled() => Err(Failure::Stopped),
        }
    }
}

/// What a job is asked to do; one that cannot be read will not be read the next time.
pub(crate) fn payload<T: serde::de::DeserializeOwned>(running: &Running) -> Result<T, Failure> {
    serde_json::from_value(running.job.payload.clone())
        .map_err(|error| Failure::permanent(format!("the payload cannot be read: {error}")))
}

impl App {
    pub(super) fn engine(&self) -> Engine {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        Engine { store, clock, new_profile_id: ids::profile_id }
    }

    async fn learn(&self, running: &Running, task: Task) -> Result<(), Failure> {
        let org = running.org();
        let policy = match task.policy {
            Some(policy) => policy,
            None => Policy::of(&self.config_in_force(org).await.map_err(|error| unavailable(&error))?.1),
        };
        let learner = self.ready_learner(org).await?;
        let work = Work { lease: &running.lease, user: &task.user_id, policy: &policy, learner: &learner };
        let engine = self.engine();
        let learnt = match &task.run {
            Run::Due => engine.learn_due(work, Flush::Asked).await,
            Run::Idle => self.learn_if_idle(&engine, work).await,
            Run::Last { wanted, which } => engine.learn_last(work, *wanted, which).await,
        };
        let learnt = match learnt {
            Ok(learnt) => learnt,
            Err(error) => return Err(self.failure(org, error).await),
        };
        self.learned(org, &learner, learnt).await;
        match learnt.waiting_since {
            Some(since) => self.wait_for_silence(org, work, since).await,
            None => Ok(()),
        }
    }

    /// A user who has said something in the meantime is not idle.
    async fn learn_if_idle(&self, engine: &Engine, work: Work<'_>) -> Result<Learnt, Error> {
        let reach = reflexio_store::Reach::UpTo(None);
        let last = self.store.published_turns(&work.lease.org, work.user, reach, 1).await?;
        let Some(last) = last.first().map(|turn| turn.request.created_at) else {
            return Ok(Learnt::default());
        };
        if last.0.saturating_add(i64::from(work.policy.idle_timeout)) > self.now().0 {
            return Ok(Learnt { waiting_since: Some(last), ..Learnt::default() });
        }
        engine.learn_due(work, Flush::Everything).await
    }

    /// Turns are left: if the user stays silent, they are learned from all the same.
    async fn wait_for_silence(&self, org: &OrgId, work: Work<'_>, since: Timestamp) -> Result<(), Failure> {
        if work.policy.idle_timeout == 0 {
            return Ok(());
        }
        let at = Timestamp(since.0.saturating_add(i64::from(work.policy.idle_timeout)));
        let job = task::idle(work.user, work.policy, at).map_err(|error| unavailable(&error))?;
        self.store.enqueue(org, vec![job], self.now()).await?;
        Ok(())
    }

    pub(super) async fn ready_learner(&self, org: &OrgId) -> Result<Learner, Failure> {
        match self.learner(org).await.map_err(|error| unavailable(&error))? {
            Ok(learner) => Ok(learner),
            Err(error) => Err(self.failure(org, Error::Model(error)).await),
        }
    }

    /// Something was learned: rows wait for vectors, and whatever stalled learning is over.
    pub(super) async fn learned(&self, org: &OrgId, learner: &Learner, learnt: Learnt) {
        if learnt.profiles + learnt.playbooks > 0 {
            self.embeddings.wake();
        }
        metrics::counter!("reflexio_learning_windows_total").increment(learnt.windows);
        metrics::counter!("reflexio_learned_rows_total", "kind" => "profile").increment(learnt.profiles);
        metrics::counter!("reflexio_learned_rows_total", "kind" => "user_playbook")
            .increment(learnt.playbooks);
        metrics::counter!("reflexio_learning_dropped_total").increment(learnt.dropped);
        if learnt.windows > 0 && matches!(learner, Learner::Model(_)) {
            self.lift_stall(org).await;
        }
    }

    /// As [`App::failure`], for a job with many parts: nothing if only this part has no hope, so that the others go on.
    pub(crate) async fn unless_hopeless(&self, org: &OrgId, error: Error) -> Option<Failure> {
        let hopeless = matches!(&error, Error::Model(error) if !error.is_temporary() && error.stall(self.now()).is_none());
        let failure = self.failure(org, error).await;
        let goes_on = hopeless && !matches!(failure, Failure::Stopped | Failure::Stalled { .. });
        (!goes_on).then_some(failure)
    }

    /// What becomes of a job that could not learn or judge. Nothing was stored and no turn was marked as learned from.
    pub(crate) async fn failure(&self, org: &OrgId, error: Error) -> Failure {
        let now = self.now();
        let error = match error {
            // Somebody else read the same turns first; look again at what is left.
            Error::Store(error @ reflexio_store::Error::Changed { .. }) => {
                return Failure::Retryable { reason: error.to_string(), not_before: Some(now) };
            }
            Error::Store(error) => return error.into(),
            Error::Model(error) => error,
        };
        if let Some(stall) = error.stall(now) {
            self.stall_learning(org, stall).await;
            // Ready at once, but nobody claims while learning is paused.
            return Failure::Stalled { reason: error.to_string(), until: now };
        }
        match &error {
            ModelError::Cancelled => Failure::Stopped,
            ModelError::BudgetExceeded(_) => {
                Failure::Stalled { reason: error.to_string(), until: Timestamp(now.0 + BUDGET_PAUSE) }
            }
            ModelError::InvalidAnswer { raw, .. } => {
                tracing::warn!(%org, %error, answer = raw, "a model's answer cannot be used");
                Failure::retryable(error.to_string())
            }
            ModelError::Misconfigured(_)
            | ModelError::Auth { .. }
            | ModelError::Billing { .. }
            | ModelError::RateLimited { .. }
            | ModelError::Unavailable { .. }
            | ModelError::Timeout { .. }
            | ModelError::BadRequest { .. }
            | ModelError::ContextTooLong { .. }
            | ModelError::Declined { .. } => {
                let wait = error.retry_after().map(|wait| Timestamp(now.0 + wait.as_secs().max(1) as i64));
                Failure::Retryable { reason: error.to_string(), not_before: wait }
            }
        }
    }
}

pub(crate) fn unavailable(error: &crate::Error) -> Failure {
    Failure::retryable(error.to_string())
}
