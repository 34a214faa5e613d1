use reflexio_store::{JobCounts, JobFilter, Page};
use reflexio_types::{Caller, Job, JobId, JobState, Scope};

use crate::access::Access;
use crate::{App, Error, Result};

/// A page of jobs with what surrounds it.
#[derive(Debug, Clone, PartialEq)]
pub struct JobPage {
    pub jobs: Vec<Job>,
    pub has_more: bool,
    /// Of the whole org.
    pub counts: JobCounts,
}

impl App {
    /// Latest arrival first.
    pub async fn jobs(&self, caller: &Caller, filter: &JobFilter, page: Page) -> Result<JobPage> {
        caller.needs(Scope::Read)?;
        let (jobs, has_more) = self.store.jobs(&caller.org, filter, page).await?;
        let counts = self.store.org_job_counts(&caller.org).await?;
        Ok(JobPage { jobs, has_more, counts })
    }

    pub async fn job(&self, caller: &Caller, id: JobId) -> Result<Job> {
        caller.needs(Scope::Read)?;
        self.store.job(&caller.org, id).await?.ok_or_else(|| Error::not_found("job", &id))
    }

    /// Queues a dead or cancelled job with new attempts. One that is queued already is fine as it is.
    pub async fn retry_job(&self, caller: &Caller, id: JobId) -> Result<Job> {
        caller.needs(Scope::Write)?;
        let job = self.store.retry_job(&caller.org, id, self.now()).await?;
        let job = job.ok_or_else(|| Error::not_found("job", &id))?;
        match job.state {
            JobState::Queued => Ok(job),
            JobState::Running | JobState::Done | JobState::Dead | JobState::Cancelled => {
                Err(Error::JobState {
                    id,
                    state: job.state,
                    allowed: "only dead or cancelled jobs can be retried",
                })
            }
        }
    }

    /// Cancels a queued job at once and asks a running one to stop; it does so a little later.
    pub async fn cancel_job(&self, caller: &Caller, id: JobId) -> Result<Job> {
        caller.needs(Scope::Write)?;
        let job = self.store.cancel_job(&caller.org, id, self.now()).await?;
        let job = job.ok_or_else(|| Error::not_found("job", &id))?;
        match job.state {
            JobState::Cancelled | JobState::Running => Ok(job),
            JobState::Queued | JobState::Done | JobState::Dead => Err(Error::JobState {
                id,
                state: job.state,
                allowed: "only queued or running jobs can be cancelled",
            }),
        }
    }
}
