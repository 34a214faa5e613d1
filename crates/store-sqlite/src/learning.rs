use std::collections::HashMap;

use async_trait::async_trait;
use reflexio_store::{
    Cursor, CursorMove, Error, JobEnd, Learning, Lease, Lesson, PublishedTurn, PublisherFilter, Reach,
    Result, Superseded,
};
use reflexio_types::{
    Interaction, InteractionId, LearningKind, OrgId, Request, RequestId, Timestamp, UserId,
};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::error::Result as Outcome;
use crate::fts::{self, Entry};
use crate::jobs::{self, attempt};
use crate::learned::{Kind, PROFILES, USER_PLAYBOOKS};
use crate::predicate::Predicate;
use crate::rows::select;
use crate::writer::Tx;
use crate::{SqliteStore, answers, known, operations, profiles, user_playbooks};

pub(crate) const OLDEST_FIRST: &str = "t.id";
pub(crate) const LATEST_FIRST: &str = "t.id DESC";

#[async_trait]
impl Learning for SqliteStore {
    async fn published_turns(
        &self,
        org: &OrgId,
        user_id: &UserId,
        reach: Reach,
        limit: usize,
    ) -> Result<Vec<PublishedTurn>> {
        let (org, user_id) = (org.clone(), user_id.clone());
        self.readers.read(move |sql| published_turns(sql, &org, &user_id, reach, limit)).await
    }

    async fn cursors(&self, org: &OrgId, user_id: &UserId) -> Result<Vec<Cursor>> {
        let (org, user_id) = (org.clone(), user_id.clone());
        self.readers.read(move |sql| cursors(sql, &org, &user_id)).await
    }

    async fn publishers(&self, org: &OrgId, filter: &PublisherFilter) -> Result<Vec<UserId>> {
        let predicate = Predicate::of_org(org)
            .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
            .text("t.agent_version", filter.agent_version.as_deref())
            .text("t.source", filter.source.as_deref())
            .time("t.created_at", filter.time);
        self.readers.read(move |sql| publishers(sql, predicate)).await
    }

    async fn learn(&self, lease: &Lease, lesson: Lesson, at: Timestamp) -> Result<()> {
        let facts = lesson.profiles.iter().map(|row| (Some(row.user_id.clone()), row.searchable_text()));
        let rules = lesson.user_playbooks.iter().map(|row| (row.user_id.clone(), row.searchable_text()));
        let entries = fts::entries(&lease.org, facts.chain(rules).collect()).await?;
        let lease = lease.clone();
        self.writer.write(move |tx| learn(tx, &lease, &lesson, entries, at)).await
    }
}

/// The turns of a user on one side of a turn.
pub(crate) fn turns_of(org: &OrgId, user_id: &UserId, reach: Reach) -> Predicate {
    let of_user = Predicate::of_org(org).text("t.user_id", Some(user_id.as_str()));
    match reach {
        Reach::After(Some(id)) => of_user.and("t.id > ?", [Value::Integer(id.0)]),
        Reach::UpTo(Some(id)) => of_user.and("t.id <= ?", [Value::Integer(id.0)]),
        Reach::After(None) | Reach::UpTo(None) => of_user,
    }
}

fn published_turns(
    sql: &Connection,
    org: &OrgId,
    user_id: &UserId,
    reach: Reach,
    limit: usize,
) -> Outcome<Vec<PublishedTurn>> {
    let order = if matches!(reach, Reach::After(_)) { OLDEST_FIRST } else { LATEST_FIRST };
    let mut turns: Vec<Interaction> = select(sql, turns_of(org, user_id, reach), order, limit)?;
    turns.sort_by_key(|turn| turn.id);
    let mut ids: Vec<&RequestId> = turns.iter().map(|turn| &turn.request_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let listed = ids.into_iter().map(|id| id.as_str().into()).collect();
    let found: Vec<Request> =
        select(sql, Predicate::of_org(org).within("t.id", listed), "t.key", usize::MAX)?;
    let requests: HashMap<RequestId, Request> =
        found.into_iter().map(|request| (request.id.clone(), request)).collect();
    let with_request = |interaction: Interaction| {
        let request = requests.get(&interaction.request_id)?.clone();
        Some(PublishedTurn { interaction, request })
    };
    Ok(turns.into_iter().filter_map(with_request).collect())
}

fn cursors(sql: &Connection, org: &OrgId, user_id: &UserId) -> Outcome<Vec<Cursor>> {
    let text = "SELECT extractor, covered FROM learning_cursors WHERE org_id = ? AND user_id = ?
                ORDER BY extractor";
    let mut statement = sql.prepare_cached(text)?;
    let rows = statement.query_map((org.as_str(), user_id.as_str()), |row| {
        Ok(Cursor { extractor: row.get(0)?, covered: InteractionId(row.get(1)?) })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn publishers(sql: &Connection, which: Predicate) -> Outcome<Vec<UserId>> {
    let text = format!("SELECT DISTINCT t.user_id FROM requests t WHERE {} ORDER BY 1", which.sql());
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement
        .query_map(params_from_iter(which.into_values()), |row| row.get::<_, String>(0).map(UserId::new))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn learn(tx: &mut Tx<'_>, lease: &Lease, lesson: &Lesson, entries: Vec<Entry>, at: Timestamp) -> Outcome<()> {
    let org = &lease.org;
    if let Some(progress) = &lesson.progress {
        attempt::set_progress(tx.sql, lease, progress)?;
    }
    match lesson.end {
        JobEnd::Done => attempt::complete_in(tx, lease, at)?,
        JobEnd::GoesOn => attempt::go_on_in(tx, lease)?,
    }
    if let Some(user) = &lesson.user_id {
        lesson.cursors.iter().try_for_each(|step| advance(tx.sql, org, user, step))?;
        lesson.superseded.iter().try_for_each(|rows| supersede(tx, org, user, rows, at))?;
    }
    let mut entries = entries.into_iter();
    for (profile, entry) in lesson.profiles.iter().zip(entries.by_ref()) {
        profiles::add(tx, org, profile, entry, None)?;
    }
    let mut playbook_ids = Vec::new();
    for (playbook, entry) in lesson.user_playbooks.iter().zip(entries) {
        playbook_ids.push(user_playbooks::add(tx, org, playbook, entry, None)?);
    }
    if let Some(user) = &lesson.user_id {
        known::change(tx, org, user, lesson, &playbook_ids, at)?;
    }
    if let Some(operation) = &lesson.operation {
        operations::put(tx.sql, org, operation)?;
        // Its progress says that the job is done with this user.
        if let Some(user) = &lesson.user_id {
            answers::forget_user(tx.sql, org, lease.job, user)?;
        }
    }
    for job in &lesson.jobs {
        jobs::queue(tx.sql, org, job, at)?;
    }
    Ok(())
}

/// Whoever read the same turns in the meantime has learned them; this lesson would say it twice.
fn advance(sql: &Connection, org: &OrgId, user: &UserId, step: &CursorMove) -> Outcome<()> {
    let changed = match step.from {
        None => sql
            .prepare_cached(
                "INSERT INTO learning_cursors (covered, org_id, user_id, extractor) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO NOTHING",
            )?
            .execute((step.to.0, org.as_str(), user.as_str(), &step.extractor))?,
        Some(from) => sql
            .prepare_cached(
                "UPDATE learning_cursors SET covered = ?
                 WHERE org_id = ? AND user_id = ? AND extractor = ? AND covered = ?",
            )?
            .execute((step.to.0, org.as_str(), user.as_str(), &step.extractor, from.0))?,
    };
    if changed == 0 { Err(Error::Changed { what: "the cursor of an extractor" }.into()) } else { Ok(()) }
}

fn supersede(tx: &mut Tx<'_>, org: &OrgId, user: &UserId, rows: &Superseded, at: Timestamp) -> Outcome<()> {
    let (kind, version): (Kind, Option<&str>) = match rows.kind {
        LearningKind::Profile => (PROFILES, None),
        LearningKind::UserPlaybook => (USER_PLAYBOOKS, rows.agent_version.as_deref()),
        // They belong to no user.
        LearningKind::AgentPlaybook => return Ok(()),
    };
    let which = Predicate::of_org(org)
        .text("t.user_id", Some(user.as_str()))
        .text("t.status", Some(rows.status.as_str()))
        .text("t.agent_version", version)
        .and("t.body ->> '$.learned_by' IS NOT NULL", []);
    kind.delete(tx, org, which, at)?;
    Ok(())
}
