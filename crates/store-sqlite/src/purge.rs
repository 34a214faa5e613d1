//! Taking the words of erased users out of the text indexes for good.
//!
//! FTS5 only marks an entry as deleted; its terms stay in the file until the part that holds them is
//! rewritten. After an erasure the indexes are therefore rewritten, in small steps while the writer has
//! nothing else to do. What is left to do is noted in the database, so that a restart goes on with it.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::error::Result;
use crate::fts::Index;
use crate::schema;

/// Half a megabyte: a task that arrives meanwhile waits only a few milliseconds.
const PAGES_PER_STEP: i64 = 128;
/// SQLite counts fewer changes when a merge had nothing to do.
const CHANGES_OF_WORK: u64 = 2;

/// The write-ahead log, among the indexes that have to be rewritten.
const LOG: &str = "wal";

/// An index that has to be rewritten.
struct Purge {
    table: String,
    /// How often it was asked for.
    round: i64,
    /// The round that is under way, or 0.
    running: i64,
}

/// Notes, in the transaction that erases rows, that their words have to go.
pub(crate) fn request(sql: &Connection, index: Index) -> Result<()> {
    note(sql, index.table())
}

fn note(sql: &Connection, name: &str) -> Result<()> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO purges (index_name, round, running) VALUES (?, 1, 0)
         ON CONFLICT DO UPDATE SET round = round + 1",
    )?;
    statement.execute([name])?;
    Ok(())
}

/// How far the erasing is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    More,
    /// Somebody reads what has to go; it is tried again.
    Blocked,
}

/// Does a little.
pub(crate) fn step(connection: &Connection) -> Result<Progress> {
    let Some(purge) = next(connection)? else { return Ok(Progress::Done) };
    if purge.table == LOG {
        if !fold_log(connection)? {
            return Ok(Progress::Blocked);
        }
        forget(connection, LOG)?;
        return Ok(Progress::More);
    }
    let transaction = connection.unchecked_transaction()?;
    advance(&transaction, &purge)?;
    transaction.commit()?;
    Ok(Progress::More)
}

/// Copies the write-ahead log into the database and empties it, unless somebody reads from it: they may read
/// for long, and nobody should wait for them. Says whether it is empty.
pub(crate) fn fold_log(connection: &Connection) -> Result<bool> {
    connection.busy_timeout(Duration::ZERO)?;
    let is_blocked = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    connection.busy_timeout(schema::BUSY_TIMEOUT)?;
    Ok(!is_blocked?)
}

fn next(sql: &Connection) -> Result<Option<Purge>> {
    let mut statement =
        sql.prepare_cached("SELECT index_name, round, running FROM purges ORDER BY index_name = ? LIMIT 1")?;
    let from_row = |row: &Row<'_>| Ok(Purge { table: row.get(0)?, round: row.get(1)?, running: row.get(2)? });
    Ok(statement.query_row([LOG], from_row).optional()?)
}

/// A round begins with all pieces of the index as input of one merge. What is added later is none of its
/// business: to begin again each time would leave unfinished pieces until FTS5 has no number left for one.
fn advance(sql: &Connection, purge: &Purge) -> Result<()> {
    let begins = purge.running == 0;
    if merge(sql, &purge.table, if begins { -PAGES_PER_STEP } else { PAGES_PER_STEP })? {
        return if begins { set_running(sql, purge, purge.round) } else { Ok(()) };
    }
    if begins || purge.running == purge.round {
        // The old pages are also in the log, which is the last to go.
        note(sql, LOG)?;
        return forget(sql, &purge.table);
    }
    set_running(sql, purge, 0)
}

fn forget(sql: &Connection, name: &str) -> Result<()> {
    sql.prepare_cached("DELETE FROM purges WHERE index_name = ?")?.execute([name])?;
    Ok(())
}

fn set_running(sql: &Connection, purge: &Purge, round: i64) -> Result<()> {
    let text = "UPDATE purges SET running = ? WHERE index_name = ?";
    sql.prepare_cached(text)?.execute((round, &purge.table))?;
    Ok(())
}

/// Says whether there was anything to do. A negative number of pages begins to merge everything, a positive
/// one goes on.
fn merge(sql: &Connection, table: &str, pages: i64) -> Result<bool> {
    let before = sql.total_changes();
    let text = format!("INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)");
    sql.prepare_cached(&text)?.execute([pages])?;
    Ok(sql.total_changes() - before >= CHANGES_OF_WORK)
}
