use async_trait::async_trait;
use reflexio_store::{
    Error, JournalPiece, Lease, NewPlaybookRun, Page, PlaybookRest, PlaybookRunFilter, PlaybookRuns, Result,
    StoredPlaybookRun,
};
use reflexio_types::{JobId, OrgId, PlaybookRun, PlaybookRunId, PlaybookRunStatus, Timestamp, UserId};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::jobs::{attempt, queue};
use crate::predicate::Predicate;
use crate::rows::{Stored, as_limit, find, select_text, word};
use crate::writer::Tx;

/// What no status of a run that goes on is.
const NOT_OVER: &str = "status IN ('running', 'waiting', 'needs_model')";

impl Stored for PlaybookRun {
    const FROM: &'static str = "playbook_runs t";
    const COLUMNS: &'static str =
        "t.id, t.user_id, t.program, t.version, t.status, t.reason, t.entries, t.created_at, t.updated_at";
    const ORDER: &'static str = "t.created_at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: PlaybookRunId::new(row.get::<_, String>(0)?),
            user_id: UserId::new(row.get::<_, String>(1)?),
            program: row.get(2)?,
            version: row.get(3)?,
            status: word(row, 4, PlaybookRunStatus::parse)?,
            reason: row.get(5)?,
            entries: row.get::<_, i64>(6)?.unsigned_abs(),
            created_at: Timestamp(row.get(7)?),
            updated_at: Timestamp(row.get(8)?),
        })
    }
}

#[async_trait]
impl PlaybookRuns for SqliteStore {
    async fn create_playbook_run(&self, org: &OrgId, new: NewPlaybookRun) -> Result<()> {
        let org = org.clone();
        self.writer.write(move |tx| create(tx, &org, &new)).await
    }

    async fn playbook_run(&self, org: &OrgId, id: &PlaybookRunId) -> Result<Option<StoredPlaybookRun>> {
        let (org, id) = (org.clone(), id.clone());
        self.readers.read(move |sql| stored(sql, &org, &id)).await
    }

    async fn playbook_runs(
        &self,
        org: &OrgId,
        filter: &PlaybookRunFilter,
        page: Page,
    ) -> Result<(Vec<PlaybookRun>, bool)> {
        let which = filtered(org, filter);
        self.readers.read(move |sql| listed(sql, which, page)).await
    }

    async fn playbook_journal(
        &self,
        org: &OrgId,
        id: &PlaybookRunId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<String>> {
        let values = (org.as_str().to_owned(), id.as_str().to_owned(), after.cast_signed(), as_limit(limit));
        let text = "SELECT entry FROM playbook_journal WHERE org_id = ? AND run_id = ? AND position > ?
                    ORDER BY position LIMIT ?";
        let read = move |sql: &Connection| {
            let mut statement = sql.prepare_cached(text)?;
            let rows = statement.query_map(values, |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        self.readers.read(read).await
    }

    async fn extend_playbook_journal(
        &self,
        lease: &Lease,
        id: &PlaybookRunId,
        piece: JournalPiece,
        at: Timestamp,
    ) -> Result<()> {
        let (lease, id) = (lease.clone(), id.clone());
        self.writer.write(move |tx| extend(tx, &lease, &id, &piece, at)).await
    }

    async fn rest_playbook_run(
        &self,
        lease: &Lease,
        id: &PlaybookRunId,
        rest: PlaybookRest,
        at: Timestamp,
    ) -> Result<()> {
        let (lease, id) = (lease.clone(), id.clone());
        self.writer.write(move |tx| come_to_rest(tx, &lease, &id, &rest, at)).await
    }

    async fn cancel_playbook_run(
        &self,
        org: &OrgId,
        id: &PlaybookRunId,
        at: Timestamp,
    ) -> Result<Option<PlaybookRun>> {
        let (org, id) = (org.clone(), id.clone());
        self.writer.write(move |tx| cancel(tx.sql, &org, &id, at)).await
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &PlaybookRunFilter) -> Predicate {
    Predicate::of_org(org)
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text("t.program", filter.program.as_deref())
        .text("t.status", filter.status.map(PlaybookRunStatus::as_str))
        .time("t.created_at", filter.created)
}

/// One more than asked for tells whether there are more.
fn listed(sql: &Connection, which: Predicate, page: Page) -> Outcome<(Vec<PlaybookRun>, bool)> {
    let text = format!("{} OFFSET ?", select_text::<PlaybookRun>(&which, PlaybookRun::ORDER));
    let mut values = which.into_values();
    values.extend([page.limit.saturating_add(1), page.offset].map(|number| Value::Integer(as_limit(number))));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), PlaybookRun::from_row)?;
    let mut found: Vec<PlaybookRun> = rows.collect::<rusqlite::Result<_>>()?;
    let more = found.len() > page.limit;
    found.truncate(page.limit);
    Ok((found, more))
}

fn of_run(org: &OrgId, id: &PlaybookRunId) -> Predicate {
    Predicate::of_org(org).text("t.id", Some(id.as_str()))
}

fn stored(sql: &Connection, org: &OrgId, id: &PlaybookRunId) -> Outcome<Option<StoredPlaybookRun>> {
    let Some(run) = find::<PlaybookRun>(sql, of_run(org, id))? else { return Ok(None) };
    let text = "SELECT source, told_by FROM playbook_runs WHERE org_id = ? AND id = ?";
    let mut statement = sql.prepare_cached(text)?;
    let (source, told_by): (String, Option<i64>) =
        statement.query_row((org.as_str(), id.as_str()), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Some(StoredPlaybookRun { run, source, told_by: told_by.map(JobId) }))
}

fn create(tx: &mut Tx<'_>, org: &OrgId, new: &NewPlaybookRun) -> Outcome<()> {
    let run = &new.run;
    if find::<PlaybookRun>(tx.sql, of_run(org, &run.id))?.is_some() {
        return Err(Error::Duplicate { what: "playbook run", id: run.id.to_string() }.into());
    }
    let text = "INSERT INTO playbook_runs (org_id, id, user_id, program, version, status, reason, entries, created_at,
                    updated_at, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let values = (
        org.as_str(),
        run.id.as_str(),
        run.user_id.as_str(),
        &run.program,
        &run.version,
        run.status.as_str(),
        &run.reason,
        as_limit(new.journal.len()),
        run.created_at.0,
        run.updated_at.0,
        &new.source,
    );
    tx.sql.prepare_cached(text)?.execute(values)?;
    insert(tx.sql, org, &run.id, 0, &new.journal)?;
    for job in &new.jobs {
        queue(tx.sql, org, job, run.created_at)?;
    }
    Ok(())
}

fn insert(sql: &Connection, org: &OrgId, id: &PlaybookRunId, after: u64, entries: &[String]) -> Outcome<()> {
    let text = "INSERT INTO playbook_journal (org_id, run_id, position, entry) VALUES (?, ?, ?, ?)";
    let mut statement = sql.prepare_cached(text)?;
    for (position, entry) in (after + 1..).zip(entries) {
        statement.execute((org.as_str(), id.as_str(), position.cast_signed(), entry))?;
    }
    Ok(())
}

fn extend(
    tx: &mut Tx<'_>,
    lease: &Lease,
    id: &PlaybookRunId,
    piece: &JournalPiece,
    at: Timestamp,
) -> Outcome<()> {
    attempt::go_on_in(tx, lease)?;
    let text = format!(
        "UPDATE playbook_runs SET entries = entries + ?1, told_by = coalesce(?2, told_by), updated_at = ?3,
             status = 'running', reason = NULL
         WHERE org_id = ?4 AND id = ?5 AND entries = ?6 AND {NOT_OVER}"
    );
    let values = (
        as_limit(piece.entries.len()),
        piece.told_by.map(|job| job.0),
        at.0,
        lease.org.as_str(),
        id.as_str(),
        piece.position.cast_signed(),
    );
    if tx.sql.prepare_cached(&text)?.execute(values)? == 0 {
        return Err(Error::Changed { what: "the run" }.into());
    }
    insert(tx.sql, &lease.org, id, piece.position, &piece.entries)
}

fn come_to_rest(
    tx: &mut Tx<'_>,
    lease: &Lease,
    id: &PlaybookRunId,
    rest: &PlaybookRest,
    at: Timestamp,
) -> Outcome<()> {
    attempt::complete_in(tx, lease, at)?;
    let text = format!(
        "UPDATE playbook_runs SET status = ?, reason = ?, updated_at = ? WHERE org_id = ? AND id = ? AND {NOT_OVER}"
    );
    let values = (rest.status.as_str(), &rest.reason, at.0, lease.org.as_str(), id.as_str());
    if tx.sql.prepare_cached(&text)?.execute(values)? > 0 {
        for job in &rest.jobs {
            queue(tx.sql, &lease.org, job, at)?;
        }
    }
    Ok(())
}

fn cancel(sql: &Connection, org: &OrgId, id: &PlaybookRunId, at: Timestamp) -> Outcome<Option<PlaybookRun>> {
    let text = format!(
        "UPDATE playbook_runs SET status = 'cancelled', reason = NULL, updated_at = ?
         WHERE org_id = ? AND id = ? AND {NOT_OVER} RETURNING id"
    );
    let values = (at.0, org.as_str(), id.as_str());
    let _: Option<String> = sql.prepare_cached(&text)?.query_row(values, |row| row.get(0)).optional()?;
    find(sql, of_run(org, id))
}
