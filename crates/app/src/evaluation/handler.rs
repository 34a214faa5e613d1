use std::sync::Arc;

use async_trait::async_trait;
use reflexio_evaluate::session::Judge;
use reflexio_jobs::{Failure, Handler, Running};
use reflexio_learn::engine::Error;
use reflexio_store::{JobEnd, JudgedBy, Judgement};
use reflexio_types::{EvaluationId, OrgId};

use super::judging::Occasion;
use super::task::Task;
use crate::App;
use crate::learning::{payload, unavailable};

/// Judges a session that has fallen silent.
pub(crate) struct Evaluation(pub(crate) Arc<App>);

#[async_trait]
impl Handler for Evaluation {
    async fn run(&self, running: &Running) -> Result<(), Failure> {
        let task: Task = payload(running)?;
        tokio::select! {
            ended = self.0.evaluate(running, &task) => ended,
            () = running.cancelled() => Err(Failure::Stopped),
        }
    }
}

impl App {
    async fn evaluate(&self, running: &Running, task: &Task) -> Result<(), Failure> {
        let org = running.org();
        let Some(session) = self.read_session(org, &task.user_id, &task.session_id).await? else {
            return Ok(());
        };
        let known = if task.asked.success {
            self.judged_before(org, &session, None).await?.is_some()
        } else {
            self.learnings_judged(org, &session).await?
        };
        if known {
            return Ok(());
        }
        let judge = self.ready_judge(org).await?;
        let run = format!("job-{}", running.job.id);
        let occasion = Occasion { policy: &task.policy, asked: task.asked, run: &run, operation: None };
        match self.judge_session(org, &judge, &session, &occasion).await {
            Ok(Some(judgement)) => {
                let by = JudgedBy { lease: &running.lease, end: JobEnd::Done, operation: None };
                self.keep(org, &judge, judgement, Some(by)).await?;
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(error) => Err(self.failure(org, error).await),
        }
    }

    pub(super) async fn ready_judge(&self, org: &OrgId) -> Result<Judge, Failure> {
        match self.judge_of(org).await.map_err(|error| unavailable(&error))? {
            Ok(judge) => Ok(judge),
            Err(error) => Err(self.failure(org, Error::Model(error)).await),
        }
    }

    /// Stores a judgement. A model that answered works, so whatever stalled is over.
    pub(super) async fn keep(
        &self,
        org: &OrgId,
        judge: &Judge,
        judgement: Judgement,
        by: Option<JudgedBy<'_>>,
    ) -> Result<Option<EvaluationId>, reflexio_store::Error> {
        let success = judgement.evaluation.as_ref().map(|row| row.verdict.is_success());
        let id = self.store.judge(org, Some(judgement), by, self.now()).await?;
        if let (Some(_), Some(success)) = (id, success) {
            let verdict = if success { "success" } else { "failure" };
            metrics::counter!("reflexio_evaluations_total", "verdict" => verdict).increment(1);
        }
        if matches!(judge, Judge::Model(_)) {
            self.lift_stall(org).await;
        }
        Ok(id)
    }
}
