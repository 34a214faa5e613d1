use std::sync::Arc;

use async_trait::async_trait;
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_learn::engine::{Error, Learner, Learnt, Work};
use reflexio_store::JobEnd;
use reflexio_types::{JobProgress, Operation, OperationState, UserId};
use serde_json::{Map, Value, json};

use super::handler::payload;
use super::task::RerunTask;
use crate::App;

/// Learns anew from all that was published, one user after the other. A user is done when its rows and the progress
/// of the operation are stored, together; an interrupted run goes on with the next user.
pub(super) struct Rerun(pub(super) Arc<App>);

#[async_trait]
impl Handler for Rerun {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: RerunTask = payload(running)?;
        let org = running.org();
        let found = self.0.store.operation(org, task.service()).await?;
        let Some(mut operation) = found.filter(|found| found.id == task.operation_id) else {
            return Err(Failure::permanent("its operation is gone or was replaced"));
        };
        let ended = tokio::select! {
            ended = self.0.rerun_users(running, &task, &mut operation) => ended,
            () = running.cancelled() => Err(Failure::Stopped),
        };
        match ended {
            Ok(()) => self.0.finish(running, operation).await,
            Err(failure) => Err(failure),
        }
    }
}

impl App {
    async fn rerun_users(
        &self,
        running: &Running,
        task: &RerunTask,
        operation: &mut Operation,
    ) -> Result<(), Failure> {
        let org = running.org();
        let learner = self.ready_learner(org).await?;
        let users = self.store.publishers(org, &task.publishers()).await?;
        operation.total_users = users.len() as u64;
        for user in users.iter().filter(|user| !is_done(operation, user)).cloned().collect::<Vec<_>>() {
            self.rerun_user(running, task, &learner, &user, operation).await?;
            let done = (operation.processed_user_ids.len() + operation.failed_user_ids.len()) as u64;
            let progress = JobProgress { done, total: Some(operation.total_users), message: None };
            running.set_progress(progress).await?;
        }
        Ok(())
    }

    async fn rerun_user(
        &self,
        running: &Running,
        task: &RerunTask,
        learner: &Learner,
        user: &UserId,
        operation: &mut Operation,
    ) -> Result<(), Failure> {
        let work = Work { lease: &running.lease, user, policy: &task.policy, learner };
        let mut next = operation.clone();
        let run = task.run(running.lease.job);
        let progress = |learnt: Learnt| {
            next.processed_user_ids.push(user.to_string());
            next.current_user_id = Some(user.to_string());
            count(&mut next.stats, &learnt);
            (next.clone(), JobEnd::GoesOn)
        };
        match self.engine().learn_again(work, task.wanted, &task.which, run, progress).await {
            Ok(learnt) => {
                *operation = next;
                self.learned(running.org(), learner, &learnt).await;
                Ok(())
            }
            Err(error) => self.rerun_failed(running, user, error, operation).await,
        }
    }

    /// A user whose turns no model could read is noted, and the others go on; anything that passes is tried again.
    async fn rerun_failed(
        &self,
        running: &Running,
        user: &UserId,
        error: Error,
        operation: &mut Operation,
    ) -> Result<(), Failure> {
        let message = error.to_string();
        if let Some(failure) = self.unless_hopeless(running.org(), error).await {
            return Err(failure);
        }
        let entry = json!({"user_id": user, "error": message});
        operation.failed_user_ids.extend(entry.as_object().cloned());
        self.store.put_operation(running.org(), operation).await?;
        Ok(())
    }

    async fn finish(&self, running: &Running, mut operation: Operation) -> Result<(), Failure> {
        let failed = operation.processed_user_ids.is_empty() && !operation.failed_user_ids.is_empty();
        operation.state = if failed { OperationState::Failed } else { OperationState::Completed };
        operation.error_message = operation
            .failed_user_ids
            .first()
            .filter(|_| failed)
            .and_then(|entry| entry.get("error")?.as_str().map(str::to_owned));
        operation.completed_at = Some(self.now());
        operation.current_user_id = None;
        let lesson = reflexio_store::Lesson { operation: Some(operation), ..Default::default() };
        self.store.learn(&running.lease, lesson, self.now()).await.map_err(Failure::from)
    }
}

fn is_done(operation: &Operation, user: &UserId) -> bool {
    let failed =
        |entry: &Map<String, Value>| entry.get("user_id").and_then(Value::as_str) == Some(user.as_str());
    operation.processed_user_ids.iter().any(|id| id == user.as_str())
        || operation.failed_user_ids.iter().any(failed)
}

fn count(stats: &mut Map<String, Value>, learnt: &Learnt) {
    let counts = [
        ("windows", learnt.windows),
        ("total_interactions_processed", learnt.turns),
        ("total_generated", learnt.profiles + learnt.playbooks),
    ];
    for (key, more) in counts {
        let before = stats.get(key).and_then(Value::as_u64).unwrap_or(0);
        stats.insert(key.to_owned(), (before + more).into());
    }
}
