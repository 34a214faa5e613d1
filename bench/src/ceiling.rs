//! What the disk alone can do, measured in the same minute as the server.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::latency::Latency;

/// Writes go round in a file of this size, as in a write-ahead log that was cut back: its size never changes,
/// so that the system has only data to make durable.
const FILE_BYTES: u64 = 16 << 20;

/// Writes that were each made durable before the next.
#[derive(Debug)]
pub(crate) struct Syncs {
    pub(crate) latency: Latency,
    elapsed: Duration,
}

impl Syncs {
    pub(crate) fn per_second(&self) -> f64 {
        self.latency.count() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Writes `bytes` and calls `fdatasync`, again and again, in a file of its own in `folder`.
pub(crate) async fn durable_writes(folder: &Path, bytes: usize, time: Duration) -> anyhow::Result<Syncs> {
    let path = folder.join("ceiling");
    let done = tokio::task::spawn_blocking(move || {
        let done = write_for(&path, bytes, time);
        std::fs::remove_file(&path)?;
        done
    });
    done.await?.context("cannot measure durable writes")
}

fn write_for(path: &Path, bytes: usize, time: Duration) -> anyhow::Result<Syncs> {
    let file = File::create(path)?;
    let piece = vec![b'x'; bytes.max(1)];
    let room = FILE_BYTES.max(piece.len() as u64 * 2);
    file.write_all_at(&vec![b'-'; room as usize], 0)?;
    file.sync_all()?;
    let mut latency = Latency::new()?;
    let (started, mut at) = (Instant::now(), 0);
    while started.elapsed() < time {
        let before = Instant::now();
        file.write_all_at(&piece, at)?;
        file.sync_data()?;
        latency.record(before.elapsed());
        at += piece.len() as u64;
        if at + piece.len() as u64 > room {
            at = 0;
        }
    }
    Ok(Syncs { latency, elapsed: started.elapsed() })
}
