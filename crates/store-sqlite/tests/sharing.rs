//! Many writers, several openers, and copies taken while others write.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod support;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use reflexio_store::{
    Error, InteractionFilter, InteractionOrder, Interactions, Maintenance, Requests, Transfer,
};
use support::{count, new_request, open, org, publish};
use tempfile::TempDir;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_publishers_lose_nothing_and_get_ids_of_their_own() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(open(&folder.path().join("test.db")));
    let mut tasks = JoinSet::new();
    for publisher in 0..64 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let mut ids = Vec::new();
            for n in 0..50 {
                let new = new_request(&format!("r{publisher}-{n}"), &["refund", "order"]);
                ids.extend(store.publish(&org(), new).await.unwrap().interaction_ids);
            }
            assert!(ids.is_sorted());
            ids
        });
    }
    let ids: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    let unique: HashSet<_> = ids.iter().collect();
    assert_eq!((ids.len(), unique.len()), (6400, 6400));
    assert_eq!(count(&store).await, 3200);
    let listed = store
        .interactions(&org(), &InteractionFilter::default(), InteractionOrder::LatestArrivalFirst, 10_000)
        .await
        .unwrap();
    assert_eq!(listed.len(), 6400);
    assert_eq!(store.check_integrity().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_opener_of_the_file_reads_and_writes_beside_the_first() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let stores = [Arc::new(open(&path)), Arc::new(open(&path))];
    let mut tasks = JoinSet::new();
    for (opener, store) in stores.iter().enumerate() {
        let store = Arc::clone(store);
        tasks.spawn(async move {
            for n in 0..100 {
                publish(&store, &format!("r{opener}-{n}")).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    for store in &stores {
        assert_eq!(count(store).await, 200);
    }
    let [first, second] = stores;
    drop(first);
    publish(&second, "after").await.unwrap();
    assert_eq!(count(&open(&path)).await, 201);
}

#[test]
fn openers_that_start_together_make_one_schema() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    std::thread::scope(|scope| {
        let openers: Vec<_> = (0..8).map(|_| scope.spawn(|| drop(open(&path)))).collect();
        openers.into_iter().for_each(|opener| opener.join().unwrap());
    });
}

#[tokio::test]
async fn a_backup_taken_while_others_write_is_a_sound_database() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(open(&folder.path().join("test.db")));
    for n in 0..50 {
        publish(&store, &format!("r{n}")).await.unwrap();
    }
    let writing = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for n in 50..150 {
                publish(&store, &format!("r{n}")).await.unwrap();
            }
        })
    };
    let copy = folder.path().join("copy.db");
    let told = Mutex::new(Vec::new());
    store.backup(&copy, &|done, total| told.lock().unwrap().push((done, total))).await.unwrap();
    writing.await.unwrap();

    let told = told.into_inner().unwrap();
    assert!(
        told.is_sorted() && told.last().is_some_and(|(done, total)| done == total && *total > 0),
        "{told:?}"
    );
    let restored = open(&copy);
    assert!((50..=150).contains(&count(&restored).await));
    assert_eq!(restored.check_integrity().await.unwrap().problems, Vec::<String>::new());
    publish(&restored, "later").await.unwrap();
    assert_eq!(count(&store).await, 150);
}

#[tokio::test]
async fn a_backup_never_replaces_a_file() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder.path().join("test.db"));
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "mine").unwrap();
    let refused = store.backup(&taken, &|_, _| {}).await;
    assert!(matches!(refused, Err(Error::Duplicate { .. })), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), "mine");
    let nowhere = folder.path().join("missing").join("copy.db");
    assert!(store.backup(&nowhere, &|_, _| {}).await.is_err());
}

#[tokio::test]
async fn an_export_shows_one_moment_while_others_write() {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(open(&folder.path().join("test.db")));
    for n in 0..400 {
        publish(&store, &format!("r{n}")).await.unwrap();
    }
    let (send, mut wanted) = tokio::sync::mpsc::unbounded_channel();
    let writing = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            wanted.recv().await;
            publish(&store, "late").await.unwrap();
        })
    };
    let mut rows = 0;
    let mut sink = |_| {
        rows += 1;
        // One word is enough; later ones find nobody.
        let _ = send.send(());
        Ok(())
    };
    assert_eq!(store.export(&org(), &mut sink).await.unwrap(), 800);
    writing.await.unwrap();
    assert_eq!((rows, count(&store).await), (800, 401));
}
