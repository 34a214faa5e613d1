use reflexio_types::{Caller, Operation, RequestId, Scope, Stall};

use crate::access::Access;
use crate::{App, Error, Result};

/// How far learning from a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LearningStatus {
    Pending,
    Processing,
    Done,
    /// Nothing is queued and nothing was learned.
    NotTracked,
}

impl LearningStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            LearningStatus::Pending => "pending",
            LearningStatus::Processing => "processing",
            LearningStatus::Done => "done",
            LearningStatus::NotTracked => "not_tracked",
        }
    }
}

/// How far learning is, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearningState {
    pub status: LearningStatus,
    pub reason: &'static str,
}

impl LearningState {
    pub(crate) fn new(status: LearningStatus, reason: &'static str) -> Self {
        Self { status, reason }
    }
}

impl App {
    pub async fn learning_status(&self, caller: &Caller, id: &RequestId) -> Result<LearningState> {
        caller.needs(Scope::Read)?;
        let request =
            self.store.request(&caller.org, id).await?.ok_or_else(|| Error::not_found("request", &id))?;
        if request.intent.evaluation_only {
            return Ok(LearningState::new(LearningStatus::Done, "not_applicable"));
        }
        Ok(match self.store.learning_job(&caller.org, &request.user_id).await? {
            Some(job) if job.state == reflexio_types::JobState::Running => {
                LearningState::new(LearningStatus::Processing, "extracting")
            }
            Some(_) => LearningState::new(LearningStatus::Pending, "queued"),
            None => LearningState::new(LearningStatus::NotTracked, "nothing_queued"),
        })
    }

    /// The newest operation of a service, if there ever was one.
    pub async fn operation(&self, caller: &Caller, service_name: &str) -> Result<Option<Operation>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.operation(&caller.org, service_name).await?)
    }

    pub async fn stall(&self, caller: &Caller) -> Result<Option<Stall>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.stall(&caller.org).await?)
    }

    /// Remembers that a client told its user about the stall; false when nothing is stalled.
    pub async fn mark_stall_notified(&self, caller: &Caller) -> Result<bool> {
        caller.needs(Scope::Write)?;
        let Some(mut stall) = self.store.stall(&caller.org).await? else { return Ok(false) };
        if !stall.notified {
            stall.notified = true;
            self.store.put_stall(&caller.org, Some(&stall)).await?;
        }
        Ok(true)
    }

    /// The seam of the learning engine: reruns, manual runs and aggregation come here.
    pub fn start_learning_run(&self, caller: &Caller, what: &'static str) -> Result<()> {
        caller.needs(Scope::Write)?;
        Err(Error::LearningUnavailable(what))
    }
}
