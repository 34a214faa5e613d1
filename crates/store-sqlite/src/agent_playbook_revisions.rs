use async_trait::async_trait;
use reflexio_store::{AgentPlaybookRevisions, AgentPlaybookWrite, Error, Result};
use reflexio_types::{
    AgentPlaybookEvent, AgentPlaybookId, AgentPlaybookRevision, AgentPlaybookRevisionId, OrgId, Timestamp,
};
use rusqlite::{Connection, Row};

use crate::error::Result as Outcome;
use crate::fts::{self, Entry};
use crate::learned::AGENT_PLAYBOOKS;
use crate::rows::{Stored, compact, json, word};
use crate::writer::Tx;
use crate::{SqliteStore, agent_playbooks};

pub(crate) const CHANGED: Error = Error::Changed { what: "the agent playbook" };

impl Stored for AgentPlaybookRevision {
    const FROM: &'static str = "agent_playbook_revisions t";
    const COLUMNS: &'static str = "t.id, t.agent_playbook_id, t.body";
    const ORDER: &'static str = "t.id";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: AgentPlaybookRevisionId(row.get(0)?),
            agent_playbook_id: AgentPlaybookId(row.get(1)?),
            event: json(row, 2)?,
        })
    }
}

#[async_trait]
impl AgentPlaybookRevisions for SqliteStore {
    async fn agent_playbook_history(
        &self,
        org: &OrgId,
        id: AgentPlaybookId,
    ) -> Result<Vec<AgentPlaybookEvent>> {
        let org = org.clone();
        self.readers.read(move |sql| history(sql, &org, id)).await
    }

    async fn write_agent_playbooks(
        &self,
        org: &OrgId,
        writes: Vec<AgentPlaybookWrite>,
        actor: Option<&str>,
        at: Timestamp,
    ) -> Result<Vec<AgentPlaybookId>> {
        let texts = writes.iter().map(|write| match write {
            AgentPlaybookWrite::Add(row) => (None, row.searchable_text()),
            AgentPlaybookWrite::Change { .. } => (None, String::new()),
        });
        let entries = fts::entries(org, texts.collect()).await?;
        let (org, actor) = (org.clone(), actor.map(str::to_owned));
        self.writer
            .write(move |tx| {
                let writes = writes.into_iter().zip(entries);
                writes.map(|(write, entry)| carry_out(tx, &org, write, entry, actor.as_deref(), at)).collect()
            })
            .await
    }
}

fn carry_out(
    tx: &mut Tx<'_>,
    org: &OrgId,
    write: AgentPlaybookWrite,
    entry: Entry,
    actor: Option<&str>,
    at: Timestamp,
) -> Outcome<AgentPlaybookId> {
    match write {
        AgentPlaybookWrite::Add(row) => agent_playbooks::add(tx, org, &row, entry, actor),
        AgentPlaybookWrite::Change { id, change } => {
            let changed = agent_playbooks::update(tx, org, id, &change, actor, at)?;
            changed.map(|row| row.id).ok_or_else(|| CHANGED.into())
        }
    }
}

/// Writes a line of a rule's history together with what it changed.
pub(crate) fn record(
    sql: &Connection,
    org: &OrgId,
    id: AgentPlaybookId,
    event: &AgentPlaybookEvent,
) -> Outcome<()> {
    insert(sql, org, None, id, event)
}

/// Under an id of its own, or the next one.
pub(crate) fn insert(
    sql: &Connection,
    org: &OrgId,
    revision: Option<AgentPlaybookRevisionId>,
    id: AgentPlaybookId,
    event: &AgentPlaybookEvent,
) -> Outcome<()> {
    agent_playbooks::note(sql, org, id, event.action, event.actor.as_deref(), event.created_at)?;
    let event_id = sql.last_insert_rowid();
    let text = "INSERT INTO agent_playbook_revisions (id, org_id, agent_playbook_id, event_id, body)
                VALUES (?, ?, ?, ?, ?)";
    let values = (revision.map(|id| id.0), org.as_str(), id.0, event_id, compact(event)?);
    sql.prepare_cached(text)?.execute(values)?;
    Ok(())
}

/// Lines without a revision changed no text: the rule was added, archived, deleted.
fn history(sql: &Connection, org: &OrgId, id: AgentPlaybookId) -> Outcome<Vec<AgentPlaybookEvent>> {
    let mut statement = sql.prepare_cached(
        "SELECT e.action, e.actor, e.created_at, r.body FROM lineage_events e
         LEFT JOIN agent_playbook_revisions r ON r.event_id = e.id AND r.org_id = e.org_id
         WHERE e.org_id = ? AND e.subject_kind = ? AND e.subject_id = ? ORDER BY e.id",
    )?;
    let rows = statement.query_map((org.as_str(), AGENT_PLAYBOOKS.subject, id.to_string()), |row| {
        if row.get_ref(3)?.data_type() != rusqlite::types::Type::Null {
            return json(row, 3);
        }
        Ok(AgentPlaybookEvent {
            action: word(row, 0, |text| serde_json::from_value(text.into()).ok())?,
            actor: row.get(1)?,
            created_at: Timestamp(row.get(2)?),
            reason: None,
            changes: Vec::new(),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
