//! Operations that changed learned rows. `recorder.rs` notes what they change, by the triggers of `triggers.rs`; `changes.rs` reads
//! it, `image.rs` is a row as its columns, and `undo.rs` puts rows back.

mod changes;
mod image;
mod recorder;
mod triggers;
mod undo;

use async_trait::async_trait;
use reflexio_store::{Page, Result, RunFilter, RunStart, Runs, Undone};
use reflexio_types::{
    JobId, OrgId, Run, RunChange, RunId, RunKind, RunLoss, RunState, Timestamp, UndoPlan, UserId,
};
use rusqlite::{Connection, OptionalExtension, Row};

pub(crate) use self::recorder::install;

use self::changes::Change;
use self::recorder::recorded;
use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::predicate::Predicate;
use crate::rows::{self, Stored, as_limit, find, word};
use crate::writer::Tx;

/// What is left of the scope of a run that was about one user who was erased.
const ERASED_SCOPE: &str = "a user who was erased";

impl Stored for Run {
    const FROM: &'static str = "runs t";
    const COLUMNS: &'static str = "t.id, t.kind, t.state, t.actor, t.automatic, t.job, t.scope, t.started_at, t.ended_at, \
                                   t.added, t.changed, t.retired, t.undoes, t.undone_by, t.loss";
    const ORDER: &'static str = "t.key DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let id = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(column)?.map(RunId::new));
        let count = |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.unsigned_abs());
        Ok(Self {
            id: RunId::new(row.get::<_, String>(0)?),
            kind: word(row, 1, RunKind::parse)?,
            state: word(row, 2, RunState::parse)?,
            actor: row.get(3)?,
            automatic: row.get(4)?,
            job: row.get::<_, Option<i64>>(5)?.map(JobId),
            scope: row.get(6)?,
            started_at: Timestamp(row.get(7)?),
            ended_at: Timestamp(row.get(8)?),
            added: count(9)?,
            changed: count(10)?,
            retired: count(11)?,
            undoes: id(12)?,
            undone_by: id(13)?,
            loss: match row.get::<_, Option<String>>(14)? {
                Some(_) => Some(word(row, 14, RunLoss::parse)?),
                None => None,
            },
        })
    }
}

impl SqliteStore {
    /// Writes as a run: what the work changes in learned rows is recorded with it.
    pub(crate) async fn write_run<T, F>(
        &self,
        org: &OrgId,
        run: &RunStart,
        at: Timestamp,
        work: F,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>, &OrgId) -> Outcome<T> + Send + 'static,
    {
        let (org, run) = (org.clone(), run.clone());
        self.writer.write(move |tx| recorded(tx, &org, &run, at, |tx| work(tx, &org))).await
    }
}

#[async_trait]
impl Runs for SqliteStore {
    async fn runs(&self, org: &OrgId, filter: &RunFilter, page: Page) -> Result<(Vec<Run>, bool)> {
        let which = filtered(org, filter);
        self.readers.read(move |sql| rows::page(sql, which, Run::ORDER, page)).await
    }

    async fn run(&self, org: &OrgId, id: &RunId) -> Result<Option<Run>> {
        let (org, id) = (org.clone(), id.clone());
        self.readers.read(move |sql| run_of(sql, &org, &id)).await
    }

    async fn run_changes(&self, org: &OrgId, id: &RunId, page: Page) -> Result<(Vec<RunChange>, bool)> {
        let (org, id) = (org.clone(), id.clone());
        self.readers.read(move |sql| shown(sql, &org, &id, page)).await
    }

    async fn undo_plan(&self, org: &OrgId, id: &RunId) -> Result<Option<UndoPlan>> {
        let (org, id) = (org.clone(), id.clone());
        self.readers.read(move |sql| undo::plan(sql, &org, &id)).await
    }

    async fn undo_run(&self, org: &OrgId, id: &RunId, undo: &RunStart, at: Timestamp) -> Result<Undone> {
        let (org, id, start) = (org.clone(), id.clone(), undo.clone());
        self.writer.write(move |tx| undo::undo(tx, &org, &id, &start, at)).await
    }

    async fn forget_run_changes(&self, before: Timestamp, limit: usize) -> Result<u64> {
        self.writer.write(move |tx| forget(tx.sql, before, limit)).await
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &RunFilter) -> Predicate {
    // Of one kind there are fewer than in one state.
    let state = if filter.kind.is_some() { "+t.state" } else { "t.state" };
    Predicate::of_org(org)
        .text("t.kind", filter.kind.map(RunKind::as_str))
        .text(state, filter.state.map(RunState::as_str))
}

fn run_of(sql: &Connection, org: &OrgId, id: &RunId) -> Outcome<Option<Run>> {
    find(sql, Predicate::of_org(org).text("t.id", Some(id.as_str())))
}

fn key_of(sql: &Connection, org: &OrgId, id: &RunId) -> Outcome<Option<i64>> {
    let text = "SELECT key FROM runs WHERE org_id = ? AND id = ?";
    Ok(sql.prepare_cached(text)?.query_row((org.as_str(), id.as_str()), |row| row.get(0)).optional()?)
}

fn shown(sql: &Connection, org: &OrgId, id: &RunId, page: Page) -> Outcome<(Vec<RunChange>, bool)> {
    let Some(key) = key_of(sql, org, id)? else { return Ok((Vec::new(), false)) };
    let of_run = Predicate::checking_org(org).number("t.run", Some(key));
    let (changes, more) = rows::page::<Change>(sql, of_run, Change::ORDER, page)?;
    let shown = changes.iter().map(|change| change.shown(sql, org)).collect::<Outcome<_>>()?;
    Ok((shown, more))
}

/// Takes a user who is erased out of what runs changed. Such runs cannot be undone any more.
pub(crate) fn erase_user(sql: &Connection, org: &OrgId, user: &UserId) -> Outcome<u64> {
    let values = (org.as_str(), user.as_str());
    let lost = "UPDATE runs SET loss = 'user_erased' WHERE key IN
                (SELECT run FROM run_changes WHERE org_id = ? AND user_id = ?)";
    sql.prepare_cached(lost)?.execute(values)?;
    let text = "DELETE FROM run_changes WHERE org_id = ? AND user_id = ?";
    let erased = sql.prepare_cached(text)?.execute(values)? as u64;
    let scope = "UPDATE runs SET scope = ?, user_id = NULL WHERE org_id = ? AND user_id = ?";
    sql.prepare_cached(scope)?.execute((ERASED_SCOPE, values.0, values.1))?;
    Ok(erased)
}

fn forget(sql: &Connection, before: Timestamp, limit: usize) -> Outcome<u64> {
    let lost = "UPDATE runs SET loss = 'expired' WHERE ended_at < ? AND loss IS NULL";
    sql.prepare_cached(lost)?.execute([before.0])?;
    let text = "DELETE FROM run_changes WHERE key IN
                (SELECT c.key FROM runs r CROSS JOIN run_changes c ON c.run = r.key WHERE r.ended_at < ? LIMIT ?)";
    Ok(sql.prepare_cached(text)?.execute((before.0, as_limit(limit)))? as u64)
}
