use reflexio_search::terms;
use reflexio_types::{AgentPlaybook, Interaction, OrgId, Profile, UserPlaybook};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;
use crate::fts::{self, Entry, Index, Searchable};
use crate::predicate::Predicate;

/// A row that waits for its vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) index: Index,
    pub(crate) key: i64,
    pub(crate) wording: i64,
}

/// The text of a row is new: the vector it had is another text's, and it waits for one of its own. A text
/// without a single term has no meaning to find it by.
pub(crate) fn await_vector(sql: &Connection, index: Index, entry: &Entry, key: i64) -> Result<()> {
    if entry.is_empty() {
        return forget(sql, index, &entry.org, key);
    }
    forget_vector(sql, index, key)?;
    let text = "INSERT OR REPLACE INTO unembedded (org_id, kind, key, wording) VALUES (?, ?, ?, random())";
    sql.prepare_cached(text)?.execute((entry.org.as_str(), index.number(), key))?;
    Ok(())
}

/// The row is gone.
pub(crate) fn forget(sql: &Connection, index: Index, org: &OrgId, key: i64) -> Result<()> {
    forget_vector(sql, index, key)?;
    let text = "DELETE FROM unembedded WHERE org_id = ? AND kind = ? AND key = ?";
    sql.prepare_cached(text)?.execute((org.as_str(), index.number(), key))?;
    Ok(())
}

fn forget_vector(sql: &Connection, index: Index, key: i64) -> Result<()> {
    let text = format!("DELETE FROM {} WHERE key = ?", index.vectors());
    sql.prepare_cached(&text)?.execute([key])?;
    Ok(())
}

/// All rows of the table are gone.
pub(crate) fn clear(sql: &Connection, index: Index) -> Result<()> {
    sql.prepare_cached(&format!("DELETE FROM {}", index.vectors()))?.execute([])?;
    sql.prepare_cached("DELETE FROM unembedded WHERE kind = ?")?.execute([index.number()])?;
    Ok(())
}

/// Rows that wait, the newest of each kind first; every org that has some gets its share.
pub(crate) fn waiting(sql: &Connection, limit: usize) -> Result<Vec<(OrgId, Vec<Waiting>)>> {
    let orgs = orgs(sql)?;
    let share = limit.div_ceil(orgs.len().max(1));
    let mut found = Vec::new();
    for org in orgs {
        let rows = of_org(sql, &org, share)?;
        if !rows.is_empty() {
            found.push((org, rows));
        }
    }
    Ok(found)
}

fn of_org(sql: &Connection, org: &OrgId, limit: usize) -> Result<Vec<Waiting>> {
    let mut statement = sql.prepare_cached(
        "SELECT key, wording FROM unembedded WHERE org_id = ? AND kind = ? AND refused IS NULL
         ORDER BY key DESC LIMIT ?",
    )?;
    let mut found = Vec::new();
    // What was learned is little and is asked for most, so it goes before the turns.
    for index in Index::ALL.into_iter().rev() {
        let left = i64::try_from(limit.saturating_sub(found.len())).unwrap_or(i64::MAX);
        let rows = statement.query_map((org.as_str(), index.number(), left), |row| {
            Ok(Waiting { index, key: row.get(0)?, wording: row.get(1)? })
        })?;
        for row in rows {
            found.push(row?);
        }
    }
    Ok(found)
}

/// The orgs in the list, found by skipping from one to the next.
fn orgs(sql: &Connection) -> Result<Vec<OrgId>> {
    let mut statement =
        sql.prepare_cached("SELECT org_id FROM unembedded WHERE org_id > ? ORDER BY org_id LIMIT 1")?;
    let mut orgs: Vec<OrgId> = Vec::new();
    loop {
        let last = orgs.last().map_or("", OrgId::as_str);
        let next: Option<String> = statement.query_row([last], |row| row.get(0)).optional()?;
        match next {
            Some(org) => orgs.push(OrgId::new(org)),
            None => return Ok(orgs),
        }
    }
}

/// Rows that shall get a new vector.
#[derive(Debug, Clone)]
pub(crate) enum Which {
    /// All of an org that have one, or should.
    OfOrg(OrgId),
    /// All that have one of another model.
    NotOfModel(i64),
}

/// Puts up to `limit` rows after `last` on the list; returns the last one, or nothing at the end.
pub(crate) fn queue_rows(
    sql: &Connection,
    index: Index,
    which: &Which,
    last: i64,
    limit: usize,
) -> Result<(u64, Option<i64>)> {
    let rows = rows_after(sql, index, which, last, limit)?;
    let mut insert = sql.prepare_cached(
        "INSERT OR IGNORE INTO unembedded (org_id, kind, key, wording) VALUES (?, ?, ?, random())",
    )?;
    let mut count = 0;
    for (key, org, has_vector) in &rows {
        if *has_vector || should_have_vector(sql, index, &OrgId::new(org.as_str()), *key)? {
            count += insert.execute((org, index.number(), key))? as u64;
        }
    }
    Ok((count, rows.last().map(|(key, _, _)| *key)))
}

/// Keys with their orgs, and whether they have a vector.
fn rows_after(
    sql: &Connection,
    index: Index,
    which: &Which,
    last: i64,
    limit: usize,
) -> Result<Vec<(i64, String, bool)>> {
    let ((table, key), vectors) = (index.rows(), index.vectors());
    // By key from the last one on, whatever else there is an index for.
    let text = match which {
        Which::OfOrg(_) => format!(
            "SELECT t.{key}, t.org_id, v.key IS NOT NULL FROM {table} t LEFT JOIN {vectors} v ON v.key = t.{key}
             WHERE t.{key} > ? AND +t.org_id = ? ORDER BY t.{key} LIMIT ?"
        ),
        Which::NotOfModel(_) => format!(
            "SELECT v.key, t.org_id, 1 FROM {vectors} v CROSS JOIN {table} t
             WHERE v.key > ? AND t.{key} = v.key AND v.model <> ? ORDER BY v.key LIMIT ?"
        ),
    };
    let value = match which {
        Which::OfOrg(org) => Value::Text(org.as_str().to_owned()),
        Which::NotOfModel(model) => Value::Integer(*model),
    };
    let mut statement = sql.prepare_cached(&text)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows =
        statement.query_map((last, value, limit), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether a row without a vector has text and does not even wait: its vector was lost.
fn should_have_vector(sql: &Connection, index: Index, org: &OrgId, key: i64) -> Result<bool> {
    let text = "SELECT EXISTS (SELECT 1 FROM unembedded WHERE org_id = ? AND kind = ? AND key = ?)";
    let values = (org.as_str(), index.number(), key);
    if sql.prepare_cached(text)?.query_row(values, |row| row.get(0))? {
        return Ok(false);
    }
    Ok(text_of(sql, index, org, key)?.is_some_and(|text| !terms(&text).is_empty()))
}

/// What a vector of the row is made of; nothing if it is gone.
pub(crate) fn text_of(sql: &Connection, index: Index, org: &OrgId, key: i64) -> Result<Option<String>> {
    fn of<R: Searchable>(sql: &Connection, org: &OrgId, key: i64) -> Result<Option<String>> {
        Ok(fts::row::<R>(sql, key, &Predicate::checking_org(org))?.map(|row| row.text()))
    }
    match index {
        Index::Interactions => of::<Interaction>(sql, org, key),
        Index::Profiles => of::<Profile>(sql, org, key),
        Index::UserPlaybooks => of::<UserPlaybook>(sql, org, key),
        Index::AgentPlaybooks => of::<AgentPlaybook>(sql, org, key),
    }
}
