use std::collections::HashSet;

use reflexio_types::OrgId;
use rusqlite::Connection;

use super::{Entry, Index};
use crate::error::Result;
use crate::nearest::{self, Changes, Live};

enum Change {
    Put(Index, i64, Entry),
    Remove(Index, OrgId, i64),
    Clear(Index),
    Relabel(Index, OrgId, i64),
    Embed(Index, OrgId, i64, Vec<f32>),
}

/// What a transaction changes in the indexes, written together right before it commits: FTS5 closes its
/// current segment at every savepoint, and many small segments are slow to write and to read.
#[derive(Default)]
pub(crate) struct IndexLog {
    changes: Vec<Change>,
}

impl IndexLog {
    /// The text of a row is new or another one.
    pub(crate) fn put(&mut self, index: Index, key: i64, entry: Entry) {
        self.changes.push(Change::Put(index, key, entry));
    }

    pub(crate) fn remove(&mut self, index: Index, org: &OrgId, key: i64) {
        self.changes.push(Change::Remove(index, org.clone(), key));
    }

    /// Removes all entries, at once: the table has no row left.
    pub(crate) fn clear(&mut self, index: Index) {
        self.changes.push(Change::Clear(index));
    }

    /// What filters look at changed, the text did not.
    pub(crate) fn relabel(&mut self, index: Index, org: &OrgId, key: i64) {
        self.changes.push(Change::Relabel(index, org.clone(), key));
    }

    /// The row got a vector of the model in use, which is stored already.
    pub(crate) fn embed(&mut self, index: Index, org: &OrgId, key: i64, vector: Vec<f32>) {
        self.changes.push(Change::Embed(index, org.clone(), key, vector));
    }

    /// The rows whose text is not yet what is written of it; no key stands for all rows of a table.
    pub(crate) fn new_texts(&self) -> HashSet<(Index, Option<i64>)> {
        let changes = self.changes.iter().filter_map(|change| match change {
            Change::Put(index, key, _) | Change::Remove(index, _, key) => Some((*index, Some(*key))),
            Change::Clear(index) => Some((*index, None)),
            Change::Relabel(..) | Change::Embed(..) => None,
        });
        changes.collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn undo_to(&mut self, mark: usize) {
        self.changes.truncate(mark);
    }

    /// Writes it, and says what has to change in memory once it is committed.
    pub(crate) fn apply(self, sql: &Connection, live: &Live) -> Result<Changes> {
        let words_in_memory = live.texts().is_some();
        let mut updates = Changes::default();
        for change in self.changes {
            match change {
                Change::Put(index, key, entry) => {
                    put(sql, index, key, &entry)?;
                    nearest::await_vector(sql, index, &entry, key)?;
                    updates.drop_vector(index, entry.org.clone(), key);
                    if words_in_memory && let Some(facts) = nearest::facts(sql, index, key)? {
                        updates.put_words(index, entry.org, key, facts, entry.body);
                    }
                }
                Change::Remove(index, org, key) => {
                    remove(sql, index, key)?;
                    nearest::forget(sql, index, &org, key)?;
                    updates.remove(index, org, key);
                }
                Change::Clear(index) => {
                    clear(sql, index)?;
                    nearest::clear(sql, index)?;
                    updates.clear(index);
                }
                Change::Relabel(index, org, key) => match nearest::facts(sql, index, key)? {
                    Some(facts) => updates.relabel(index, org, key, facts),
                    None => updates.remove(index, org, key),
                },
                Change::Embed(index, org, key, vector) => match nearest::facts(sql, index, key)? {
                    Some(facts) => updates.put_vector(index, org, key, facts, vector),
                    None => updates.remove(index, org, key),
                },
            }
        }
        Ok(updates)
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
        log.remove(Index::Profiles, &OrgId::new("acme"), 4);
        let mark = log.mark();
        log.put(Index::Profiles, 5, entry("apple"));
        log.undo_to(mark);
        sql.execute_batch("BEGIN").unwrap();
        log.apply(&sql, &Live::default()).unwrap();
        sql.execute_batch("COMMIT").unwrap();
        let text = "SELECT rowid FROM profiles_fts WHERE profiles_fts MATCH 'appl'";
        let mut statement = sql.prepare(text).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        assert_eq!(rows.collect::<rusqlite::Result<Vec<i64>>>().unwrap(), [2]);
    }
}
