use std::collections::HashSet;
use std::time::Duration;

use reflexio_store::{Claim, Claimed, Error, JobFilter, Jobs, Page};
use reflexio_types::{Job, JobKind, JobState, NewJob, OrgId, Timestamp};
use serde_json::json;
use tempfile::TempDir;

use super::attempt::complete_in;
use crate::{Options, SqliteStore};

const NOW: Timestamp = Timestamp(1_700_000_000);

fn open() -> (TempDir, SqliteStore) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("test.db"), &Options::default()).unwrap();
    (folder, store)
}

fn org() -> OrgId {
    OrgId::new("acme")
}

async fn queued(store: &SqliteStore) {
    let job = NewJob::of_user(JobKind::Learn, "u1".into(), json!({}));
    store.enqueue(&org(), vec![job], NOW).await.unwrap();
}

async fn claim(store: &SqliteStore, now: Timestamp) -> Vec<Claimed> {
    let (lease, paused) = (Duration::from_secs(9), HashSet::new());
    store
        .claim(Claim { kinds: &JobKind::ALL, worker: "w1", now, lease, limit: 9, paused: &paused })
        .await
        .unwrap()
}

async fn all(store: &SqliteStore) -> Vec<Job> {
    store.jobs(&org(), &JobFilter::default(), Page::first(9)).await.unwrap().0
}

#[tokio::test]
async fn a_job_of_an_unknown_kind_is_listed_and_never_claimed() {
    let (_folder, store) = open();
    queued(&store).await;
    store.writer.write(|tx| Ok(tx.sql.execute("UPDATE jobs SET kind = 'brew'", [])?)).await.unwrap();
    assert_eq!(all(&store).await[0].kind, "brew");
    assert_eq!(claim(&store, NOW).await, []);
    let cancelled = store.cancel_job(&org(), all(&store).await[0].id, NOW).await.unwrap().unwrap();
    assert_eq!(cancelled.state, JobState::Cancelled);
}

/// What an extraction will do: its rows and the end of its job are one transaction.
async fn learn_and_complete(store: &SqliteStore, claimed: Claimed, name: &'static str) -> Result<(), Error> {
    store
        .writer
        .write(move |tx| {
            let text = "INSERT INTO stalls (org_id, body) VALUES (?, '{}')";
            tx.sql.execute(text, [name])?;
            complete_in(tx, &claimed.lease, NOW)
        })
        .await
}

#[tokio::test]
async fn a_result_and_the_end_of_its_job_are_stored_together_or_not_at_all() {
    let (_folder, store) = open();
    queued(&store).await;
    let old = claim(&store, NOW).await.remove(0);
    let new = claim(&store, Timestamp(NOW.0 + 99)).await.remove(0);
    let refused = learn_and_complete(&store, old, "old result").await;
    assert!(matches!(refused, Err(Error::LostLease(_))), "{refused:?}");
    learn_and_complete(&store, new, "new result").await.unwrap();
    let read =
        |sql: &rusqlite::Connection| Ok(sql.query_row("SELECT org_id FROM stalls", [], |row| row.get(0))?);
    let stored: String = store.readers.read(read).await.unwrap();
    assert_eq!(stored, "new result");
    assert_eq!(all(&store).await[0].state, JobState::Done);
}

#[tokio::test]
async fn a_lane_cannot_have_two_first_jobs_whatever_a_statement_says() {
    let (_folder, store) = open();
    queued(&store).await;
    queued(&store).await;
    let forced = store.writer.write(|tx| Ok(tx.sql.execute("UPDATE jobs SET place = 'ready'", [])?)).await;
    assert!(forced.is_err());
    assert_eq!(claim(&store, NOW).await.len(), 1);
}
