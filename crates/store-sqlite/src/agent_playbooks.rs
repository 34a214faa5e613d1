use std::cmp::Ordering;

use async_trait::async_trait;
use reflexio_store::{
    AgentPlaybookChange, AgentPlaybookFilter, AgentPlaybookSelector, AgentPlaybooks, Ask, Result, Scored,
};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookEvent, AgentPlaybookId, FieldChange, LineageAction, OrgId, PlaybookStatus,
    Signature, Status, Timestamp,
};
use rusqlite::{Connection, Row};

use crate::SqliteStore;
use crate::agent_playbook_revisions::{CHANGED, record};
use crate::error::Result as Outcome;
use crate::fts::{self, Entry, Index, Searchable};
use crate::learned::AGENT_PLAYBOOKS;
use crate::lineage::{self, Event};
use crate::nearest::Scope;
use crate::predicate::Predicate;
use crate::rows::{Stored, compact, find, json, select, word};
use crate::writer::Tx;

impl Stored for AgentPlaybook {
    const FROM: &'static str = "agent_playbooks t";
    const COLUMNS: &'static str =
        "t.id, t.playbook_name, t.agent_version, t.created_at, t.playbook_status, t.status, t.body";
    const ORDER: &'static str = "t.created_at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: AgentPlaybookId(row.get(0)?),
            playbook_name: row.get(1)?,
            agent_version: row.get(2)?,
            created_at: Timestamp(row.get(3)?),
            playbook_status: word(row, 4, PlaybookStatus::parse)?,
            status: word(row, 5, Status::parse)?,
            body: json(row, 6)?,
        })
    }
}

impl Searchable for AgentPlaybook {
    const INDEX: Index = Index::AgentPlaybooks;
    const TABLE: &'static str = "agent_playbooks";
    const KEY: &'static str = "t.id";

    fn text(&self) -> String {
        self.searchable_text()
    }

    fn newest_first(&self, other: &Self) -> Ordering {
        other.created_at.cmp(&self.created_at).then_with(|| other.id.cmp(&self.id))
    }
}

#[async_trait]
impl AgentPlaybooks for SqliteStore {
    async fn add_agent_playbooks(
        &self,
        org: &OrgId,
        playbooks: Vec<AgentPlaybook>,
        actor: Option<&str>,
    ) -> Result<Vec<AgentPlaybookId>> {
        let texts = playbooks.iter().map(|row| (None, row.searchable_text())).collect();
        let entries = fts::entries(org, texts).await?;
        let (org, actor) = (org.clone(), actor.map(str::to_owned));
        self.writer
            .write(move |tx| {
                let rows = playbooks.iter().zip(entries);
                rows.into_iter().map(|(row, entry)| add(tx, &org, row, entry, actor.as_deref())).collect()
            })
            .await
    }

    async fn agent_playbooks(
        &self,
        org: &OrgId,
        filter: &AgentPlaybookFilter,
        limit: usize,
    ) -> Result<Vec<AgentPlaybook>> {
        let predicate = filtered(org, filter);
        self.readers.read(move |sql| select(sql, predicate, AgentPlaybook::ORDER, limit)).await
    }

    async fn search_agent_playbooks(
        &self,
        org: &OrgId,
        filter: &AgentPlaybookFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<AgentPlaybook>>> {
        self.search(org, scope(filter), filtered(org, filter), ask).await
    }

    async fn update_agent_playbook(
        &self,
        org: &OrgId,
        id: AgentPlaybookId,
        change: &AgentPlaybookChange,
        actor: Option<&str>,
        at: Timestamp,
    ) -> Result<Option<AgentPlaybook>> {
        let (org, change, actor) = (org.clone(), change.clone(), actor.map(str::to_owned));
        self.writer.write(move |tx| update(tx, &org, id, &change, actor.as_deref(), at)).await
    }

    async fn delete_agent_playbooks(
        &self,
        org: &OrgId,
        which: &AgentPlaybookSelector,
        at: Timestamp,
    ) -> Result<u64> {
        let predicate = match which {
            AgentPlaybookSelector::Ids(ids) => {
                Predicate::checking_org(org).within("t.id", ids.iter().map(|id| id.0.into()).collect())
            }
            AgentPlaybookSelector::All => Predicate::of_org(org),
        };
        let org = org.clone();
        self.writer.write(move |tx| AGENT_PLAYBOOKS.delete(tx, &org, predicate, at)).await
    }
}

fn scope(filter: &AgentPlaybookFilter) -> Scope {
    Scope {
        version: filter.agent_version.clone(),
        name: filter.playbook_name.clone(),
        status: filter.status.clone(),
        approval: filter.playbook_status.clone(),
        time: filter.time,
        tags: filter.tags.clone(),
        few: filter.id.is_some(),
        ..Scope::default()
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &AgentPlaybookFilter) -> Predicate {
    let predicate = Predicate::of_org(org)
        .number("t.id", filter.id.map(|id| id.0))
        .text("t.playbook_name", filter.playbook_name.as_deref())
        .text("t.agent_version", filter.agent_version.as_deref())
        .time("t.created_at", filter.time)
        .one_of("t.status", filter.status.iter().map(|status| status.as_str()))
        .one_of("t.playbook_status", filter.playbook_status.iter().map(|status| status.as_str()))
        .any_in_body("$.tags", &filter.tags);
    if filter.awaiting_review {
        return predicate.and("(t.playbook_status = 'pending' OR t.status = 'pending')", []);
    }
    predicate
}

pub(crate) fn add(
    tx: &mut Tx<'_>,
    org: &OrgId,
    playbook: &AgentPlaybook,
    entry: Entry,
    actor: Option<&str>,
) -> Outcome<AgentPlaybookId> {
    let id = insert(tx.sql, org, None, playbook)?;
    tx.index.put(Index::AgentPlaybooks, id.0, entry);
    note(tx.sql, org, id, LineageAction::Added, actor, playbook.created_at)?;
    let approved = playbook.playbook_status == PlaybookStatus::Approved;
    if let Some(before) = playbook.body.successor_of.filter(|_| approved) {
        archive(tx, org, before, id, playbook.created_at)?;
    }
    Ok(id)
}

pub(crate) fn note(
    sql: &Connection,
    org: &OrgId,
    id: AgentPlaybookId,
    action: LineageAction,
    actor: Option<&str>,
    at: Timestamp,
) -> Outcome<()> {
    let id = id.to_string();
    let event =
        Event { subject: (AGENT_PLAYBOOKS.subject, &id), action, user: None, request: None, actor, at };
    lineage::record(sql, org, &event)
}

/// Stores a row; without an id it gets the next one.
pub(crate) fn insert(
    sql: &Connection,
    org: &OrgId,
    id: Option<AgentPlaybookId>,
    playbook: &AgentPlaybook,
) -> Outcome<AgentPlaybookId> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO agent_playbooks
         (id, org_id, playbook_name, agent_version, created_at, playbook_status, status, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let values = (
        id.map(|id| id.0),
        org.as_str(),
        &playbook.playbook_name,
        &playbook.agent_version,
        playbook.created_at.0,
        playbook.playbook_status.as_str(),
        playbook.status.as_str(),
        compact(&playbook.body)?,
    );
    Ok(AgentPlaybookId(statement.insert(values)?))
}

pub(crate) fn update(
    tx: &mut Tx<'_>,
    org: &OrgId,
    id: AgentPlaybookId,
    change: &AgentPlaybookChange,
    actor: Option<&str>,
    at: Timestamp,
) -> Outcome<Option<AgentPlaybook>> {
    let Some(old) = find::<AgentPlaybook>(tx.sql, Predicate::of_org(org).number("t.id", Some(id.0)))? else {
        return Ok(None);
    };
    if change.expected.as_deref().is_some_and(|expected| *expected != old) {
        return Err(CHANGED.into());
    }
    let new = change.applied(&old, Signature { key: actor.map(str::to_owned), at });
    if new == old {
        return Ok(Some(new));
    }
    let mut statement = tx.sql.prepare_cached(
        "UPDATE agent_playbooks SET playbook_name = ?, playbook_status = ?, body = ? WHERE org_id = ? AND id = ?",
    )?;
    let body = compact(&new.body)?;
    statement.execute((&new.playbook_name, new.playbook_status.as_str(), body, org.as_str(), id.0))?;
    let event = |action, reason: Option<String>, changes| AgentPlaybookEvent {
        action,
        actor: actor.map(str::to_owned),
        created_at: at,
        reason,
        changes,
    };
    let changes = FieldChange::between(&old, &new);
    if !changes.is_empty() {
        tx.index.put(Index::AgentPlaybooks, id.0, Entry::new(org, None, &new.searchable_text()));
        record(tx.sql, org, id, &event(LineageAction::Edited, None, changes))?;
    }
    if (new.playbook_status, &new.body.review) != (old.playbook_status, &old.body.review) {
        tx.index.relabel(Index::AgentPlaybooks, org, id.0);
        record(tx.sql, org, id, &event(decision(new.playbook_status), change.reason.clone(), Vec::new()))?;
    }
    let approved =
        new.playbook_status == PlaybookStatus::Approved && old.playbook_status != new.playbook_status;
    if let Some(before) = new.body.successor_of.filter(|_| approved) {
        archive(tx, org, before, id, at)?;
    }
    Ok(Some(new))
}

/// The rule whose place an approved one takes leaves production with the same decision.
fn archive(
    tx: &mut Tx<'_>,
    org: &OrgId,
    before: AgentPlaybookId,
    by: AgentPlaybookId,
    at: Timestamp,
) -> Outcome<()> {
    let of_row = Predicate::of_org(org).number("t.id", Some(before.0));
    let current = of_row.clone().text("t.status", Some(Status::Current.as_str()));
    let Some(mut row) = find::<AgentPlaybook>(tx.sql, current.clone())? else { return Ok(()) };
    row.body.superseded_by = Some(by);
    let mut statement =
        tx.sql.prepare_cached("UPDATE agent_playbooks SET body = ? WHERE org_id = ? AND id = ?")?;
    statement.execute((compact(&row.body)?, org.as_str(), before.0))?;
    drop(statement);
    AGENT_PLAYBOOKS.move_to(tx, org, current, (Status::Archived, LineageAction::Archived), at)?;
    Ok(())
}

fn decision(status: PlaybookStatus) -> LineageAction {
    match status {
        PlaybookStatus::Approved => LineageAction::Approved,
        PlaybookStatus::Rejected => LineageAction::Rejected,
        PlaybookStatus::Pending => LineageAction::Reopened,
    }
}
