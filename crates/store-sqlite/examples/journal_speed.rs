//! What it costs to keep the journal of a playbook run, durably, in the server's store:
//!
//!     cargo run --release -p reflexio-store-sqlite --example journal_speed
//!
//! Entries of one event are stored together, so a step costs less the more steps an event sets going.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints and may fail loudly")]

use std::collections::HashSet;
use std::time::{Duration, Instant};

use reflexio_store::{Claim, Jobs, JournalPiece, Lease, NewPlaybookRun, PlaybookRuns};
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{JobKind, NewJob, OrgId, PlaybookRun, PlaybookRunId, PlaybookRunStatus, Timestamp};
use tempfile::TempDir;

const NOW: Timestamp = Timestamp(1_794_744_000);
/// A step and what comes of it, as the engine writes them.
const STEP: [&str; 3] = [
    r#"{"entry":"step","frame":1,"step":"02"}"#,
    r#"{"entry":"set","frame":1,"variable":"total","value":1234}"#,
    r#"{"entry":"decided","frame":1,"step":"03","is_true":true,"by":{"by":"expression"}}"#,
];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("speed.db"), &Default::default()).unwrap();
    println!("steps an event | events | ms an event | us a step (wall)");
    for (steps, events) in [(1, 300), (5, 300), (20, 200), (100, 100), (1_000, 20)] {
        let (id, lease) = begin(&store, steps).await;
        let mut position = 0;
        let started = Instant::now();
        for _ in 0..events {
            let entries: Vec<String> =
                std::iter::repeat_n(STEP, steps).flatten().map(str::to_owned).collect();
            let piece = JournalPiece { position, told_by: None, entries };
            position += piece.entries.len() as u64;
            store.extend_playbook_journal(&lease, &id, piece, NOW).await.unwrap();
        }
        let took = started.elapsed().as_secs_f64() / f64::from(events);
        println!("{steps:5} | {events} | {:.2} | {:.1}", took * 1e3, took * 1e6 / steps as f64);
    }
}

async fn begin(store: &SqliteStore, number: usize) -> (PlaybookRunId, Lease) {
    let (org, id) = (OrgId::from("o"), PlaybookRunId::new(format!("run-{number}")));
    let run = PlaybookRun {
        id: id.clone(),
        user_id: "ann".into(),
        program: "speed".to_owned(),
        version: "1".to_owned(),
        status: PlaybookRunStatus::Running,
        reason: None,
        entries: 0,
        created_at: NOW,
        updated_at: NOW,
    };
    let job = NewJob::of_user(
        JobKind::PlaybookRun,
        format!("ann-{number}").as_str().into(),
        serde_json::Value::Null,
    );
    let new = NewPlaybookRun { run, source: "# Speed".to_owned(), journal: Vec::new(), jobs: vec![job] };
    store.create_playbook_run(&org, new).await.unwrap();
    let claim = Claim {
        kinds: &[JobKind::PlaybookRun],
        worker: "speed",
        now: NOW,
        lease: Duration::from_secs(3_600),
        limit: 1,
        paused: &HashSet::new(),
    };
    (id, store.claim(claim).await.unwrap().remove(0).lease)
}
