//! Starting servers and commands, and looking at what they did.

mod embedder;
mod run;
mod scripted;
mod server;
mod snapshot;

use std::time::{Duration, Instant};

pub(crate) use embedder::Embedder;
pub(crate) use run::{Output, Run, command, folder, reflexio, write};
pub(crate) use scripted::Scripted;
pub(crate) use server::Server;
pub(crate) use snapshot::settings;

/// Longer than anything here takes on a slow machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// Looks again and again until something is there.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < DEADLINE, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
