use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use reflexio_store::Result;
use reflexio_types::{Job, JobId, JobKind, OrgId};
use tokio::time::{Instant, timeout};

use crate::shared::Shared;

/// What others may ask of a runner. Cheap to clone, and harmless once the runner is gone.
#[derive(Clone)]
pub struct Handle {
    pub(crate) shared: Arc<Shared>,
}

/// How waiting for a job ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Waited {
    /// Done, dead or cancelled.
    Over(Box<Job>),
    StillGoing(Box<Job>),
    /// There is no such job in this org; it may have been erased.
    Gone,
}

impl Handle {
    /// A job was queued: look at once instead of at the next poll.
    pub fn wake(&self) {
        self.shared.wake.notify_one();
    }

    /// Waits until a job is over, whoever runs it.
    pub async fn wait(&self, org: &OrgId, id: JobId, most: Duration) -> Result<Waited> {
        let deadline = Instant::now() + most;
        let mut end = self.shared.end_of(id);
        let waited = loop {
            // Listening begins before looking, or an end between the two would be missed.
            let ended = end.notified();
            match self.shared.store.job(org, id).await? {
                None => break Waited::Gone,
                Some(job) if job.state.is_over() => break Waited::Over(Box::new(job)),
                Some(job) if Instant::now() >= deadline => break Waited::StillGoing(Box::new(job)),
                Some(_) => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            // Another process may run the job, so time alone is a reason to look again.
            let _ = timeout(left.min(self.shared.settings.poll), ended).await;
            end = self.shared.end_of(id);
        };
        self.shared.forget(id, &end);
        Ok(waited)
    }

    /// Leaves the jobs of this kind alone until [`Handle::resume`]; those that run go on.
    pub fn pause(&self, org: OrgId, kind: JobKind) {
        self.shared.change_paused(|paused| {
            paused.insert((org, kind));
        });
    }

    pub fn resume(&self, org: OrgId, kind: JobKind) {
        self.shared.change_paused(|paused| {
            paused.remove(&(org, kind));
        });
    }

    pub fn paused(&self) -> HashSet<(OrgId, JobKind)> {
        self.shared.paused()
    }
}
