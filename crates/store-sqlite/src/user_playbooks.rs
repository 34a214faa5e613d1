use std::cmp::Ordering;

use async_trait::async_trait;
use reflexio_store::{
    Ask, Downgrade, Result, RunStart, Scored, Upgrade, UserPlaybookChange, UserPlaybookFilter,
    UserPlaybookSelector, UserPlaybooks,
};
use reflexio_types::{
    LineageAction, OrgId, RequestId, Status, Timestamp, UserId, UserPlaybook, UserPlaybookId,
};
use rusqlite::{Connection, Row};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::fts::{self, Entry, Index, Searchable};
use crate::learned::USER_PLAYBOOKS;
use crate::lineage::{self, Event};
use crate::nearest::Scope;
use crate::predicate::Predicate;
use crate::rows::{Stored, compact, find, json, select, word};
use crate::upgrade::{Replaced, downgrade, upgrade};
use crate::writer::Tx;

impl Stored for UserPlaybook {
    const FROM: &'static str = "user_playbooks t";
    const COLUMNS: &'static str = "t.id, t.user_id, t.request_id, t.playbook_name, t.agent_version, t.created_at, \
                                   t.source, t.status, t.body";
    const ORDER: &'static str = "t.created_at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: UserPlaybookId(row.get(0)?),
            user_id: row.get::<_, Option<String>>(1)?.map(UserId::new),
            request_id: RequestId::new(row.get::<_, String>(2)?),
            playbook_name: row.get(3)?,
            agent_version: row.get(4)?,
            created_at: Timestamp(row.get(5)?),
            source: row.get(6)?,
            status: word(row, 7, Status::parse)?,
            body: json(row, 8)?,
        })
    }
}

impl Searchable for UserPlaybook {
    const INDEX: Index = Index::UserPlaybooks;
    const TABLE: &'static str = "user_playbooks";
    const KEY: &'static str = "t.id";

    fn text(&self) -> String {
        self.searchable_text()
    }

    fn newest_first(&self, other: &Self) -> Ordering {
        other.created_at.cmp(&self.created_at).then_with(|| other.id.cmp(&self.id))
    }
}

#[async_trait]
impl UserPlaybooks for SqliteStore {
    async fn add_user_playbooks(
        &self,
        org: &OrgId,
        playbooks: Vec<UserPlaybook>,
        actor: Option<&str>,
    ) -> Result<Vec<UserPlaybookId>> {
        let texts = playbooks.iter().map(|row| (row.user_id.clone(), row.searchable_text())).collect();
        let entries = fts::entries(org, texts).await?;
        let (org, actor) = (org.clone(), actor.map(str::to_owned));
        self.writer
            .write(move |tx| {
                let rows = playbooks.iter().zip(entries);
                rows.into_iter().map(|(row, entry)| add(tx, &org, row, entry, actor.as_deref())).collect()
            })
            .await
    }

    async fn user_playbooks(
        &self,
        org: &OrgId,
        filter: &UserPlaybookFilter,
        limit: usize,
    ) -> Result<Vec<UserPlaybook>> {
        let predicate = filtered(org, filter);
        self.readers.read(move |sql| select(sql, predicate, UserPlaybook::ORDER, limit)).await
    }

    async fn search_user_playbooks(
        &self,
        org: &OrgId,
        filter: &UserPlaybookFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<UserPlaybook>>> {
        self.search(org, scope(filter), filtered(org, filter), ask).await
    }

    async fn update_user_playbook(
        &self,
        org: &OrgId,
        id: UserPlaybookId,
        change: &UserPlaybookChange,
        actor: Option<&str>,
        at: Timestamp,
    ) -> Result<Option<UserPlaybook>> {
        let (org, change, actor) = (org.clone(), change.clone(), actor.map(str::to_owned));
        self.writer.write(move |tx| update(tx, &org, id, change, actor.as_deref(), at)).await
    }

    async fn delete_user_playbooks(
        &self,
        org: &OrgId,
        which: &UserPlaybookSelector,
        at: Timestamp,
    ) -> Result<u64> {
        let predicate = match which {
            UserPlaybookSelector::Ids(ids) => {
                Predicate::checking_org(org).within("t.id", ids.iter().map(|id| id.0.into()).collect())
            }
            UserPlaybookSelector::All => Predicate::of_org(org),
        };
        let org = org.clone();
        self.writer.write(move |tx| USER_PLAYBOOKS.delete(tx, &org, predicate, at)).await
    }

    async fn upgrade_user_playbooks(
        &self,
        org: &OrgId,
        agent_version: Option<&str>,
        playbook_name: Option<&str>,
        archive_current: bool,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Upgrade> {
        let scope = of_kind(org, agent_version, playbook_name);
        let replaced = if archive_current { Replaced::Archived } else { Replaced::Kept };
        self.write_run(org, run, at, move |tx, org| upgrade(tx, USER_PLAYBOOKS, org, &scope, replaced, at))
            .await
    }

    async fn downgrade_user_playbooks(
        &self,
        org: &OrgId,
        agent_version: Option<&str>,
        playbook_name: Option<&str>,
        run: &RunStart,
        at: Timestamp,
    ) -> Result<Downgrade> {
        let scope = of_kind(org, agent_version, playbook_name);
        self.write_run(org, run, at, move |tx, org| downgrade(tx, USER_PLAYBOOKS, org, &scope, at)).await
    }
}

fn of_kind(org: &OrgId, agent_version: Option<&str>, playbook_name: Option<&str>) -> Predicate {
    Predicate::of_org(org).text("t.agent_version", agent_version).text("t.playbook_name", playbook_name)
}

fn scope(filter: &UserPlaybookFilter) -> Scope {
    Scope {
        user: filter.user_id.clone(),
        version: filter.agent_version.clone(),
        name: filter.playbook_name.clone(),
        source: filter.source.clone(),
        status: filter.status.clone(),
        time: filter.time,
        tags: filter.tags.clone(),
        few: filter.id.is_some() || filter.request_id.is_some(),
        ..Scope::default()
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &UserPlaybookFilter) -> Predicate {
    Predicate::of_org(org)
        .number("t.id", filter.id.map(|id| id.0))
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text("t.request_id", filter.request_id.as_ref().map(RequestId::as_str))
        .text("t.playbook_name", filter.playbook_name.as_deref())
        .text("t.agent_version", filter.agent_version.as_deref())
        .text("t.source", filter.source.as_deref())
        .time("t.created_at", filter.time)
        .one_of("t.status", filter.status.iter().map(|status| status.as_str()))
        .any_in_body("$.tags", &filter.tags)
}

pub(crate) fn add(
    tx: &mut Tx<'_>,
    org: &OrgId,
    playbook: &UserPlaybook,
    entry: Entry,
    actor: Option<&str>,
) -> Outcome<UserPlaybookId> {
    let id = insert(tx.sql, org, None, playbook)?;
    tx.index.put(Index::UserPlaybooks, id.0, entry);
    let event = Event {
        subject: (USER_PLAYBOOKS.subject, &id.to_string()),
        action: LineageAction::Added,
        user: playbook.user_id.as_ref().map(UserId::as_str),
        request: Some(playbook.request_id.as_str()),
        actor,
        at: playbook.created_at,
    };
    lineage::record(tx.sql, org, &event)?;
    Ok(id)
}

/// Stores a row; without an id it gets the next one.
pub(crate) fn insert(
    sql: &Connection,
    org: &OrgId,
    id: Option<UserPlaybookId>,
    playbook: &UserPlaybook,
) -> Outcome<UserPlaybookId> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO user_playbooks
         (id, org_id, user_id, request_id, playbook_name, agent_version, created_at, source, status, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let values = (
        id.map(|id| id.0),
        org.as_str(),
        playbook.user_id.as_ref().map(UserId::as_str),
        playbook.request_id.as_str(),
        &playbook.playbook_name,
        &playbook.agent_version,
        playbook.created_at.0,
        &playbook.source,
        playbook.status.as_str(),
        compact(&playbook.body)?,
    );
    Ok(UserPlaybookId(statement.insert(values)?))
}

fn update(
    tx: &mut Tx<'_>,
    org: &OrgId,
    id: UserPlaybookId,
    change: UserPlaybookChange,
    actor: Option<&str>,
    at: Timestamp,
) -> Outcome<Option<UserPlaybook>> {
    let Some(old) = find::<UserPlaybook>(tx.sql, Predicate::of_org(org).number("t.id", Some(id.0)))? else {
        return Ok(None);
    };
    let new = changed(old.clone(), change);
    if new == old {
        return Ok(Some(new));
    }
    let mut statement = tx.sql.prepare_cached(
        "UPDATE user_playbooks SET playbook_name = ?, body = ? WHERE org_id = ? AND id = ?",
    )?;
    statement.execute((&new.playbook_name, compact(&new.body)?, org.as_str(), id.0))?;
    tx.index.put(Index::UserPlaybooks, id.0, Entry::new(org, new.user_id.as_ref(), &new.searchable_text()));
    let event = Event {
        subject: (USER_PLAYBOOKS.subject, &id.to_string()),
        action: LineageAction::Edited,
        user: new.user_id.as_ref().map(UserId::as_str),
        request: None,
        actor,
        at,
    };
    lineage::record(tx.sql, org, &event)?;
    Ok(Some(new))
}

fn changed(mut row: UserPlaybook, change: UserPlaybookChange) -> UserPlaybook {
    row.playbook_name = change.playbook_name.unwrap_or(row.playbook_name);
    row.body.content = change.content.unwrap_or(row.body.content);
    row.body.trigger = change.trigger.or(row.body.trigger);
    row.body.rationale = change.rationale.or(row.body.rationale);
    row
}
