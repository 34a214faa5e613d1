//! The power cable, pulled while rows get their vectors.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reflexio_store::{Maintenance, Profiles, Vectors};
use rusqlite::Connection;
use support::vectors::{add_profiles, embed_all, embed_some, model, near, number, profile, vector};
use support::{open, org};
use tempfile::TempDir;

const ROWS: u64 = 2000;
/// Tells a child process which database to work on.
const DATABASE: &str = "REFLEXIO_TEST_DATABASE";
const LONGEST: Duration = Duration::from_secs(60);

/// Not a test of its own: the process that is killed below.
#[tokio::test]
async fn a_child_embeds_until_it_is_killed() {
    let Some(path) = std::env::var_os(DATABASE) else { return };
    let store = open(Path::new(&path));
    store.use_model(Some(&model())).await.unwrap();
    while embed_some(&store, 10).await > 0 {}
}

fn start_child(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_child_embeds_until_it_is_killed"])
        .env(DATABASE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn vectors(path: &Path) -> u64 {
    let sql = Connection::open(path).unwrap();
    sql.busy_timeout(LONGEST).unwrap();
    sql.query_row("SELECT count(*) FROM profiles_vectors", [], |row| row.get::<_, u32>(0)).unwrap().into()
}

#[tokio::test]
async fn a_killed_backfill_loses_nothing_and_does_nothing_twice() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path);
    add_profiles(&store, (0..ROWS).map(profile).collect()).await;
    drop(store);
    for round in 0..4 {
        let before = vectors(&path);
        let mut child = start_child(&path);
        let started = Instant::now();
        while vectors(&path) < before + 50 && child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < LONGEST, "round {round}: nothing was embedded");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let store = open(&path);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
    store.use_model(Some(&model())).await.unwrap();
    let waiting: u64 = store.vector_counts(&org()).await.unwrap().iter().map(|counts| counts.waiting).sum();
    assert_eq!(vectors(&path) + waiting, ROWS, "each row has a vector or waits");
    embed_all(&store).await;
    let found = store.search_profiles(&org(), &Default::default(), &near(vector(1), 100_000)).await.unwrap();
    let mut numbers: Vec<u64> = found.iter().map(|hit| number(&hit.row.body.content)).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..ROWS).collect::<Vec<_>>());
}
