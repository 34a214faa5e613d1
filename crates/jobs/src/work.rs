use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use reflexio_store::Claimed;
use reflexio_types::JobKind;
use tokio::time::sleep;

use crate::handler::{Failure, Handler, Running};
use crate::report;
use crate::shared::Shared;
use crate::signal::{Listener, Signal};

/// How an attempt came to its end.
pub(crate) enum Outcome {
    Done,
    Failed(Failure),
    /// Somebody else has the job; there is nothing to say about it.
    Lost,
}

/// Runs one job and tells the store how it went.
pub(crate) async fn work(
    shared: Arc<Shared>,
    kind: JobKind,
    handler: Arc<dyn Handler>,
    claimed: Claimed,
    listener: Listener,
) {
    let started = Instant::now();
    let lease = claimed.lease.clone();
    let running = Running {
        lease: claimed.lease,
        job: claimed.job,
        store: Arc::clone(&shared.store),
        listener: listener.clone(),
    };
    let outcome = tokio::select! {
        // What has come to its end counts, whatever signal arrived with it.
        biased;
        outcome = attempt(handler.as_ref(), &running) => outcome,
        () = listener.reaches(Signal::Lost) => Outcome::Lost,
        () = overdue(&listener, shared.settings.cancel_grace) => Outcome::Failed(Failure::Stopped),
    };
    report::report(&shared, kind, &running, outcome, started.elapsed()).await;
    shared.ended(&lease);
}

/// A panic in a handler is a failed attempt like any other.
async fn attempt(handler: &dyn Handler, running: &Running) -> Outcome {
    match AssertUnwindSafe(handler.run(running)).catch_unwind().await {
        Ok(Ok(())) => Outcome::Done,
        Ok(Err(failure)) => Outcome::Failed(failure),
        Err(panic) => {
            let reason = format!("the handler panicked: {}", words_of(panic.as_ref()));
            Outcome::Failed(Failure::retryable(reason))
        }
    }
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

/// Returns when the job was cancelled and had time to end by itself.
async fn overdue(listener: &Listener, grace: Duration) {
    listener.reaches(Signal::Cancelled).await;
    sleep(grace).await;
}
