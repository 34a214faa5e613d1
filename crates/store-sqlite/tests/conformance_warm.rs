//! The same contract once more with the words of all rows in memory: searches go another way and find the same.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use reflexio_store::Words;
use reflexio_store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

async fn warm() -> (TempDir, SqliteStore) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("test.db"), &Options::default()).unwrap();
    store.warm_words().await.unwrap();
    (folder, store)
}

reflexio_store_tests::conformance_tests!(warm);
