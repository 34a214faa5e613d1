use std::path::Path;
use std::time::{Duration, Instant};

use reflexio_store as store;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::Options;
use crate::error::Result;
use crate::fts::Index;
use crate::runs;

/// One script per version; a released script never changes.
const MIGRATIONS: [&str; 14] = [
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_learning.sql"),
    include_str!("migrations/0003_sidecar.sql"),
    include_str!("migrations/0004_costs.sql"),
    include_str!("migrations/0005_evaluations.sql"),
    include_str!("migrations/0006_shadow_comparisons.sql"),
    include_str!("migrations/0007_aggregations.sql"),
    include_str!("migrations/0008_agent_playbook_revisions.sql"),
    include_str!("migrations/0009_optimizations.sql"),
    include_str!("migrations/0010_runs.sql"),
    include_str!("migrations/0011_agent_versions.sql"),
    include_str!("migrations/0012_injections.sql"),
    include_str!("migrations/0013_analytics.sql"),
    include_str!("migrations/0014_playbook_runs.sql"),
];
/// "Rflx": tells our files from those of other programs.
const APPLICATION_ID: i32 = 0x5266_6c78;
/// How long to wait for another process before giving up.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const RETRY_AFTER: Duration = Duration::from_millis(10);
const CACHED_STATEMENTS: usize = 256;
/// After so many pages (16 MiB) the write-ahead log is copied into the database.
const CHECKPOINT_PAGES: i64 = 4000;
/// A longer log is cut back after a checkpoint.
const LONGEST_LOG_BYTES: i64 = 64 << 20;
const WRITER_CACHE_KIB: i64 = 64 << 10;
const READER_CACHE_KIB: i64 = 16 << 10;

/// The schema version this program writes.
pub(crate) fn version() -> i32 {
    MIGRATIONS.len() as i32
}

/// The one connection that writes; creates the file and brings its schema up to date.
pub(crate) fn open_writer(path: &Path, options: &Options) -> Result<Connection> {
    create_private(path)?;
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE, WRITER_CACHE_KIB)?;
    check_owner(&connection)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", LONGEST_LOG_BYTES)?;
    // An answered write survives a power cut, not only a crash of this program.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What was erased is overwritten at once, pages given back included: "fast" would leave those as they are.
    connection.pragma_update(None, "secure_delete", true)?;
    if let Some(pages) = options.most_pages {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    migrate(&mut connection)?;
    runs::install(&connection)?;
    Ok(connection)
}

/// Tries again while others open or close the same file: SQLite does not wait for every lock that they hold then.
pub(crate) fn patiently<T>(mut open: impl FnMut() -> Result<T>) -> Result<T> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match open().map_err(store::Error::from) {
            Err(store::Error::Busy) if Instant::now() < deadline => std::thread::sleep(RETRY_AFTER),
            Err(error) => return Err(error.into()),
            Ok(opened) => return Ok(opened),
        }
    }
}

/// Conversations are private: a new file belongs to its owner alone, and SQLite gives the files beside it
/// the same rights. An empty file is a new database to SQLite.
fn create_private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.into()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// A connection that only reads.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    // Not opened read-only: readers of a write-ahead log take part in its shared memory.
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE, READER_CACHE_KIB)?;
    for index in Index::ALL {
        let (tokens, table) = (index.tokens(), index.table());
        let text = format!("CREATE VIRTUAL TABLE {tokens} USING fts5vocab (main, {table}, instance)");
        connection.execute_batch(&text)?;
    }
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags, cache_kib: i64) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Otherwise SQLite plans a statement anew for every value that could make another plan better.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    Ok(connection)
}

fn check_owner(connection: &Connection) -> Result<()> {
    // In this order: whoever makes the tables meanwhile writes the id with them.
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id == APPLICATION_ID || (id == 0 && tables == 0) {
        return Ok(());
    }
    Err(store::Error::Corrupt("the file is a database of another program".to_owned()).into())
}

fn migrate(connection: &mut Connection) -> Result<()> {
    if stored_version(connection)? == version() {
        return Ok(());
    }
    // Another process may migrate at the same time, so the version counts only inside the transaction.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = stored_version(&transaction)?;
    if found > version() {
        return Err(store::Error::Corrupt(format!(
            "it was written by a newer version of this program (schema {found}, this program knows {})",
            version()
        ))
        .into());
    }
    for script in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(script)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", version())?;
    transaction.commit()?;
    Ok(())
}

fn stored_version(connection: &Connection) -> Result<i32> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
