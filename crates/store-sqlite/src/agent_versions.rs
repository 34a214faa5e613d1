//! The versions of the agent, and rules that are carried over from one to another.

use reflexio_types::{AgentPlaybook, AgentPlaybookId, OrgId};
use rusqlite::{Connection, OptionalExtension};

use crate::agent_playbooks;
use crate::error::Result;
use crate::fts::Entry;
use crate::writer::Tx;

/// Whether the version is published with for the first time.
pub(crate) fn note(sql: &Connection, org: &OrgId, version: &str) -> Result<bool> {
    let text = "INSERT INTO agent_versions (org_id, agent_version) VALUES (?, ?) ON CONFLICT DO NOTHING";
    Ok(sql.prepare_cached(text)?.execute((org.as_str(), version))? > 0)
}

/// Those that were published with, and those that have rules, by name.
pub(crate) fn all(sql: &Connection, org: &OrgId) -> Result<Vec<String>> {
    let text = "SELECT agent_version FROM agent_versions WHERE org_id = ?1
                UNION SELECT agent_version FROM agent_playbooks WHERE org_id = ?1 ORDER BY 1";
    let mut statement = sql.prepare_cached(text)?;
    let rows = statement.query_map([org.as_str()], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Of the versions with approved rules the one that was published with last.
pub(crate) fn latest_with_rules(sql: &Connection, org: &OrgId, but: &str) -> Result<Option<String>> {
    let text = "SELECT DISTINCT agent_version FROM agent_playbooks
                WHERE org_id = ? AND agent_version <> ? AND playbook_status = 'approved' AND status = 'current'";
    let mut statement = sql.prepare_cached(text)?;
    let rows = statement.query_map((org.as_str(), but), |row| row.get(0))?;
    let with_rules = rows.collect::<rusqlite::Result<Vec<String>>>()?;
    if with_rules.is_empty() {
        return Ok(None);
    }
    // From the newest request on: such a version was used lately, as a rule.
    let text = "SELECT agent_version FROM requests
                WHERE org_id = ? AND agent_version IN (SELECT value FROM json_each(?))
                ORDER BY created_at DESC, key DESC LIMIT 1";
    let values = (org.as_str(), serde_json::to_string(&with_rules)?);
    Ok(sql.prepare_cached(text)?.query_row(values, |row| row.get(0)).optional()?)
}

/// Stores a rule of another version, unless that one was carried over before.
pub(crate) fn carry(
    tx: &mut Tx<'_>,
    org: &OrgId,
    row: &AgentPlaybook,
    entry: Entry,
    actor: Option<&str>,
) -> Result<Option<AgentPlaybookId>> {
    let text = "SELECT 1 FROM agent_playbooks
                WHERE org_id = ? AND agent_version = ? AND body ->> '$.carried_from' = ? LIMIT 1";
    let values = (org.as_str(), &row.agent_version, row.body.carried_from.map(|id| id.0));
    if tx.sql.prepare_cached(text)?.query_row(values, |_| Ok(())).optional()?.is_some() {
        return Ok(None);
    }
    agent_playbooks::add(tx, org, row, entry, actor).map(Some)
}
