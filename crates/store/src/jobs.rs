use std::collections::HashSet;
use std::time::Duration;

use async_trait::async_trait;
use reflexio_types::{Job, JobId, JobKind, JobProgress, JobState, NewJob, OrgId, Timestamp, UserId};

use crate::{Error, Page, Result};

/// How many jobs are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub queued: u64,
    pub running: u64,
    pub dead: u64,
}

/// Which jobs. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFilter {
    pub state: Option<JobState>,
    /// A word and no [`JobKind`], so that jobs of a newer version can be found.
    pub kind: Option<String>,
    pub user_id: Option<UserId>,
}

/// What became of a job that was to be queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    New(JobId),
    /// This one waits already and will do the work, see [`NewJob::rearms`].
    Covered(JobId),
}

impl Enqueued {
    /// The job to wait for.
    pub fn id(self) -> JobId {
        match self {
            Enqueued::New(id) | Enqueued::Covered(id) => id,
        }
    }
}

/// What a worker asks for.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    pub kinds: &'a [JobKind],
    /// A name for the history, to tell workers apart.
    pub worker: &'a str,
    pub now: Timestamp,
    /// How long the worker may be silent. Counted in whole seconds, at least one.
    pub lease: Duration,
    pub limit: usize,
    /// Work that is to be left alone for now.
    pub paused: &'a HashSet<(OrgId, JobKind)>,
}

/// The right to change a job that runs. Each claim makes a new one and voids those before it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lease {
    pub org: OrgId,
    pub job: JobId,
    /// Grows with each claim of the job.
    pub fence: u64,
}

/// A job that this worker may run now.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    pub lease: Lease,
    pub job: Job,
}

/// What a worker that is heard of learns about its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    Yes,
    /// Still held, but it should stop soon.
    CancelAsked,
    /// Somebody else has it, or it is gone.
    Lost,
}

/// Whether a failed job should be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Not before this time; never once its attempts are used up.
    At(Timestamp),
    Never,
}

/// The durable queue. Jobs are also put in by the transaction that needs them; see [`crate::NewRequest`].
///
/// * Jobs of one lane run one at a time in the order of arrival, also while the first of them waits.
/// * Orgs take turns, and within an org its users: a long queue of one delays the others by one turn.
/// * What a worker does to a job needs its [`Lease`]; with an old one it fails with `LostLease` and changes
///   nothing. A lease that ran out is good until somebody else claims.
/// * A job that was asked to be cancelled is cancelled whichever way its attempt ends, unless it is done.
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Queues all of them or none.
    async fn enqueue(&self, org: &OrgId, jobs: Vec<NewJob>, at: Timestamp) -> Result<Vec<Enqueued>>;

    /// Takes jobs that are due, of any org. Jobs whose worker was not heard of in time go back into the queue
    /// before, or are given up if that was their last attempt.
    async fn claim(&self, claim: Claim<'_>) -> Result<Vec<Claimed>>;

    /// Extends leases and says how each of the jobs stands, in the same order.
    async fn heartbeat(&self, leases: &[Lease], until: Timestamp) -> Result<Vec<Held>>;

    async fn set_progress(&self, lease: &Lease, progress: JobProgress) -> Result<()>;

    /// Finishes many jobs at once, and says which of them were lost to others.
    async fn complete_many(&self, leases: &[Lease], at: Timestamp) -> Result<Vec<JobId>>;

    async fn complete(&self, lease: &Lease, at: Timestamp) -> Result<()> {
        let lost = self.complete_many(std::slice::from_ref(lease), at).await?;
        if lost.is_empty() { Ok(()) } else { Err(Error::LostLease(lease.job)) }
    }

    /// Ends an attempt that failed and says what the job has become: queued, dead or cancelled.
    async fn fail(&self, lease: &Lease, reason: &str, retry: Retry, at: Timestamp) -> Result<JobState>;

    /// Gives a job back without counting the attempt, to be run not before a time.
    async fn release(
        &self,
        lease: &Lease,
        reason: &str,
        not_before: Timestamp,
        at: Timestamp,
    ) -> Result<JobState>;

    /// A queued job is cancelled at once, a running one is asked to stop, any other stays as it is.
    /// Answers how the job stands then.
    async fn cancel_job(&self, org: &OrgId, id: JobId, at: Timestamp) -> Result<Option<Job>>;

    /// Queues a dead or cancelled job with new attempts; any other stays as it is. Answers how it stands then.
    async fn retry_job(&self, org: &OrgId, id: JobId, at: Timestamp) -> Result<Option<Job>>;

    async fn job(&self, org: &OrgId, id: JobId) -> Result<Option<Job>>;

    /// Latest arrival first, and whether more follow.
    async fn jobs(&self, org: &OrgId, filter: &JobFilter, page: Page) -> Result<(Vec<Job>, bool)>;

    /// Over all orgs.
    async fn job_counts(&self) -> Result<JobCounts>;

    async fn org_job_counts(&self, org: &OrgId) -> Result<JobCounts>;

    /// The running learning job of a user, or else the next one in the queue.
    async fn learning_job(&self, org: &OrgId, user_id: &UserId) -> Result<Option<Job>>;

    /// Deletes jobs of all orgs that are in this state and over since before a time; says how many.
    async fn delete_finished_jobs(&self, state: JobState, before: Timestamp, limit: usize) -> Result<u64>;
}
