use std::time::Duration;

use crate::Backoff;

/// How a runner behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names this runner in the history of jobs.
    pub worker: String,
    /// How long others wait before they take over the jobs of a runner that died.
    pub lease: Duration,
    /// How often a runner is heard of, and learns of cancelled jobs; a fraction of the lease.
    pub heartbeat: Duration,
    /// How often to look for jobs that nobody announced: retries, and those of other processes.
    pub poll: Duration,
    /// Jobs of all kinds that run at the same time.
    pub slots: usize,
    /// How long a cancelled job may go on before it is dropped.
    pub cancel_grace: Duration,
    pub backoff: Backoff,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            worker: format!("pid-{}", std::process::id()),
            lease: Duration::from_secs(60),
            heartbeat: Duration::from_secs(5),
            poll: Duration::from_secs(1),
            slots: 8,
            cancel_grace: Duration::from_secs(10),
            backoff: Backoff::default(),
        }
    }
}
