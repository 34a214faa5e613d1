//! The SQLite store keeps the contract that all stores share.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use reflexio_store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

async fn fresh() -> (TempDir, SqliteStore) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("test.db"), &Options::default()).unwrap();
    (folder, store)
}

reflexio_store_tests::conformance_tests!(fresh);
