use std::collections::HashSet;

use async_trait::async_trait;
use reflexio_store::{Lineage, ProfileChange, Result};
use reflexio_types::{
    LineageAction, LineageEvent, LineageSubject, OrgId, Profile, RequestId, Timestamp, UserId,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::predicate::Predicate;
use crate::rows::{Stored, select, word};

/// An event that is about to be written.
pub(crate) struct Event<'a> {
    /// Kind and id of the row.
    pub(crate) subject: (&'static str, &'a str),
    pub(crate) action: LineageAction,
    pub(crate) user: Option<&'a str>,
    pub(crate) request: Option<&'a str>,
    pub(crate) actor: Option<&'a str>,
    pub(crate) at: Timestamp,
}

pub(crate) fn record(sql: &Connection, org: &OrgId, event: &Event<'_>) -> Outcome<()> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO lineage_events
         (org_id, subject_kind, subject_id, action, user_id, request_id, actor, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let (kind, id) = event.subject;
    let action = event.action.as_str();
    statement.execute((
        org.as_str(),
        kind,
        id,
        action,
        event.user,
        event.request,
        event.actor,
        event.at.0,
    ))?;
    Ok(())
}

#[async_trait]
impl Lineage for SqliteStore {
    async fn history(&self, org: &OrgId, subject: &LineageSubject) -> Result<Vec<LineageEvent>> {
        let (org, subject) = (org.clone(), subject.clone());
        self.readers.read(move |sql| history(sql, &org, &subject)).await
    }

    async fn profile_changes(&self, org: &OrgId, limit: usize) -> Result<Vec<ProfileChange>> {
        let org = org.clone();
        self.readers.read(move |sql| changes(sql, &org, limit)).await
    }
}

fn history(sql: &Connection, org: &OrgId, subject: &LineageSubject) -> Outcome<Vec<LineageEvent>> {
    let mut statement = sql.prepare_cached(
        "SELECT id, action, user_id, request_id, actor, created_at FROM lineage_events
         WHERE org_id = ? AND subject_kind = ? AND subject_id = ? ORDER BY id",
    )?;
    let rows = statement.query_map((org.as_str(), subject.kind(), subject.id_text()), |row| {
        Ok(LineageEvent {
            id: row.get(0)?,
            subject: subject.clone(),
            action: word(row, 1, |text| serde_json::from_value(text.into()).ok())?,
            user_id: row.get::<_, Option<String>>(2)?.map(UserId::new),
            request_id: row.get::<_, Option<String>>(3)?.map(RequestId::new),
            actor: row.get(4)?,
            created_at: Timestamp(row.get(5)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Walks the events of profiles that are still there from the newest on. Those of one user under one
/// request make one change.
fn changes(sql: &Connection, org: &OrgId, limit: usize) -> Outcome<Vec<ProfileChange>> {
    let mut statement = sql.prepare_cached(
        "SELECT e.id, e.user_id, e.request_id, e.created_at FROM lineage_events e
         WHERE e.org_id = ?1 AND e.subject_kind = 'profile' AND e.request_id IS NOT NULL
           AND e.user_id IS NOT NULL AND e.action IN ('added', 'archived', 'merged', 'superseded', 'deleted')
           AND EXISTS (SELECT 1 FROM profiles p WHERE p.org_id = ?1 AND p.id = e.subject_id)
         ORDER BY e.id DESC",
    )?;
    let mut rows = statement.query([org.as_str()])?;
    let mut seen = HashSet::new();
    let mut changes = Vec::new();
    while changes.len() < limit
        && let Some(row) = rows.next()?
    {
        let mut change = change_from_row(row)?;
        if seen.insert((change.user_id.clone(), change.request_id.clone())) {
            change.added = profiles_of(sql, org, &change, "e.action = 'added'")?;
            change.removed = profiles_of(
                sql,
                org,
                &change,
                "e.action IN ('archived', 'merged', 'superseded', 'deleted')",
            )?;
            changes.push(change);
        }
    }
    Ok(changes)
}

fn change_from_row(row: &Row<'_>) -> rusqlite::Result<ProfileChange> {
    Ok(ProfileChange {
        id: row.get(0)?,
        user_id: UserId::new(row.get::<_, String>(1)?),
        request_id: RequestId::new(row.get::<_, String>(2)?),
        created_at: Timestamp(row.get(3)?),
        added: Vec::new(),
        removed: Vec::new(),
    })
}

fn profiles_of(
    sql: &Connection,
    org: &OrgId,
    change: &ProfileChange,
    condition: &str,
) -> Outcome<Vec<Profile>> {
    let listed = format!(
        "t.id IN (SELECT e.subject_id FROM lineage_events e WHERE e.org_id = t.org_id
         AND e.subject_kind = 'profile' AND e.user_id = ? AND e.request_id = ? AND {condition})"
    );
    let names = [change.user_id.as_str(), change.request_id.as_str()];
    let predicate = Predicate::of_org(org).and(&listed, names.map(|name| Value::Text(name.to_owned())));
    select(sql, predicate, Profile::ORDER, usize::MAX)
}
