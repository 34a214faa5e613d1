use std::time::Duration;

use reflexio_store::Held;
use reflexio_types::Timestamp;
use tokio::time::{MissedTickBehavior, interval};

use crate::shared::Shared;
use crate::signal::Signal;

/// Keeps the leases of all running jobs, and tells jobs that were cancelled or lost.
pub(crate) async fn beat(shared: &Shared) {
    let mut ticks = interval(shared.settings.heartbeat.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        beat_once(shared).await;
    }
}

async fn beat_once(shared: &Shared) {
    let leases = shared.leases();
    if leases.is_empty() {
        return;
    }
    let seconds = i64::try_from(shared.settings.lease.as_secs().max(1)).unwrap_or(i64::MAX);
    let until = Timestamp(shared.now().0.saturating_add(seconds));
    match shared.store.heartbeat(&leases, until).await {
        Ok(answers) => {
            for (lease, held) in leases.iter().zip(answers) {
                match held {
                    Held::Yes => {}
                    Held::CancelAsked => shared.signal(lease, Signal::Cancelled),
                    Held::Lost => shared.signal(lease, Signal::Lost),
                }
            }
        }
        // The fence decides in the end; until then the jobs may as well go on.
        Err(error) => tracing::warn!(error = %error, jobs = leases.len(), "leases could not be extended"),
    }
}
