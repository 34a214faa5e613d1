use async_trait::async_trait;
use reflexio_store::{Keys, Result};
use reflexio_types::{ApiKey, KeyId, OrgId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::SqliteStore;
use crate::error::{Fault, Result as Outcome};
use crate::rows::json;

const COLUMNS: &str = "id, org_id, name, scopes, created_at, revoked_at";

#[async_trait]
impl Keys for SqliteStore {
    async fn add_key(&self, key: &ApiKey, hash: &[u8; 32]) -> Result<()> {
        let (key, hash) = (key.clone(), *hash);
        self.writer.write(move |tx| insert(tx.sql, &key, &hash)).await
    }

    async fn keys(&self) -> Result<Vec<ApiKey>> {
        self.readers.read(all).await
    }

    async fn key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<ApiKey>> {
        let hash = *hash;
        self.readers.read(move |sql| by_hash(sql, &hash)).await
    }

    async fn any_key(&self) -> Result<bool> {
        let text = "SELECT EXISTS (SELECT 1 FROM api_keys WHERE revoked_at IS NULL)";
        self.readers.read(move |sql| Ok(sql.prepare_cached(text)?.query_row([], |row| row.get(0))?)).await
    }

    async fn revoke_key(&self, id: &KeyId, at: Timestamp) -> Result<bool> {
        let id = id.0.clone();
        let text = "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
        self.writer.write(move |tx| Ok(tx.sql.prepare_cached(text)?.execute((at.0, id))? > 0)).await
    }
}

fn insert(sql: &Connection, key: &ApiKey, hash: &[u8; 32]) -> Outcome<()> {
    let text = "INSERT INTO api_keys (id, org_id, name, scopes, created_at, revoked_at, hash)
                VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    let scopes = serde_json::to_string(&key.scopes)?;
    let revoked = key.revoked_at.map(|at| at.0);
    let values = (&key.id.0, key.org.as_str(), &key.name, scopes, key.created_at.0, revoked, &hash[..]);
    if sql.prepare_cached(text)?.execute(values)? == 0 {
        return Err(Fault::duplicate("key", &key.id));
    }
    Ok(())
}

fn all(sql: &Connection) -> Outcome<Vec<ApiKey>> {
    let mut statement =
        sql.prepare_cached(&format!("SELECT {COLUMNS} FROM api_keys ORDER BY created_at, id"))?;
    let rows = statement.query_map([], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn by_hash(sql: &Connection, hash: &[u8; 32]) -> Outcome<Option<ApiKey>> {
    let text = format!("SELECT {COLUMNS} FROM api_keys WHERE hash = ? AND revoked_at IS NULL");
    Ok(sql.prepare_cached(&text)?.query_row([&hash[..]], from_row).optional()?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ApiKey> {
    Ok(ApiKey {
        id: KeyId(row.get(0)?),
        org: OrgId::new(row.get::<_, String>(1)?),
        name: row.get(2)?,
        scopes: json(row, 3)?,
        created_at: Timestamp(row.get(4)?),
        revoked_at: row.get::<_, Option<i64>>(5)?.map(Timestamp),
    })
}
