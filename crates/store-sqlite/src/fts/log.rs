use rusqlite::Connection;

use super::{Entry, Index};
use crate::error::Result;

enum Change {
    Put(Index, i64, Entry),
    Remove(Index, i64),
}

/// The index entries that a transaction changes, written together right before it commits: FTS5 closes
/// its current segment at every savepoint, and many small segments are slow to write and to read.
#[derive(Default)]
pub(crate) struct IndexLog {
    changes: Vec<Change>,
}

impl IndexLog {
    pub(crate) fn put(&mut self, index: Index, key: i64, entry: Entry) {
        self.changes.push(Change::Put(index, key, entry));
    }

    pub(crate) fn remove(&mut self, index: Index, key: i64) {
        self.changes.push(Change::Remove(index, key));
    }

    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn undo_to(&mut self, mark: usize) {
        self.changes.truncate(mark);
    }

    pub(crate) fn apply(self, sql: &Connection) -> Result<()> {
        for change in self.changes {
            match change {
                Change::Put(index, key, entry) => put(sql, index, key, &entry)?,
                Change::Remove(index, key) => remove(sql, index, key)?,
            }
        }
        Ok(())
    }
}

fn put(sql: &Connection, index: Index, key: i64, entry: &Entry) -> Result<()> {
    let text = format!("INSERT OR REPLACE INTO {} (rowid, scope, body) VALUES (?, ?, ?)", index.table());
    sql.prepare_cached(&text)?.execute((key, &entry.scope, &entry.body))?;
    Ok(())
}

fn remove(sql: &Connection, index: Index, key: i64) -> Result<()> {
    let text = format!("DELETE FROM {} WHERE rowid = ?", index.table());
    sql.prepare_cached(&text)?.execute([key])?;
    Ok(())
}
