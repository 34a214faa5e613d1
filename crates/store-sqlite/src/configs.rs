use async_trait::async_trait;
use reflexio_store::{Configs, Error, Result, StoredConfig};
use reflexio_types::{OrgId, Stall, Timestamp};
use rusqlite::{Connection, OptionalExtension};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::rows::json;

#[async_trait]
impl Configs for SqliteStore {
    async fn config(&self, org: &OrgId) -> Result<Option<StoredConfig>> {
        let org = org.clone();
        self.readers.read(move |sql| config(sql, &org)).await
    }

    async fn configured_orgs(&self) -> Result<Vec<OrgId>> {
        let read = |sql: &Connection| {
            let mut statement = sql.prepare_cached("SELECT org_id FROM configs ORDER BY org_id")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0).map(OrgId::new))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        self.readers.read(read).await
    }

    async fn put_config(&self, org: &OrgId, config: StoredConfig, at: Timestamp) -> Result<()> {
        let org = org.clone();
        self.writer.write(move |tx| put(tx.sql, &org, &config, at)).await
    }

    async fn stall(&self, org: &OrgId) -> Result<Option<Stall>> {
        let org = org.clone();
        let text = "SELECT body FROM stalls WHERE org_id = ?";
        self.readers
            .read(move |sql| {
                Ok(sql.prepare_cached(text)?.query_row([org.as_str()], |row| json(row, 0)).optional()?)
            })
            .await
    }

    async fn put_stall(&self, org: &OrgId, stall: Option<&Stall>) -> Result<()> {
        let (org, stall) = (org.clone(), stall.cloned());
        self.writer.write(move |tx| put_stall(tx.sql, &org, stall.as_ref())).await
    }
}

pub(crate) fn config(sql: &Connection, org: &OrgId) -> Outcome<Option<StoredConfig>> {
    let text = "SELECT version, body, secrets FROM configs WHERE org_id = ?";
    let found = sql.prepare_cached(text)?.query_row([org.as_str()], |row| {
        let version = row.get::<_, i64>(0)?.unsigned_abs();
        Ok(StoredConfig { version, body: row.get(1)?, secrets: row.get(2)? })
    });
    Ok(found.optional()?)
}

/// Writes only on top of the predecessor; the first version has none.
pub(crate) fn put(sql: &Connection, org: &OrgId, config: &StoredConfig, at: Timestamp) -> Outcome<()> {
    let version = i64::try_from(config.version).unwrap_or(i64::MAX);
    let text = if version == 1 {
        "INSERT INTO configs (version, body, secrets, updated_at, org_id) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO NOTHING"
    } else {
        "UPDATE configs SET version = ?1, body = ?2, secrets = ?3, updated_at = ?4
         WHERE org_id = ?5 AND version = ?1 - 1"
    };
    let values = (version, &config.body, &config.secrets, at.0, org.as_str());
    if sql.prepare_cached(text)?.execute(values)? == 0 {
        return Err(Error::Changed { what: "the configuration" }.into());
    }
    Ok(())
}

fn put_stall(sql: &Connection, org: &OrgId, stall: Option<&Stall>) -> Outcome<()> {
    let Some(stall) = stall else {
        sql.prepare_cached("DELETE FROM stalls WHERE org_id = ?")?.execute([org.as_str()])?;
        return Ok(());
    };
    let text = "INSERT INTO stalls (org_id, body) VALUES (?, ?)
                ON CONFLICT (org_id) DO UPDATE SET body = excluded.body";
    sql.prepare_cached(text)?.execute((org.as_str(), serde_json::to_string(stall)?))?;
    Ok(())
}
