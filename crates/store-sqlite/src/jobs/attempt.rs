//! What happens to a job between its claim and the end of the attempt. Each function but [`expire`] asks for the
//! lease, and none changes anything for an old one.

use reflexio_store::{Error, Held, Lease, Retry};
use reflexio_types::{AttemptOutcome, Job, JobId, JobProgress, JobState, OrgId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row};

use super::lane;
use crate::answers;
use crate::error::{Fault, Result};
use crate::rows::as_limit;
use crate::writer::Tx;

/// A reason is a sentence, not a log.
const LONGEST_REASON: usize = 2000;

/// An attempt that is under way.
struct Attempt {
    org: OrgId,
    job: JobId,
    number: u32,
    most: u32,
    cancel_asked: bool,
    lane: Option<String>,
    worker: String,
}

/// How an attempt ended.
pub(super) struct Ending<'a> {
    pub(super) outcome: AttemptOutcome,
    pub(super) reason: Option<&'a str>,
    pub(super) at: Timestamp,
}

impl Ending<'_> {
    /// The reason, cut to a length that can be kept twenty times.
    fn short_reason(&self) -> Option<&str> {
        self.reason.map(|text| text.char_indices().nth(LONGEST_REASON).map_or(text, |(end, _)| &text[..end]))
    }
}

pub(super) fn extend(sql: &Connection, lease: &Lease, until: Timestamp) -> Result<Held> {
    let text = "UPDATE jobs SET lease_until = max(lease_until, ?)
                WHERE id = ? AND +org_id = ? AND fence = ? AND state = 'running' RETURNING cancel_asked";
    let values = (until.0, lease.job.0, lease.org.as_str(), fence(lease));
    let cancel_asked = sql.prepare_cached(text)?.query_row(values, |row| row.get(0)).optional()?;
    Ok(match cancel_asked {
        None => Held::Lost,
        Some(true) => Held::CancelAsked,
        Some(false) => Held::Yes,
    })
}

pub(crate) fn set_progress(sql: &Connection, lease: &Lease, progress: &JobProgress) -> Result<()> {
    let text =
        "UPDATE jobs SET progress = ? WHERE id = ? AND +org_id = ? AND fence = ? AND state = 'running'";
    let values = (serde_json::to_string(progress)?, lease.job.0, lease.org.as_str(), fence(lease));
    if sql.prepare_cached(text)?.execute(values)? == 0 { Err(lost(lease)) } else { Ok(()) }
}

/// Finishes a job in the transaction that stores its result: without the lease, neither is stored.
pub(crate) fn complete_in(tx: &Tx<'_>, lease: &Lease, at: Timestamp) -> Result<()> {
    let attempt = held(tx.sql, lease)?.ok_or_else(|| lost(lease))?;
    let ending = Ending { outcome: AttemptOutcome::Done, reason: None, at };
    attempt.finish(tx.sql, JobState::Done, &ending)
}

/// For results that are stored before the end of their job. Whatever ended the attempts before this one is overcome, so
/// they count no more: only attempts that come to nothing use a job up.
pub(crate) fn go_on_in(tx: &Tx<'_>, lease: &Lease) -> Result<()> {
    let text =
        "UPDATE jobs SET attempts = 1 WHERE id = ? AND +org_id = ? AND fence = ? AND state = 'running'";
    let values = (lease.job.0, lease.org.as_str(), fence(lease));
    if tx.sql.prepare_cached(text)?.execute(values)? == 0 { Err(lost(lease)) } else { Ok(()) }
}

/// As [`go_on_in`], for an answer that a job has not had before; nothing for a job that does not run.
pub(crate) fn got_an_answer(sql: &Connection, org: &OrgId, job: JobId, digest: &str) -> Result<()> {
    let text = "UPDATE jobs SET attempts = 1 WHERE id = ?1 AND +org_id = ?2 AND state = 'running'
                AND NOT EXISTS (SELECT 1 FROM saved_answers WHERE job_id = ?1 AND digest = ?3)";
    sql.prepare_cached(text)?.execute((job.0, org.as_str(), digest))?;
    Ok(())
}

/// The ids of those that were lost.
pub(super) fn complete_many(tx: &Tx<'_>, leases: &[Lease], at: Timestamp) -> Result<Vec<JobId>> {
    let mut lost = Vec::new();
    for lease in leases {
        match complete_in(tx, lease, at) {
            Err(Fault::Store(Error::LostLease(id))) => lost.push(id),
            other => other?,
        }
    }
    Ok(lost)
}

pub(super) fn fail(
    sql: &Connection,
    lease: &Lease,
    reason: &str,
    retry: Retry,
    at: Timestamp,
) -> Result<JobState> {
    let attempt = held(sql, lease)?.ok_or_else(|| lost(lease))?;
    let ending = Ending { outcome: AttemptOutcome::Failed, reason: Some(reason), at };
    match retry {
        Retry::At(time) if attempt.number < attempt.most => attempt.requeue(sql, time, &ending),
        Retry::At(_) | Retry::Never => attempt.give_up(sql, &ending),
    }
}

pub(super) fn release(
    sql: &Connection,
    lease: &Lease,
    reason: &str,
    not_before: Timestamp,
    at: Timestamp,
) -> Result<JobState> {
    let attempt = held(sql, lease)?.ok_or_else(|| lost(lease))?;
    let ending = Ending { outcome: AttemptOutcome::Released, reason: Some(reason), at };
    attempt.requeue(sql, not_before, &ending)
}

/// Ends attempts whose lease ran out until a time, at most so many; says how many that were.
pub(super) fn expire(sql: &Connection, until: Timestamp, now: Timestamp, most: usize) -> Result<usize> {
    let mut statement = sql.prepare_cached(&expired_text())?;
    let rows = statement.query_map((until.0, as_limit(most)), Attempt::from_row)?;
    let silent: Vec<Attempt> = rows.collect::<rusqlite::Result<_>>()?;
    for attempt in &silent {
        let reason = format!("worker `{}` was not heard of in time", attempt.worker);
        let ending = Ending { outcome: AttemptOutcome::Expired, reason: Some(&reason), at: now };
        if attempt.number < attempt.most {
            attempt.requeue(sql, now, &ending)?;
        } else {
            attempt.give_up(sql, &ending)?;
        }
    }
    Ok(silent.len())
}

pub(crate) fn expired_text() -> String {
    let columns = Attempt::COLUMNS;
    format!(
        "SELECT {columns} FROM jobs t WHERE state = 'running' AND lease_until <= ? ORDER BY lease_until LIMIT ?"
    )
}

impl Attempt {
    const COLUMNS: &'static str = "org_id, id, attempts, max_attempts, cancel_asked, lane, worker";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            org: OrgId::new(row.get::<_, String>(0)?),
            job: JobId(row.get(1)?),
            number: row.get(2)?,
            most: row.get(3)?,
            cancel_asked: row.get(4)?,
            lane: row.get(5)?,
            worker: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        })
    }

    fn give_up(&self, sql: &Connection, ending: &Ending<'_>) -> Result<JobState> {
        let (state, ending) = self.unless_cancelled(JobState::Dead, ending);
        self.finish(sql, state, &ending)?;
        Ok(state)
    }

    fn requeue(&self, sql: &Connection, run_after: Timestamp, ending: &Ending<'_>) -> Result<JobState> {
        let (state, ending) = self.unless_cancelled(JobState::Queued, ending);
        if state.is_over() {
            self.finish(sql, state, &ending)?;
            return Ok(state);
        }
        let counted = u32::from(ending.outcome != AttemptOutcome::Released);
        let text = format!(
            "UPDATE jobs SET state = 'queued', lease_until = NULL, run_after = ?1, attempts = attempts - 1 + ?2,
                 last_error = CASE WHEN ?2 THEN ?5 ELSE last_error END, {APPEND_HISTORY}
             WHERE id = ?6 AND +org_id = ?7"
        );
        let values = (
            run_after.0,
            counted,
            ending.at.0,
            ending.outcome.as_str(),
            ending.short_reason(),
            self.job.0,
            self.org.as_str(),
        );
        sql.prepare_cached(&text)?.execute(values)?;
        lane::place(sql, &self.org, self.job, self.lane.as_deref(), ending.at)?;
        Ok(JobState::Queued)
    }

    /// Somebody wanted it to stop, so it is not tried again.
    fn unless_cancelled<'a>(&self, state: JobState, ending: &Ending<'a>) -> (JobState, Ending<'a>) {
        let Ending { outcome, reason, at } = *ending;
        if self.cancel_asked {
            (JobState::Cancelled, Ending { outcome: AttemptOutcome::Cancelled, reason, at })
        } else {
            (state, Ending { outcome, reason, at })
        }
    }

    fn finish(&self, sql: &Connection, state: JobState, ending: &Ending<'_>) -> Result<()> {
        finish(sql, &self.org, self.job, state, ending)?;
        lane::advance(sql, &self.org, self.lane.as_deref(), ending.at)
    }
}

/// Ends a job, which needs its answers no more. If it was the first of its lane, the lane has to be advanced.
pub(super) fn finish(
    sql: &Connection,
    org: &OrgId,
    id: JobId,
    state: JobState,
    ending: &Ending<'_>,
) -> Result<()> {
    let text = format!(
        "UPDATE jobs SET state = ?1, place = NULL, lease_until = NULL, finished_at = ?3,
             last_error = CASE WHEN ?1 = 'dead' THEN ?5 ELSE last_error END, {APPEND_HISTORY}
         WHERE id = ?2 AND +org_id = ?6"
    );
    let values =
        (state.as_str(), id.0, ending.at.0, ending.outcome.as_str(), ending.short_reason(), org.as_str());
    sql.prepare_cached(&text)?.execute(values)?;
    answers::forget(sql, org, id)
}

/// Adds a line to the history and drops the oldest one when it is full: `?3` is the time, `?4` the outcome and
/// `?5` the reason.
pub(super) const APPEND_HISTORY: &str = "history = json_insert(
    CASE WHEN json_array_length(history) >= 20 THEN json_remove(history, '$[0]') ELSE history END,
    '$[#]', json_object('at', ?3, 'number', attempts, 'outcome', ?4, 'reason', ?5))";
const _: () = assert!(Job::LONGEST_HISTORY == 20, "as APPEND_HISTORY has it");

fn held(sql: &Connection, lease: &Lease) -> Result<Option<Attempt>> {
    let text = format!(
        "SELECT {} FROM jobs WHERE id = ? AND +org_id = ? AND fence = ? AND state = 'running'",
        Attempt::COLUMNS
    );
    let values = (lease.job.0, lease.org.as_str(), fence(lease));
    Ok(sql.prepare_cached(&text)?.query_row(values, Attempt::from_row).optional()?)
}

fn fence(lease: &Lease) -> i64 {
    i64::try_from(lease.fence).unwrap_or(i64::MAX)
}

fn lost(lease: &Lease) -> Fault {
    Fault::Store(Error::LostLease(lease.job))
}
