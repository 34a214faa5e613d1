//! Learning as a use case: who learns, when, and what people see of it. How is in `reflexio_learn`.

mod handler;
mod models;
mod rerun;
mod runs;
mod stall;
mod task;
mod workers;

use std::sync::OnceLock;

use reflexio_jobs::Handle;
use reflexio_learn::Policy;
use reflexio_store::InteractionOrder::LatestArrivalFirst;
use reflexio_store::{InteractionFilter, JobFilter, Page};
use reflexio_types::{Caller, JobKind, JobState, Request, RequestId, Scope};

pub(crate) use handler::{payload, unavailable};
pub use models::ModelSettings;
pub use reflexio_learn::Wanted;
pub use reflexio_learn::engine::Selection;
pub use runs::Started;
pub(crate) use task::{MODEL_ATTEMPTS, due, to_payload};
pub use workers::{WorkerSettings, Workers};

use crate::access::Access;
use crate::{App, Error, Result};

/// What learning keeps in memory.
pub(crate) struct Learning {
    settings: ModelSettings,
    models: models::ModelCache,
    /// Once workers run.
    pub(crate) handle: OnceLock<Handle>,
}

impl Learning {
    pub(crate) fn new(settings: ModelSettings) -> Self {
        Self { settings, models: models::ModelCache::default(), handle: OnceLock::new() }
    }
}

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
        if self.is_covered(caller, &request).await? {
            return Ok(LearningState::new(LearningStatus::Done, "covered"));
        }
        let stalled = self.store.stall(&caller.org).await?.is_some();
        Ok(match self.store.learning_job(&caller.org, &request.user_id).await? {
            Some(job) if job.state == JobState::Running => {
                LearningState::new(LearningStatus::Processing, "extracting")
            }
            Some(job) if task::is_idle(&job) => {
                LearningState::new(LearningStatus::Pending, "waiting_for_window")
            }
            Some(_) if stalled => LearningState::new(LearningStatus::Pending, "stalled"),
            Some(job) if job.attempts > 0 => LearningState::new(LearningStatus::Pending, "retrying"),
            Some(_) => LearningState::new(LearningStatus::Pending, "queued"),
            None if self.has_given_up(caller, &request).await? => {
                LearningState::new(LearningStatus::Pending, "given_up")
            }
            None if self.learning.handle.get().is_some() => {
                LearningState::new(LearningStatus::Pending, "waiting_for_window")
            }
            None => LearningState::new(LearningStatus::NotTracked, "nothing_queued"),
        })
    }

    /// Whether a job that could have learned from it failed for good; the next publish or a retry tries again.
    async fn has_given_up(&self, caller: &Caller, request: &Request) -> Result<bool> {
        let filter = JobFilter {
            state: Some(JobState::Dead),
            kind: Some(JobKind::Learn.as_str().to_owned()),
            user_id: Some(request.user_id.clone()),
        };
        let (dead, _) = self.store.jobs(&caller.org, &filter, Page::first(1)).await?;
        Ok(dead.first().is_some_and(|job| job.finished_at >= Some(request.created_at)))
    }

    /// Whether every extractor that learns from this request has read it.
    async fn is_covered(&self, caller: &Caller, request: &Request) -> Result<bool> {
        let filter =
            InteractionFilter { request_id: Some(request.id.clone()), ..InteractionFilter::default() };
        let last = self.store.interactions(&caller.org, &filter, LatestArrivalFirst, 1).await?;
        let Some(last) = last.first().map(|turn| turn.id) else { return Ok(true) };
        let policy = Policy::of(&self.config_in_force(&caller.org).await?.1);
        let cursors = self.store.cursors(&caller.org, &request.user_id).await?;
        let covered =
            |name: String| cursors.iter().any(|cursor| cursor.extractor == name && cursor.covered >= last);
        let mut readers = policy.automatic().filter(|extractor| extractor.takes(&request.source));
        Ok(readers.all(|extractor| covered(extractor.name())))
    }
}
