//! Starting with the indexes that were saved at the last end.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::path::Path;

use reflexio_search::TextQuery;
use reflexio_store::{
    Ask, Embedded, InteractionFilter, Interactions, Maintenance, NewRequest, Requests, VectorIndex,
    VectorModel, Vectors, Words,
};
use reflexio_store_sqlite::{Options, SqliteStore};
use reflexio_types::{LearningIntent, OrgId, Request, RequestId, SessionId, Timestamp, Turn, UserId};
use tempfile::TempDir;

const DIMENSION: usize = 8;

fn model() -> VectorModel {
    VectorModel { id: "test".to_owned(), dimension: DIMENSION }
}

fn axis(at: usize) -> Vec<f32> {
    (0..DIMENSION).map(|place| if place == at { 1.0 } else { 0.0 }).collect()
}

fn org() -> OrgId {
    OrgId::new("acme")
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, &Options { restore: true, ..Options::default() }).unwrap()
}

async fn say(store: &SqliteStore, request: &str, texts: &[&str]) {
    let request = Request {
        id: RequestId::new(request),
        user_id: UserId::new("ann"),
        session_id: SessionId::new("s"),
        created_at: Timestamp(1),
        source: String::new(),
        agent_version: "v1".to_owned(),
        experiment: None,
        intent: LearningIntent::default(),
    };
    let turns = texts.iter().map(|text| Turn::say(Timestamp(1), "User", text)).collect();
    store
        .publish(
            &org(),
            NewRequest {
                request,
                turns,
                images: Vec::new(),
                job: None,
                also: Vec::new(),
                for_new_version: None,
            },
        )
        .await
        .unwrap();
}

async fn embed(store: &SqliteStore) {
    for (org, rows) in store.unembedded(100).await.unwrap() {
        let vectors = rows
            .iter()
            .map(|row| (row.row, Embedded::Vector(axis(row.row.key as usize % DIMENSION))))
            .collect();
        store.put_vectors(&org, &model(), vectors).await.unwrap();
    }
}

/// What a search by words and one by meaning find.
async fn found(store: &SqliteStore) -> Vec<(String, bool)> {
    let words = Some(TextQuery::parse("parcel "));
    let ask = Ask { words, meaning: vec![axis(1)], limit: 10, ..Ask::default() };
    let rows = store.search_interactions(&org(), &InteractionFilter::default(), &ask).await.unwrap();
    rows.into_iter().map(|row| (row.row.turn.content, row.cosine.is_some())).collect()
}

async fn filled(path: &Path) -> SqliteStore {
    let store = open(path);
    store.warm_words().await.unwrap();
    store.use_model(Some(&model())).await.unwrap();
    say(&store, "r1", &["my parcel is late", "which parcel", "something else"]).await;
    embed(&store).await;
    store
}

/// Whether both indexes were there without being read from the tables.
fn restored(store: &SqliteStore) -> bool {
    store.has_warm_words() && matches!(store.vector_index(), VectorIndex::Ready { rows: 3, .. })
}

#[tokio::test]
async fn a_start_after_an_orderly_end_finds_the_same_at_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = filled(&path).await;
    let before = found(&store).await;
    store.suspend().await.unwrap();
    drop(store);
    let store = open(&path);
    assert!(restored(&store));
    assert!(!path.with_extension("db.index").exists(), "the file is taken away");
    store.warm_words().await.unwrap();
    store.use_model(Some(&model())).await.unwrap();
    assert_eq!(found(&store).await, before);
    say(&store, "r2", &["another parcel"]).await;
    embed(&store).await;
    assert_eq!(found(&store).await.len(), before.len() + 1);
}

#[tokio::test]
async fn what_changed_after_the_file_was_saved_makes_it_useless() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = filled(&path).await;
    store.suspend().await.unwrap();
    say(&store, "r2", &["another parcel"]).await;
    drop(store);
    assert!(!restored(&open(&path)));
}

#[tokio::test]
async fn another_program_that_writes_makes_it_useless() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = filled(&path).await;
    store.suspend().await.unwrap();
    drop(store);
    let tool = SqliteStore::open(&path, &Options::default()).unwrap();
    say(&tool, "r2", &["another parcel"]).await;
    drop(tool);
    assert!(!restored(&open(&path)));
}

#[tokio::test]
async fn a_damaged_or_cut_file_is_left_aside() {
    for damage in [
        |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2),
        |bytes: &mut Vec<u8>| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("test.db");
        let store = filled(&path).await;
        let before = found(&store).await;
        store.suspend().await.unwrap();
        drop(store);
        let file = folder.path().join("test.db.index");
        let mut bytes = std::fs::read(&file).unwrap();
        damage(&mut bytes);
        std::fs::write(&file, bytes).unwrap();
        let store = open(&path);
        assert!(!restored(&store));
        store.warm_words().await.unwrap();
        store.use_model(Some(&model())).await.unwrap();
        assert_eq!(found(&store).await, before);
    }
}

#[tokio::test]
async fn after_an_erasure_nothing_is_saved() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = filled(&path).await;
    store.clear_user(&org(), &UserId::new("bob")).await.unwrap();
    store.suspend().await.unwrap();
    drop(store);
    assert!(!folder.path().join("test.db.index").exists());
}

#[tokio::test]
async fn without_an_orderly_end_there_is_no_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    drop(filled(&path).await);
    assert!(!restored(&open(&path)));
}
