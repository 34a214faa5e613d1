use async_trait::async_trait;
use reflexio_store::{Operations, Result};
use reflexio_types::{Operation, OrgId, UserId};
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value;

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::rows::json;

#[async_trait]
impl Operations for SqliteStore {
    async fn operation(&self, org: &OrgId, service_name: &str) -> Result<Option<Operation>> {
        let text = "SELECT body FROM operations WHERE org_id = ? AND service_name = ?
                    ORDER BY started_at DESC, key DESC LIMIT 1";
        let values = [org.as_str().to_owned(), service_name.to_owned()];
        self.readers
            .read(move |sql| Ok(sql.prepare_cached(text)?.query_row(values, from_row).optional()?))
            .await
    }

    async fn operation_by_id(&self, org: &OrgId, id: &str) -> Result<Option<Operation>> {
        let text = "SELECT body FROM operations WHERE org_id = ? AND id = ?";
        let values = [org.as_str().to_owned(), id.to_owned()];
        self.readers
            .read(move |sql| Ok(sql.prepare_cached(text)?.query_row(values, from_row).optional()?))
            .await
    }

    async fn put_operation(&self, org: &OrgId, operation: &Operation) -> Result<()> {
        let (org, operation) = (org.clone(), operation.clone());
        self.writer.write(move |tx| put(tx.sql, &org, &operation)).await
    }
}

pub(crate) fn put(sql: &Connection, org: &OrgId, operation: &Operation) -> Outcome<()> {
    let text = "INSERT INTO operations (org_id, id, service_name, started_at, body) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (org_id, id) DO UPDATE SET service_name = excluded.service_name,
                    started_at = excluded.started_at, body = excluded.body";
    let body = serde_json::to_string(operation)?;
    let values = (org.as_str(), &operation.id, &operation.service_name, operation.started_at.0, body);
    sql.prepare_cached(text)?.execute(values)?;
    Ok(())
}

/// Takes a user who is erased out of what is known of past runs.
pub(crate) fn forget_user(sql: &Connection, org: &OrgId, user: &UserId) -> Outcome<()> {
    let text = "SELECT body FROM operations WHERE org_id = ? AND instr(body, ?) > 0";
    let named = serde_json::to_string(user)?;
    let mut statement = sql.prepare_cached(text)?;
    let found = statement.query_map((org.as_str(), named), from_row)?;
    for mut operation in found.collect::<rusqlite::Result<Vec<Operation>>>()? {
        let is_user = |value: &Value| value.as_str() == Some(user.as_str());
        operation.processed_user_ids.retain(|id| id != user.as_str());
        operation.failed_user_ids.retain(|entry| !entry.get("user_id").is_some_and(is_user));
        operation.current_user_id.take_if(|id| id == user.as_str());
        operation.request_params.retain(|_, value| !is_user(value));
        put(sql, org, &operation)?;
    }
    Ok(())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Operation> {
    json(row, 0)
}
