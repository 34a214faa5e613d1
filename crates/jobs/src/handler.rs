use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use reflexio_store::{Lease, Result, SharedStore};
use reflexio_types::{Job, JobKind, JobProgress, OrgId, Timestamp};

use crate::signal::{Listener, Signal};

/// Does the work of one kind of job.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    /// Runs one attempt. It may be dropped at any await point: when its lease is lost, or when it goes on long
    /// after it was cancelled or the runner stopped. A job may run more than once, so what it does must either be
    /// stored with the end of the job in one transaction, or not matter when it is done twice.
    async fn run(&self, running: &Running) -> Result<(), Failure>;
}

/// Why an attempt did not succeed, by what should happen next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Try again, not before a time, or when the backoff says.
    Retryable { reason: String, not_before: Option<Timestamp> },
    /// Trying again would not help.
    Permanent { reason: String },
    /// The work cannot be done now, through no fault of the job: it goes back and no attempt is counted.
    Stalled { reason: String, until: Timestamp },
    /// It stopped because it was told to: a cancelled job is cancelled, another goes back, not counted.
    Stopped,
}

impl Failure {
    pub fn retryable(reason: impl Into<String>) -> Self {
        Self::Retryable { reason: reason.into(), not_before: None }
    }

    pub fn permanent(reason: impl Into<String>) -> Self {
        Self::Permanent { reason: reason.into() }
    }
}

/// A store that fails now may work later.
impl From<reflexio_store::Error> for Failure {
    fn from(error: reflexio_store::Error) -> Self {
        Self::retryable(error.to_string())
    }
}

/// A job that runs, and how to hear of it and from it.
pub struct Running {
    pub job: Job,
    pub lease: Lease,
    pub(crate) store: SharedStore,
    pub(crate) listener: Listener,
}

impl Running {
    pub fn org(&self) -> &OrgId {
        &self.lease.org
    }

    /// Tells people how far the job is.
    pub async fn set_progress(&self, progress: JobProgress) -> Result<()> {
        self.store.set_progress(&self.lease, progress).await
    }

    /// Whether the job should end without a result.
    pub fn is_cancelled(&self) -> bool {
        self.listener.now() >= Signal::Cancelled
    }

    /// Returns when the job should end without a result; for `select!`.
    pub async fn cancelled(&self) {
        self.listener.reaches(Signal::Cancelled).await;
    }

    /// Whether the runner stops soon: long jobs should come to an end, or return [`Failure::Stopped`].
    pub fn is_stopping(&self) -> bool {
        self.listener.now() >= Signal::Stopping
    }

    pub async fn stopping(&self) {
        self.listener.reaches(Signal::Stopping).await;
    }
}

/// Who does what, and how much of it at the same time.
#[derive(Default, Clone)]
pub struct Handlers {
    pub(crate) by_kind: BTreeMap<JobKind, Entry>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) slots: usize,
}

impl Handlers {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the handler of a kind, of which at most `slots` jobs run at the same time.
    #[must_use]
    pub fn with(mut self, kind: JobKind, handler: Arc<dyn Handler>, slots: usize) -> Self {
        self.by_kind.insert(kind, Entry { handler, slots });
        self
    }
}
