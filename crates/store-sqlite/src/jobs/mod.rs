//! The queue. `rows.rs` reads jobs, `queue.rs` puts them in, `claim.rs` hands them out in the order of
//! `turns.rs`, `attempt.rs` ends what was handed out, `manage.rs` is what people do to jobs, and `lane.rs` keeps
//! one job of each lane in front.

pub(crate) mod attempt;
pub(crate) mod claim;
pub(crate) mod lane;
pub(crate) mod manage;
pub(crate) mod queue;
pub(crate) mod rows;
#[cfg(test)]
mod tests;
pub(crate) mod turns;

use std::sync::Arc;

use async_trait::async_trait;
use reflexio_store::{
    Claim, Claimed, Enqueued, Held, JobCounts, JobFilter, Jobs, Lease, Page, Result, Retry,
};
use reflexio_types::{Job, JobId, JobProgress, JobState, NewJob, OrgId, Timestamp, UserId};

use crate::SqliteStore;
use crate::rows::{Stored, page as page_of, select};

pub(crate) use manage::delete_of_user;
pub(crate) use queue::queue;

#[async_trait]
impl Jobs for SqliteStore {
    async fn enqueue(&self, org: &OrgId, jobs: Vec<NewJob>, at: Timestamp) -> Result<Vec<Enqueued>> {
        let org = org.clone();
        self.writer.write(move |tx| jobs.iter().map(|job| queue(tx.sql, &org, job, at)).collect()).await
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Vec<Claimed>> {
        let wanted = Arc::new(claim::Wanted::new(&claim));
        loop {
            let (wanted, turns) = (Arc::clone(&wanted), Arc::clone(&self.turns));
            let step = self.writer.write(move |tx| claim::step(tx.sql, &wanted, &turns)).await?;
            if let Some(claimed) = step {
                return Ok(claimed);
            }
        }
    }

    async fn abandon_attempts(&self, at: Timestamp) -> Result<u64> {
        let mut ended = 0;
        loop {
            let step = self.writer.write(move |tx| claim::abandon(tx.sql, at)).await?;
            ended += step.ended as u64;
            if !step.more {
                return Ok(ended);
            }
        }
    }

    async fn heartbeat(&self, leases: &[Lease], until: Timestamp) -> Result<Vec<Held>> {
        let leases = leases.to_vec();
        self.writer
            .write(move |tx| leases.iter().map(|lease| attempt::extend(tx.sql, lease, until)).collect())
            .await
    }

    async fn set_progress(&self, lease: &Lease, progress: JobProgress) -> Result<()> {
        let lease = lease.clone();
        self.writer.write(move |tx| attempt::set_progress(tx.sql, &lease, &progress)).await
    }

    async fn complete_many(&self, leases: &[Lease], at: Timestamp) -> Result<Vec<JobId>> {
        let leases = leases.to_vec();
        self.writer.write(move |tx| attempt::complete_many(tx, &leases, at)).await
    }

    async fn fail(&self, lease: &Lease, reason: &str, retry: Retry, at: Timestamp) -> Result<JobState> {
        let (lease, reason) = (lease.clone(), reason.to_owned());
        self.writer.write(move |tx| attempt::fail(tx.sql, &lease, &reason, retry, at)).await
    }

    async fn release(
        &self,
        lease: &Lease,
        reason: &str,
        not_before: Timestamp,
        at: Timestamp,
    ) -> Result<JobState> {
        let (lease, reason) = (lease.clone(), reason.to_owned());
        self.writer.write(move |tx| attempt::release(tx.sql, &lease, &reason, not_before, at)).await
    }

    async fn cancel_job(&self, org: &OrgId, id: JobId, at: Timestamp) -> Result<Option<Job>> {
        let org = org.clone();
        self.writer.write(move |tx| manage::cancel(tx.sql, &org, id, at)).await
    }

    async fn retry_job(&self, org: &OrgId, id: JobId, at: Timestamp) -> Result<Option<Job>> {
        let org = org.clone();
        self.writer.write(move |tx| manage::retry(tx.sql, &org, id, at)).await
    }

    async fn job(&self, org: &OrgId, id: JobId) -> Result<Option<Job>> {
        let org = org.clone();
        self.readers.read(move |sql| rows::job(sql, &org, id)).await
    }

    async fn jobs(&self, org: &OrgId, filter: &JobFilter, page: Page) -> Result<(Vec<Job>, bool)> {
        let predicate = rows::filtered(org, filter);
        self.readers.read(move |sql| page_of(sql, predicate, Job::ORDER, page)).await
    }

    async fn job_counts(&self) -> Result<JobCounts> {
        self.readers.read(rows::counts).await
    }

    async fn org_job_counts(&self, org: &OrgId) -> Result<JobCounts> {
        let org = org.clone();
        self.readers.read(move |sql| rows::counts_of_org(sql, &org)).await
    }

    async fn learning_job(&self, org: &OrgId, user_id: &UserId) -> Result<Option<Job>> {
        let predicate = rows::unfinished_learning(org, user_id);
        self.readers.read(|sql| Ok(select(sql, predicate, rows::RUNNING_FIRST, 1)?.pop())).await
    }

    async fn delete_finished_jobs(&self, state: JobState, before: Timestamp, limit: usize) -> Result<u64> {
        self.writer.write(move |tx| manage::delete_finished(tx.sql, state, before, limit)).await
    }
}
