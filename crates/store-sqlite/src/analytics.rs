use std::collections::BTreeMap;

use async_trait::async_trait;
use reflexio_store::{
    AgentPlaybookCount, AgentPlaybookFilter, Analytics, DayCount, PlaybookCounts, PlaybookScope, Result,
    UserPlaybookCount, VersionCount,
};
use reflexio_types::{AgentPlaybook, Day, OrgId, PlaybookStatus, Status};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::Result as Outcome;
use crate::predicate::Predicate;
use crate::rows::{select, word};
use crate::{SqliteStore, agent_playbooks};

/// Rows that live on in another row.
const NOT_REPLACED: &str = "t.status NOT IN ('merged', 'superseded')";
const OLDEST_FIRST: &str = "t.created_at, t.id";

#[async_trait]
impl Analytics for SqliteStore {
    async fn playbook_counts(&self, org: &OrgId, scope: &PlaybookScope) -> Result<PlaybookCounts> {
        let (org, scope) = (org.clone(), scope.clone());
        self.readers
            .read(move |sql| {
                Ok(PlaybookCounts {
                    user: user_counts(sql, &org, &scope)?,
                    agent: agent_counts(sql, &org, &scope)?,
                    user_days: user_days(sql, &org, &scope)?,
                })
            })
            .await
    }

    async fn version_counts(&self, org: &OrgId, scope: &PlaybookScope) -> Result<Vec<VersionCount>> {
        let (org, scope) = (org.clone(), scope.clone());
        self.readers.read(move |sql| versions(sql, &org, &scope)).await
    }

    async fn longest_waiting(
        &self,
        org: &OrgId,
        scope: &PlaybookScope,
        limit: usize,
    ) -> Result<(Vec<AgentPlaybook>, u64)> {
        let filter = AgentPlaybookFilter {
            playbook_name: scope.playbook_name.clone(),
            awaiting_review: true,
            // Not those that somebody or something else took the place of.
            status: vec![Status::Current, Status::Pending],
            ..AgentPlaybookFilter::default()
        };
        let which = of_versions(agent_playbooks::filtered(org, &filter), &scope.agent_versions);
        self.readers
            .read(move |sql| {
                let text = format!("SELECT count(*) FROM agent_playbooks t WHERE {}", which.sql());
                let values = params_from_iter(which.values().to_vec());
                let count: i64 = sql.prepare_cached(&text)?.query_row(values, |row| row.get(0))?;
                Ok((select(sql, which, OLDEST_FIRST, limit)?, count.unsigned_abs()))
            })
            .await
    }
}

fn of_versions(which: Predicate, versions: &[String]) -> Predicate {
    if versions.is_empty() {
        return which;
    }
    which.within("t.agent_version", versions.iter().map(|version| version.as_str().into()).collect())
}

/// All times.
fn of_scope(org: &OrgId, scope: &PlaybookScope) -> Predicate {
    of_versions(Predicate::of_org(org), &scope.agent_versions)
        .text("t.playbook_name", scope.playbook_name.as_deref())
}

/// A sum that counts rows within the time; its two values come before those of the predicate.
const RECENT: &str = "sum(t.created_at >= ? AND t.created_at <= ?)";

fn recent(scope: &PlaybookScope) -> Vec<Value> {
    let start = scope.time.start.map_or(i64::MIN, |start| start.0);
    let end = scope.time.end.map_or(i64::MAX, |end| end.0);
    vec![Value::Integer(start), Value::Integer(end)]
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}

pub(crate) fn user_text(which: &Predicate) -> String {
    format!(
        "SELECT t.agent_version, t.playbook_name, t.status, count(*), {RECENT} FROM user_playbooks t WHERE {}
         GROUP BY t.agent_version, t.playbook_name, t.status",
        which.sql()
    )
}

fn user_counts(sql: &Connection, org: &OrgId, scope: &PlaybookScope) -> Outcome<Vec<UserPlaybookCount>> {
    let which = of_scope(org, scope);
    let mut statement = sql.prepare_cached(&user_text(&which))?;
    let values = recent(scope).into_iter().chain(which.into_values());
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(UserPlaybookCount {
            agent_version: row.get(0)?,
            playbook_name: row.get(1)?,
            status: word(row, 2, Status::parse)?,
            total: count(row, 3)?,
            recent: count(row, 4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn agent_counts(sql: &Connection, org: &OrgId, scope: &PlaybookScope) -> Outcome<Vec<AgentPlaybookCount>> {
    let which = of_scope(org, scope);
    let text = format!(
        "SELECT t.agent_version, t.playbook_name, t.playbook_status, t.status, count(*), {RECENT} FROM agent_playbooks t
         WHERE {} GROUP BY t.agent_version, t.playbook_name, t.playbook_status, t.status",
        which.sql()
    );
    let mut statement = sql.prepare_cached(&text)?;
    let values = recent(scope).into_iter().chain(which.into_values());
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(AgentPlaybookCount {
            agent_version: row.get(0)?,
            playbook_name: row.get(1)?,
            playbook_status: word(row, 2, PlaybookStatus::parse)?,
            status: word(row, 3, Status::parse)?,
            total: count(row, 4)?,
            recent: count(row, 5)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The index by version holds all that is asked for; that by time would read each row.
fn user_days(sql: &Connection, org: &OrgId, scope: &PlaybookScope) -> Outcome<Vec<DayCount>> {
    let which = of_scope(org, scope).time("t.created_at", scope.time);
    let text = format!(
        "SELECT t.created_at / 86400, count(*) FROM user_playbooks t INDEXED BY user_playbooks_by_version
         WHERE {} AND {NOT_REPLACED} GROUP BY 1 ORDER BY 1",
        which.sql()
    );
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(which.into_values()), |row| {
        Ok(DayCount { day: Day(row.get(0)?), count: count(row, 1)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn published_text(which: &Predicate) -> String {
    format!(
        "SELECT t.agent_version, count(*) FROM requests t INDEXED BY requests_by_version WHERE {} GROUP BY t.agent_version",
        which.sql()
    )
}

fn versions(sql: &Connection, org: &OrgId, scope: &PlaybookScope) -> Outcome<Vec<VersionCount>> {
    let mut versions: BTreeMap<String, VersionCount> = BTreeMap::new();
    let which = of_versions(Predicate::of_org(org), &scope.agent_versions).time("t.created_at", scope.time);
    let mut statement = sql.prepare_cached(&published_text(&which))?;
    let mut rows = statement.query(params_from_iter(which.into_values()))?;
    while let Some(row) = rows.next()? {
        versions.entry(row.get(0)?).or_default().published = count(row, 1)?;
    }
    let which = of_scope(org, scope).time("t.created_at", scope.time);
    let text = format!(
        "SELECT t.agent_version, count(*), count(DISTINCT t.request_id)
         FROM user_playbooks t INDEXED BY user_playbooks_by_version WHERE {} AND {NOT_REPLACED} GROUP BY t.agent_version",
        which.sql()
    );
    let mut statement = sql.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(which.into_values()))?;
    while let Some(row) = rows.next()? {
        let version = versions.entry(row.get(0)?).or_default();
        (version.playbooks, version.requests) = (count(row, 1)?, count(row, 2)?);
    }
    let named = |(agent_version, counts)| VersionCount { agent_version, ..counts };
    Ok(versions.into_iter().map(named).collect())
}
