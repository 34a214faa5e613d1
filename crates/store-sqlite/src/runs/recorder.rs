//! Notes what happens to learned rows while a run goes on.
//!
//! Triggers of the writing connection do it, so that no writer of rows has to think of it and none can forget it. They
//! live in memory and see the columns that a table has when the file is opened.

use std::collections::HashMap;

use reflexio_store::RunStart;
use reflexio_types::{OrgId, RunState, Status, Timestamp};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension};

use super::image;
use super::triggers::Table;
use crate::error::Result;
use crate::learned::Kind;
use crate::rows::word;
use crate::writer::Tx;

/// Makes a connection one that records.
pub(crate) fn install(sql: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    sql.create_scalar_function("row_digest", -1, flags, image::digest_function)?;
    sql.create_scalar_function("row_difference", -1, flags, image::difference_function)?;
    sql.execute_batch("CREATE TEMP TABLE recording (run INTEGER NOT NULL)")?;
    for kind in Kind::ALL {
        let table = Table { kind, columns: columns(sql, kind)? };
        sql.execute_batch(&table.triggers())?;
    }
    Ok(())
}

/// Does work as a run. It goes on with a run of the same id, unless that one was undone.
pub(crate) fn recorded<T>(
    tx: &mut Tx<'_>,
    org: &OrgId,
    run: &RunStart,
    at: Timestamp,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T>,
) -> Result<T> {
    let recording = begin(tx.sql, org, run, at)?;
    // An error takes the whole task back, with what was begun here.
    let done = work(tx)?;
    end(tx.sql, &recording, at)?;
    Ok(done)
}

struct Recording {
    run: i64,
    is_new: bool,
    /// Changes after this one are those of this transaction.
    last: i64,
}

fn begin(sql: &Connection, org: &OrgId, run: &RunStart, at: Timestamp) -> Result<Recording> {
    let mut id = run.id.to_string();
    let mut again = 1;
    let found = loop {
        match state_of(sql, org, &id)? {
            Some((_, RunState::Undone)) => {
                again += 1;
                id = format!("{}-{again}", run.id);
            }
            Some((key, RunState::Done)) => break Some(key),
            None => break None,
        }
    };
    let key = match found {
        Some(key) => key,
        None => insert(sql, org, &id, run, at)?,
    };
    let last =
        sql.prepare_cached("SELECT ifnull(max(key), 0) FROM run_changes")?.query_row([], |row| row.get(0))?;
    sql.prepare_cached("INSERT INTO recording (run) VALUES (?)")?.execute([key])?;
    Ok(Recording { run: key, is_new: found.is_none(), last })
}

fn state_of(sql: &Connection, org: &OrgId, id: &str) -> Result<Option<(i64, RunState)>> {
    let text = "SELECT key, state FROM runs WHERE org_id = ? AND id = ?";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, word(row, 1, RunState::parse)?));
    Ok(sql.prepare_cached(text)?.query_row((org.as_str(), id), read).optional()?)
}

fn insert(sql: &Connection, org: &OrgId, id: &str, run: &RunStart, at: Timestamp) -> Result<i64> {
    let text = "INSERT INTO runs
        (org_id, id, kind, state, actor, automatic, job, user_id, scope, started_at, ended_at)
        VALUES (?, ?, ?, 'done', ?, ?, ?, ?, ?, ?, ?)";
    Ok(sql.prepare_cached(text)?.insert((
        org.as_str(),
        id,
        run.kind.as_str(),
        &run.actor,
        run.automatic,
        run.job.map(|job| job.0),
        run.user_id.as_ref().map(|user| user.as_str()),
        &run.scope,
        at.0,
        at.0,
    ))?)
}

fn end(sql: &Connection, recording: &Recording, at: Timestamp) -> Result<()> {
    sql.prepare_cached("DELETE FROM recording")?.execute([])?;
    let counts = count(sql, recording)?;
    if recording.is_new && counts.rows == 0 {
        sql.prepare_cached("DELETE FROM runs WHERE key = ?")?.execute([recording.run])?;
        return Ok(());
    }
    if counts.rows > 0 {
        let text = "UPDATE runs SET added = added + ?, changed = changed + ?, retired = retired + ?,
                    ended_at = max(ended_at, ?) WHERE key = ?";
        let values = (counts.added, counts.changed, counts.retired, at.0, recording.run);
        sql.prepare_cached(text)?.execute(values)?;
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    rows: i64,
    added: i64,
    changed: i64,
    retired: i64,
}

/// What became of one row.
struct Net {
    was_there: bool,
    is_there: bool,
    status: Option<String>,
}

/// What the transaction came to, each row counted once.
fn count(sql: &Connection, recording: &Recording) -> Result<Counts> {
    let text =
        "SELECT row_kind, row_id, digest_before IS NOT NULL, digest_after IS NOT NULL, after ->> '$.status'
                FROM run_changes WHERE run = ? AND key > ? ORDER BY key";
    let mut statement = sql.prepare_cached(text)?;
    let mut rows = statement.query((recording.run, recording.last))?;
    let mut nets: HashMap<(String, String), Net> = HashMap::new();
    while let Some(row) = rows.next()? {
        let (was_there, is_there) = (row.get(2)?, row.get(3)?);
        let net = nets.entry((row.get(0)?, row.get(1)?)).or_insert(Net { was_there, is_there, status: None });
        net.is_there = is_there;
        net.status = row.get::<_, Option<String>>(4)?.or_else(|| net.status.take());
    }
    let mut counts = Counts { rows: nets.len() as i64, ..Counts::default() };
    for net in nets.values() {
        match (net.was_there, net.is_there) {
            (false, true) => counts.added += 1,
            (false, false) => {}
            (true, true) if !net.status.as_deref().is_some_and(is_out_of_use) => counts.changed += 1,
            (true, _) => counts.retired += 1,
        }
    }
    Ok(counts)
}

fn is_out_of_use(status: &str) -> bool {
    !matches!(Status::parse(status), Some(Status::Current | Status::Pending) | None)
}

fn columns(sql: &Connection, kind: Kind) -> Result<Vec<String>> {
    let mut statement = sql.prepare("SELECT name FROM pragma_table_info(?) ORDER BY cid")?;
    let names = statement.query_map([kind.table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}
