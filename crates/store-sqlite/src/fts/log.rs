use rusqlite::Connection;

use super::{Entry, Index};
use crate::error::Result;

enum Change {
    Put(Index, i64, Entry),
    Remove(Index, i64),
    Clear(Index),
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

    /// Removes all entries, at once: the table has no row left.
    pub(crate) fn clear(&mut self, index: Index) {
        self.changes.push(Change::Clear(index));
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
                Change::Clear(index) => clear(sql, index)?,
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

fn clear(sql: &Connection, index: Index) -> Result<()> {
    let table = index.table();
    sql.prepare_cached(&format!("INSERT INTO {table} ({table}) VALUES ('delete-all')"))?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use reflexio_types::OrgId;
    use tempfile::TempDir;

    use super::*;
    use crate::{Options, schema};

    #[test]
    fn changes_of_one_transaction_follow_each_other() {
        let folder = TempDir::new().unwrap();
        let sql = schema::open_writer(&folder.path().join("test.db"), &Options::default()).unwrap();
        let entry = |text| Entry::new(&OrgId::new("acme"), None, text);
        let mut log = IndexLog::default();
        log.put(Index::Profiles, 1, entry("apple"));
        log.clear(Index::Profiles);
        log.put(Index::Profiles, 2, entry("apple"));
        log.put(Index::Profiles, 3, entry("apple"));
        log.put(Index::Profiles, 3, entry("pear"));
        log.put(Index::Profiles, 4, entry("apple"));
        log.remove(Index::Profiles, 4);
        let mark = log.mark();
        log.put(Index::Profiles, 5, entry("apple"));
        log.undo_to(mark);
        sql.execute_batch("BEGIN").unwrap();
        log.apply(&sql).unwrap();
        sql.execute_batch("COMMIT").unwrap();
        let text = "SELECT rowid FROM profiles_fts WHERE profiles_fts MATCH 'appl'";
        let mut statement = sql.prepare(text).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        assert_eq!(rows.collect::<rusqlite::Result<Vec<i64>>>().unwrap(), [2]);
    }
}
