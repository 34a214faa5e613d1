use async_trait::async_trait;
use reflexio_types::{
    JobId, NewJob, OrgId, PlaybookRun, PlaybookRunId, PlaybookRunStatus, TimeRange, Timestamp, UserId,
};

use crate::{Lease, Page, Result};

/// Which runs. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaybookRunFilter {
    pub user_id: Option<UserId>,
    pub program: Option<String>,
    pub status: Option<PlaybookRunStatus>,
    pub created: TimeRange,
}

/// A run that begins, with the job that lets it go on.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPlaybookRun {
    pub run: PlaybookRun,
    /// The text of the program, so that the run goes on with the one it began with.
    pub source: String,
    /// Its first entries, as many as `run.entries` says.
    pub journal: Vec<String>,
    pub jobs: Vec<NewJob>,
}

/// What a worker needs to go on with a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPlaybookRun {
    pub run: PlaybookRun,
    pub source: String,
    /// The last job whose event is in the journal.
    pub told_by: Option<JobId>,
}

/// Entries that follow the first `position` ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalPiece {
    pub position: u64,
    pub entries: Vec<String>,
    /// The event of this job is among them.
    pub told_by: Option<JobId>,
}

/// Where a run came to rest.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaybookRest {
    pub status: PlaybookRunStatus,
    pub reason: Option<String>,
    /// What wakes it up, if something does.
    pub jobs: Vec<NewJob>,
}

/// Runs of Markdown playbooks and their journals. A journal is only ever added to, by the holder of a lease.
#[async_trait]
pub trait PlaybookRuns: Send + Sync {
    async fn create_playbook_run(&self, org: &OrgId, new: NewPlaybookRun) -> Result<()>;

    async fn playbook_run(&self, org: &OrgId, id: &PlaybookRunId) -> Result<Option<StoredPlaybookRun>>;

    /// The newest first, and whether more follow.
    async fn playbook_runs(
        &self,
        org: &OrgId,
        filter: &PlaybookRunFilter,
        page: Page,
    ) -> Result<(Vec<PlaybookRun>, bool)>;

    /// Entries after the first `after` ones, in order.
    async fn playbook_journal(
        &self,
        org: &OrgId,
        id: &PlaybookRunId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<String>>;

    /// Adds to a journal. Fails with `LostLease` without the lease, and with `Changed` if the journal has another
    /// length, is gone, or its run was cancelled.
    async fn extend_playbook_journal(
        &self,
        lease: &Lease,
        id: &PlaybookRunId,
        piece: JournalPiece,
        at: Timestamp,
    ) -> Result<()>;

    /// Stores how a run rests together with the end of its job. Needs the lease. A run that was cancelled stays so.
    async fn rest_playbook_run(
        &self,
        lease: &Lease,
        id: &PlaybookRunId,
        rest: PlaybookRest,
        at: Timestamp,
    ) -> Result<()>;

    /// Cancels a run that is not over; gives it as it is then.
    async fn cancel_playbook_run(
        &self,
        org: &OrgId,
        id: &PlaybookRunId,
        at: Timestamp,
    ) -> Result<Option<PlaybookRun>>;
}
