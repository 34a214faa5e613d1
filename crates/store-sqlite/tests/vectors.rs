//! Vectors in the file and the index in memory: after reopening, and when the file is damaged.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::path::Path;

use reflexio_store::{Ask, Interactions, Maintenance, Profiles, Requests, VectorIndex, VectorModel, Vectors};
use reflexio_store_sqlite::SqliteStore;
use rusqlite::Connection;
use support::vectors::{add_profiles, embed_all, model, near, nearest, number, profile, vector};
use support::{new_request, open, org};
use tempfile::TempDir;

async fn say(store: &SqliteStore, numbers: std::ops::Range<u64>) {
    let texts: Vec<String> = numbers.clone().map(|n| format!("turn {n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    store.publish(&org(), new_request(&format!("r{}", numbers.start), &texts)).await.unwrap();
}

async fn filled(path: &Path, rows: u64) -> SqliteStore {
    let store = open(path);
    store.use_model(Some(&model())).await.unwrap();
    say(&store, 0..rows).await;
    add_profiles(&store, (0..rows).map(profile).collect()).await;
    embed_all(&store).await;
    store
}

async fn answers(store: &SqliteStore) -> Vec<Vec<(u64, Option<f64>)>> {
    let mut answers = Vec::new();
    for n in 0..10 {
        let ask = near(vector(1_000_000 + n), 20);
        let turns = nearest(store, &org(), &ask).await;
        answers.push(turns.iter().map(|hit| (number(&hit.row.turn.content), hit.cosine)).collect());
        let facts = store.search_profiles(&org(), &Default::default(), &ask).await.unwrap();
        answers.push(facts.iter().map(|hit| (number(&hit.row.body.content), hit.cosine)).collect());
    }
    answers
}

#[tokio::test]
async fn a_reopened_file_gives_the_same_answers() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = filled(&path, 1500).await;
    say(&store, 1500..1510).await;
    let before = answers(&store).await;
    assert!(before.iter().all(|answer| answer.len() == 20));
    drop(store);
    let store = open(&path);
    assert_eq!(store.vector_index(), VectorIndex::Off);
    store.use_model(Some(&model())).await.unwrap();
    assert!(matches!(store.vector_index(), VectorIndex::Ready { rows: 3000, .. }));
    assert_eq!(answers(&store).await, before);
    let waiting: usize = store.unembedded(5000).await.unwrap().iter().map(|(_, rows)| rows.len()).sum();
    assert_eq!(waiting, 10, "only what had no vector");
}

#[tokio::test]
async fn a_switch_of_models_that_was_cut_short_is_finished_at_the_next_start() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    drop(filled(&path, 50).await);
    // As if the process had ended right after the model was changed.
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "INSERT INTO vector_models (id, dimension, in_use, queued) VALUES ('next', 8, 0, 0);
             UPDATE vector_models SET in_use = (id = 'next'), queued = 0;",
        )
        .unwrap();
    let store = open(&path);
    let next = VectorModel { id: "next".to_owned(), ..model() };
    store.use_model(Some(&next)).await.unwrap();
    let waiting: usize = store.unembedded(5000).await.unwrap().iter().map(|(_, rows)| rows.len()).sum();
    assert_eq!(waiting, 100);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn damaged_vectors_fail_neither_loading_nor_searching() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let store = filled(&path, 20).await;
    let damages = [
        "vector = x'00'",
        "vector = zeroblob(32)",
        "vector = x''",
        "vector = 'text'",
        "vector = vector || x'00'",
        "vector = zeroblob(64)",
        "vector = x'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff'",
        "model = 77",
    ];
    {
        let sql = Connection::open(&path).unwrap();
        for (key, damage) in (1..).zip(damages) {
            for table in ["interactions_vectors", "profiles_vectors"] {
                sql.execute(&format!("UPDATE {table} SET {damage} WHERE key = ?"), [key]).unwrap();
            }
        }
    }
    let check = async |store: &SqliteStore| {
        let whole = 20 - damages.len();
        let by_meaning = nearest(store, &org(), &near(vector(1), 100)).await;
        let finite = by_meaning.iter().all(|hit| hit.cosine.is_some_and(f64::is_finite));
        assert!(finite, "{by_meaning:?}");
        let facts = store.search_profiles(&org(), &Default::default(), &near(vector(1), 100)).await.unwrap();
        let words = Some(reflexio_search::TextQuery::parse("turn"));
        let both = Ask { words, ..near(vector(1), 100) };
        assert_eq!(nearest(store, &org(), &both).await.len(), 20, "by words all of them");
        let of_one =
            reflexio_store::InteractionFilter { request_id: Some("r0".into()), ..Default::default() };
        let few = store.search_interactions(&org(), &of_one, &both).await.unwrap();
        assert_eq!(few.len(), 20);
        (by_meaning.len(), facts.len(), whole)
    };
    check(&store).await;
    drop(store);
    let store = open(&path);
    store.use_model(Some(&model())).await.unwrap();
    let (turns, facts, whole) = check(&store).await;
    assert_eq!((turns, facts), (whole, whole));
    let problems = store.check_integrity().await.unwrap().problems;
    assert_eq!(problems.iter().filter(|line| line.contains("is damaged")).count(), 2 * 7, "{problems:?}");
    assert_eq!(problems.iter().filter(|line| line.contains("a model that")).count(), 2, "{problems:?}");

    Connection::open(&path)
        .unwrap()
        .execute_batch("DELETE FROM interactions_vectors WHERE key > 15")
        .unwrap();
    assert_eq!(store.rebuild_vectors(&org()).await.unwrap(), 40, "also those that are lost altogether");
    embed_all(&store).await;
    assert_eq!(nearest(&store, &org(), &near(vector(1), 100)).await.len(), 20, "made anew");
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}
