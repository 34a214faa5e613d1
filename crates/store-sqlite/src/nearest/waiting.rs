use reflexio_types::OrgId;
use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;
use crate::fts::{Entry, Index};

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

/// Rows that have a vector and shall get a new one.
#[derive(Debug, Clone)]
pub(crate) enum Which {
    OfOrg(OrgId),
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
    let (table, key) = index.rows();
    let condition = match which {
        Which::OfOrg(_) => "t.org_id = ?",
        Which::NotOfModel(_) => "v.model <> ?",
    };
    let text = format!(
        "SELECT v.key, t.org_id FROM {} v CROSS JOIN {table} t WHERE v.key > ? AND t.{key} = v.key
         AND {condition} ORDER BY v.key LIMIT ?",
        index.vectors()
    );
    let value = match which {
        Which::OfOrg(org) => rusqlite::types::Value::Text(org.as_str().to_owned()),
        Which::NotOfModel(model) => rusqlite::types::Value::Integer(*model),
    };
    let mut statement = sql.prepare_cached(&text)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement
        .query_map((last, value, limit), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(i64, String)>>>()?;
    let mut insert = sql.prepare_cached(
        "INSERT OR IGNORE INTO unembedded (org_id, kind, key, wording) VALUES (?, ?, ?, random())",
    )?;
    let mut count = 0;
    for (key, org) in &rows {
        count += insert.execute((org, index.number(), key))? as u64;
    }
    Ok((count, rows.last().map(|(key, _)| *key)))
}
