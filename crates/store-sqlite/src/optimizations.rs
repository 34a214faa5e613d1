use async_trait::async_trait;
use reflexio_store::{
    Error, Lease, OptimizationEnd, OptimizationFilter, OptimizationStep, Optimizations, Page, Result,
    Successor,
};
use reflexio_types::{
    JobId, NewJob, Optimization, OptimizationBody, OptimizationCandidate, OptimizationEvent, OptimizationId,
    OptimizationPurpose, OptimizationState, OptimizationTarget, OptimizationTrial, OrgId, Timestamp, UserId,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::fts::{self, Entry};
use crate::jobs::{attempt, queue};
use crate::predicate::Predicate;
use crate::rows::{Stored, as_limit, compact, find, json, select_text, word};
use crate::successors;
use crate::writer::Tx;

impl Stored for Optimization {
    const FROM: &'static str = "optimizations t";
    const COLUMNS: &'static str = "t.id, t.purpose, t.target_kind, t.target_id, t.state, t.job_id, t.successor_id, \
         t.created_at, t.finished_at, t.body";
    const ORDER: &'static str = "t.created_at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let target = target(row, 3)?;
        let successor: Option<i64> = row.get(6)?;
        Ok(Self {
            id: OptimizationId(row.get(0)?),
            purpose: word(row, 1, OptimizationPurpose::parse)?,
            target,
            state: word(row, 4, OptimizationState::parse)?,
            job_id: row.get::<_, Option<i64>>(5)?.map(JobId),
            successor: successor.and_then(|id| OptimizationTarget::parse(target.kind(), id)),
            created_at: Timestamp(row.get(7)?),
            finished_at: row.get::<_, Option<i64>>(8)?.map(Timestamp),
            body: json(row, 9)?,
        })
    }
}

/// The kind stands in the column before the id.
fn target(row: &Row<'_>, id: usize) -> rusqlite::Result<OptimizationTarget> {
    let number: i64 = row.get(id)?;
    let kind: String = row.get(id - 1)?;
    OptimizationTarget::parse(&kind, number)
        .ok_or_else(|| rusqlite::Error::InvalidColumnType(id - 1, kind, rusqlite::types::Type::Text))
}

#[async_trait]
impl Optimizations for SqliteStore {
    async fn start_optimization(&self, org: &OrgId, run: Optimization, job: NewJob) -> Result<Optimization> {
        let org = org.clone();
        self.writer.write(move |tx| start(tx, &org, &run, &job)).await
    }

    async fn optimization(&self, org: &OrgId, id: OptimizationId) -> Result<Option<Optimization>> {
        let which = one(org, id);
        self.readers.read(move |sql| find(sql, which)).await
    }

    async fn optimization_of_job(
        &self,
        org: &OrgId,
        job: JobId,
    ) -> Result<Option<(Optimization, Option<String>)>> {
        let org = org.clone();
        self.readers.read(move |sql| of_job(sql, &org, job)).await
    }

    async fn optimizations(
        &self,
        org: &OrgId,
        filter: &OptimizationFilter,
        page: Page,
    ) -> Result<(Vec<Optimization>, bool)> {
        let which = filtered(org, filter);
        self.readers.read(move |sql| listed(sql, which, page)).await
    }

    async fn optimization_candidates(
        &self,
        org: &OrgId,
        id: OptimizationId,
    ) -> Result<Vec<OptimizationCandidate>> {
        let org = org.clone();
        let text = "SELECT body FROM optimization_candidates WHERE optimization_id = ? AND +org_id = ? ORDER BY number";
        self.readers.read(move |sql| bodies(sql, text, &org, id)).await
    }

    async fn optimization_trials(&self, org: &OrgId, id: OptimizationId) -> Result<Vec<OptimizationTrial>> {
        let org = org.clone();
        let text = "SELECT body FROM optimization_trials WHERE optimization_id = ? AND +org_id = ?
                    ORDER BY candidate, window_number";
        self.readers.read(move |sql| bodies(sql, text, &org, id)).await
    }

    async fn optimization_events(
        &self,
        org: &OrgId,
        id: OptimizationId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OptimizationEvent>> {
        let org = org.clone();
        self.readers.read(move |sql| events(sql, &org, id, after, limit)).await
    }

    async fn advance_optimization(
        &self,
        lease: &Lease,
        id: OptimizationId,
        step: OptimizationStep,
        at: Timestamp,
    ) -> Result<()> {
        let lease = lease.clone();
        self.writer.write(move |tx| advance(tx, &lease, id, &step, at)).await
    }

    async fn end_optimization(
        &self,
        lease: &Lease,
        id: OptimizationId,
        end: OptimizationEnd,
        at: Timestamp,
    ) -> Result<Optimization> {
        let text = end.successor.as_ref().map(|successor| match successor {
            Successor::Agent { row, .. } => (None, row.searchable_text()),
            Successor::User { row, .. } => (row.user_id.clone(), row.searchable_text()),
        });
        let entry = fts::entries(&lease.org, text.into_iter().collect()).await?.pop();
        let (lease, run) = (lease.clone(), end.run.clone());
        self.write_run(&lease.org.clone(), &run, at, move |tx, _| finish(tx, &lease, id, &end, entry, at))
            .await
    }

    async fn close_optimization(
        &self,
        org: &OrgId,
        id: OptimizationId,
        state: OptimizationState,
        decision: &str,
        at: Timestamp,
    ) -> Result<Option<Optimization>> {
        let (org, decision) = (org.clone(), decision.to_owned());
        self.writer.write(move |tx| close(tx.sql, &org, id, state, &decision, at)).await
    }
}

fn one(org: &OrgId, id: OptimizationId) -> Predicate {
    Predicate::checking_org(org).number("t.id", Some(id.0))
}

pub(crate) fn filtered(org: &OrgId, filter: &OptimizationFilter) -> Predicate {
    Predicate::of_org(org)
        .text("t.purpose", filter.purpose.map(OptimizationPurpose::as_str))
        .text("t.target_kind", filter.target.map(OptimizationTarget::kind))
        .number("t.target_id", filter.target.map(OptimizationTarget::id))
        .text("t.state", filter.state.map(OptimizationState::as_str))
}

fn start(tx: &mut Tx<'_>, org: &OrgId, run: &Optimization, job: &NewJob) -> Outcome<Optimization> {
    let open = "SELECT id FROM optimizations
                WHERE org_id = ? AND purpose = ? AND target_kind = ? AND target_id = ? AND finished_at IS NULL";
    let target = (org.as_str(), run.purpose.as_str(), run.target.kind(), run.target.id());
    let open: Option<i64> = tx.sql.prepare_cached(open)?.query_row(target, |row| row.get(0)).optional()?;
    if let Some(open) = open {
        return Err(Error::Duplicate { what: "optimization", id: open.to_string() }.into());
    }
    let job_id = queue(tx.sql, org, job, run.created_at)?.id();
    let mut statement = tx.sql.prepare_cached(
        "INSERT INTO optimizations (org_id, purpose, target_kind, target_id, state, job_id, created_at, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let values = (
        org.as_str(),
        run.purpose.as_str(),
        run.target.kind(),
        run.target.id(),
        run.state.as_str(),
        job_id.0,
        run.created_at.0,
        compact(&run.body)?,
    );
    let id = OptimizationId(statement.insert(values)?);
    let text =
        "INSERT INTO optimization_windows (optimization_id, number, org_id, user_id) VALUES (?, ?, ?, ?)";
    let mut statement = tx.sql.prepare_cached(text)?;
    for (number, window) in run.body.windows.iter().enumerate() {
        statement.execute((id.0, as_limit(number), org.as_str(), window.user_id.as_str()))?;
    }
    Ok(Optimization { id, job_id: Some(job_id), ..run.clone() })
}

fn of_job(sql: &Connection, org: &OrgId, job: JobId) -> Outcome<Option<(Optimization, Option<String>)>> {
    let which = Predicate::checking_org(org).number("t.job_id", Some(job.0));
    let Some(found) = find::<Optimization>(sql, which)? else { return Ok(None) };
    let text = "SELECT run FROM optimizations WHERE id = ? AND +org_id = ?";
    let run = sql.prepare_cached(text)?.query_row((found.id.0, org.as_str()), |row| row.get(0))?;
    Ok(Some((found, run)))
}

/// One more than asked for tells whether there are more.
fn listed(sql: &Connection, which: Predicate, page: Page) -> Outcome<(Vec<Optimization>, bool)> {
    let text = format!("{} OFFSET ?", select_text::<Optimization>(&which, Optimization::ORDER));
    let mut values = which.into_values();
    values.extend([page.limit.saturating_add(1), page.offset].map(|number| Value::Integer(as_limit(number))));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), Optimization::from_row)?;
    let mut found: Vec<Optimization> = rows.collect::<rusqlite::Result<_>>()?;
    let more = found.len() > page.limit;
    found.truncate(page.limit);
    Ok((found, more))
}

fn bodies<T: serde::de::DeserializeOwned>(
    sql: &Connection,
    text: &str,
    org: &OrgId,
    id: OptimizationId,
) -> Outcome<Vec<T>> {
    let mut statement = sql.prepare_cached(text)?;
    let rows = statement.query_map((id.0, org.as_str()), |row| json(row, 0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn events(
    sql: &Connection,
    org: &OrgId,
    id: OptimizationId,
    after: u64,
    limit: usize,
) -> Outcome<Vec<OptimizationEvent>> {
    let text = "SELECT number, at, body FROM optimization_events
                WHERE optimization_id = ? AND +org_id = ? AND number > ? ORDER BY number LIMIT ?";
    let mut statement = sql.prepare_cached(text)?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = statement.query_map((id.0, org.as_str(), after, as_limit(limit)), |row| {
        let number: i64 = row.get(0)?;
        Ok(OptimizationEvent {
            number: number.unsigned_abs(),
            at: Timestamp(row.get(1)?),
            body: json(row, 2)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn advance(
    tx: &mut Tx<'_>,
    lease: &Lease,
    id: OptimizationId,
    step: &OptimizationStep,
    at: Timestamp,
) -> Outcome<()> {
    let org = &lease.org;
    attempt::set_progress(tx.sql, lease, &step.progress)?;
    let text = "UPDATE optimizations SET state = ?, run = ? WHERE id = ? AND +org_id = ? AND +job_id = ?";
    let values = (OptimizationState::Running.as_str(), &step.run, id.0, org.as_str(), lease.job.0);
    if tx.sql.prepare_cached(text)?.execute(values)? == 0 {
        return Err(Error::LostLease(lease.job).into());
    }
    put_candidates(tx.sql, org, id, &step.candidates)?;
    let text =
        "INSERT OR REPLACE INTO optimization_trials (optimization_id, candidate, window_number, org_id, body)
                VALUES (?, ?, ?, ?, ?)";
    let mut statement = tx.sql.prepare_cached(text)?;
    for trial in &step.trials {
        statement.execute((id.0, trial.candidate, trial.window, org.as_str(), compact(trial)?))?;
    }
    let text = "INSERT INTO optimization_events (optimization_id, number, org_id, at, body)
                SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4 FROM optimization_events WHERE optimization_id = ?1";
    let mut statement = tx.sql.prepare_cached(text)?;
    for event in &step.events {
        statement.execute((id.0, org.as_str(), at.0, event.to_string()))?;
    }
    Ok(())
}

fn put_candidates(
    sql: &Connection,
    org: &OrgId,
    id: OptimizationId,
    candidates: &[OptimizationCandidate],
) -> Outcome<()> {
    let text = "INSERT OR REPLACE INTO optimization_candidates (optimization_id, number, org_id, body) VALUES (?, ?, ?, ?)";
    let mut statement = sql.prepare_cached(text)?;
    for candidate in candidates {
        statement.execute((id.0, candidate.number, org.as_str(), compact(candidate)?))?;
    }
    Ok(())
}

fn finish(
    tx: &mut Tx<'_>,
    lease: &Lease,
    id: OptimizationId,
    end: &OptimizationEnd,
    entry: Option<Entry>,
    at: Timestamp,
) -> Outcome<Optimization> {
    let org = &lease.org;
    attempt::complete_in(tx, lease, at)?;
    let successor = match (&end.successor, entry) {
        (Some(Successor::Agent { row, replaces }), Some(entry)) => {
            Some(successors::of_agent_playbook(tx, org, row, replaces, entry, at)?.0)
        }
        (Some(Successor::User { row, replaces }), Some(entry)) => {
            Some(successors::of_user_playbook(tx, org, row, replaces, entry, at)?.0)
        }
        (None, _) | (_, None) => None,
    };
    put_candidates(tx.sql, org, id, &end.candidates)?;
    // The search is over: what it found stands in the candidates.
    let text = "UPDATE optimizations SET state = ?, successor_id = ?, finished_at = ?, body = ?, run = NULL
                WHERE id = ? AND +org_id = ? AND +job_id = ? AND finished_at IS NULL";
    let body = compact(&end.body)?;
    let values = (end.state.as_str(), successor, at.0, body, id.0, org.as_str(), lease.job.0);
    if tx.sql.prepare_cached(text)?.execute(values)? == 0 {
        return Err(Error::LostLease(lease.job).into());
    }
    find(tx.sql, one(org, id))?.ok_or_else(|| Error::LostLease(lease.job).into())
}

fn close(
    sql: &Connection,
    org: &OrgId,
    id: OptimizationId,
    state: OptimizationState,
    decision: &str,
    at: Timestamp,
) -> Outcome<Option<Optimization>> {
    let Some(found) = find::<Optimization>(sql, one(org, id))? else { return Ok(None) };
    if found.finished_at.is_some() {
        return Ok(Some(found));
    }
    let body = OptimizationBody { decision: Some(decision.to_owned()), ..found.body.clone() };
    let text = "UPDATE optimizations SET state = ?, finished_at = ?, body = ?, run = NULL WHERE id = ? AND +org_id = ?";
    sql.prepare_cached(text)?.execute((state.as_str(), at.0, compact(&body)?, id.0, org.as_str()))?;
    Ok(Some(Optimization { state, finished_at: Some(at), body, ..found }))
}

/// Runs that replayed something this user said: their records hold words of it in many places.
pub(crate) fn erase_user(sql: &Connection, org: &OrgId, user: &UserId) -> Outcome<u64> {
    let text = "DELETE FROM optimizations WHERE +org_id = ?1 AND id IN
                (SELECT optimization_id FROM optimization_windows WHERE org_id = ?1 AND user_id = ?2)";
    Ok(sql.prepare_cached(text)?.execute((org.as_str(), user.as_str()))? as u64)
}
