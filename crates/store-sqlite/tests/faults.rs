//! What happens when the disk, the file or the process lets the store down.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::fs;

use reflexio_store::{
    Error, Maintenance, ProfileFilter, Profiles, RequestSelector, Requests, RunStart, Runs, Undone,
};
use reflexio_store_sqlite::{Options, SqliteStore};
use reflexio_types::{
    NEVER_EXPIRES, Profile, ProfileBody, ProfileTimeToLive, RunKind, RunState, Status, Timestamp,
};
use rusqlite::Connection;
use support::{Mount, count, open, org, publish, publish_long};
use tempfile::TempDir;

#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_answered_and_heals_when_space_returns() {
    let Some(mount) = Mount::tmpfs("6m") else { return };
    let store = open(&mount.path().join("test.db"));
    publish(&store, "first").await.unwrap();
    let filler = mount.path().join("filler");
    fs::write(&filler, vec![1; 4 << 20]).unwrap();
    let mut stored = 1;
    let error = loop {
        match publish_long(&store, &format!("r{stored}")).await {
            Ok(()) => stored += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Full), "{error:?}");
    assert_eq!(count(&store).await, stored, "reads go on, and what failed left nothing");
    assert!(matches!(publish_long(&store, "again").await, Err(Error::Full)));

    fs::remove_file(filler).unwrap();
    publish_long(&store, "again").await.unwrap();
    store.ping().await.unwrap();
    assert_eq!(count(&store).await, stored + 1);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn a_database_at_its_size_limit_refuses_writes_until_rows_are_deleted() {
    let folder = TempDir::new().unwrap();
    let options = Options { most_pages: Some(700), ..Options::default() };
    let store = SqliteStore::open(&folder.path().join("test.db"), &options).unwrap();
    let mut stored = 0;
    let error = loop {
        match publish_long(&store, &format!("r{stored}")).await {
            Ok(()) => stored += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Full), "{error:?}");
    assert!(stored > 3);
    assert_eq!(count(&store).await, stored);

    let old = RequestSelector::Ids((0..3).map(|n| format!("r{n}").into()).collect());
    assert_eq!(store.delete_requests(&org(), &old).await.unwrap(), 3);
    publish_long(&store, "again").await.unwrap();
    assert_eq!(count(&store).await, stored - 2);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn an_undo_that_fails_has_changed_nothing() {
    let folder = TempDir::new().unwrap();
    let options = Options { most_pages: Some(900), ..Options::default() };
    let store = SqliteStore::open(&folder.path().join("test.db"), &options).unwrap();
    let statuses = [Status::Archived, Status::Current, Status::Pending];
    let rows = (0..300).map(|n| profile(n, statuses[n % 3])).collect();
    store.add_profiles(&org(), rows, None).await.unwrap();
    let before = profiles(&store).await;
    store.upgrade_profiles(&org(), None, false, &run("up"), Timestamp(2)).await.unwrap();
    let after = profiles(&store).await;
    let mut stored = 0;
    while publish_long(&store, &format!("r{stored}")).await.is_ok() {
        stored += 1;
    }
    let failed = store.undo_run(&org(), &"up".into(), &run("undo"), Timestamp(3)).await;
    assert!(matches!(failed, Err(Error::Full)), "{failed:?}");
    assert_eq!(profiles(&store).await, after);
    let told = store.run(&org(), &"up".into()).await.unwrap().unwrap();
    assert_eq!((told.state, store.run(&org(), &"undo".into()).await.unwrap()), (RunState::Done, None));

    let all = RequestSelector::Ids((0..stored).map(|n| format!("r{n}").into()).collect());
    store.delete_requests(&org(), &all).await.unwrap();
    let done = store.undo_run(&org(), &"up".into(), &run("undo"), Timestamp(3)).await.unwrap();
    assert!(matches!(done, Undone::Done(_)), "{done:?}");
    assert_eq!(profiles(&store).await, before);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

async fn profiles(store: &SqliteStore) -> Vec<Profile> {
    store.profiles(&org(), &ProfileFilter::default(), 1_000).await.unwrap()
}

/// A profile of about a kilobyte.
fn profile(n: usize, status: Status) -> Profile {
    let content: String = (0..150).map(|word| format!("w{} ", word * (n + 1))).collect();
    Profile {
        id: format!("p{n:03}").into(),
        user_id: "u1".into(),
        request_id: "r".into(),
        last_modified: Timestamp(1),
        time_to_live: ProfileTimeToLive::Infinity,
        expires_at: NEVER_EXPIRES,
        source: None,
        status,
        body: ProfileBody { content, ..ProfileBody::default() },
    }
}

fn run(id: &str) -> RunStart {
    RunStart {
        id: id.into(),
        kind: RunKind::Upgrade,
        actor: None,
        automatic: false,
        job: None,
        scope: String::new(),
        user_id: None,
    }
}

#[tokio::test]
async fn a_read_only_folder_is_refused_as_read_only() {
    let Some(mount) = Mount::tmpfs("4m") else { return };
    let path = mount.path().join("test.db");
    publish(&open(&path), "first").await.unwrap();
    mount.make_read_only();
    let refused = SqliteStore::open(&path, &Options::default()).err();
    assert!(matches!(refused, Some(Error::ReadOnly)), "{refused:?}");
}

#[tokio::test]
async fn what_was_answered_survives_a_power_cut() {
    let (before, after) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = open(&before.path().join("test.db"));
    for n in 0..5 {
        publish(&store, &format!("r{n}")).await.unwrap();
    }
    // The files as they lie on the disk right after the last answer, the store still running.
    for name in ["test.db", "test.db-wal"] {
        fs::copy(before.path().join(name), after.path().join(name)).unwrap();
    }
    let revived = open(&after.path().join("test.db"));
    assert_eq!(count(&revived).await, 5);
    assert_eq!(revived.check_integrity().await.unwrap().problems, Vec::<String>::new());
    publish(&revived, "r5").await.unwrap();
}

#[tokio::test]
async fn a_write_torn_by_a_power_cut_is_dropped_whole() {
    let (before, after) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = open(&before.path().join("test.db"));
    for n in 0..5 {
        publish(&store, &format!("r{n}")).await.unwrap();
    }
    fs::copy(before.path().join("test.db"), after.path().join("test.db")).unwrap();
    let log = fs::read(before.path().join("test.db-wal")).unwrap();
    let mut seen = Vec::new();
    for cut in (0..=log.len()).step_by(4096 * 3 + 777) {
        fs::write(after.path().join("test.db-wal"), &log[..cut]).unwrap();
        if let Ok(revived) = SqliteStore::open(&after.path().join("test.db"), &Options::default()) {
            seen.push(count(&revived).await);
            assert_eq!(
                revived.check_integrity().await.unwrap().problems,
                Vec::<String>::new(),
                "cut at {cut}"
            );
        }
        // Closing folded the log into the copy.
        fs::copy(before.path().join("test.db"), after.path().join("test.db")).unwrap();
    }
    assert!(seen.is_sorted() && seen.len() > 2, "{seen:?}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    drop(open(&path));
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 9999).unwrap();
    refused(&path, "newer version");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    fs::write(&path, "these are my notes, please keep them. ".repeat(100)).unwrap();
    refused(&path, "not a database");
    assert!(fs::read_to_string(&path).unwrap().starts_with("these are my notes"));
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
    refused(&path, "another program");
    let tables: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 1);
}

fn refused(path: &std::path::Path, reason: &str) {
    match SqliteStore::open(path, &Options::default()).err() {
        Some(Error::Corrupt(text)) => assert!(text.contains(reason), "{text}"),
        other => assert!(matches!(other, Some(Error::Corrupt(_))), "{other:?}"),
    }
}
