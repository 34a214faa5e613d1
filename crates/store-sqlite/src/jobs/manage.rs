use reflexio_types::{AttemptOutcome, Job, JobId, JobState, OrgId, Timestamp, UserId};
use rusqlite::{Connection, OptionalExtension};

use super::attempt::{APPEND_HISTORY, Ending, finish};
use super::{lane, rows};
use crate::error::Result;
use crate::rows::{as_limit, word};

pub(crate) const DELETE_FINISHED: &str = "DELETE FROM jobs WHERE id IN
    (SELECT id FROM jobs t WHERE state = ? AND finished_at < ? ORDER BY finished_at LIMIT ?)";

/// What decides about a change that people ask for.
struct Standing {
    state: JobState,
    lane: Option<String>,
    is_first: bool,
}

pub(super) fn cancel(sql: &Connection, org: &OrgId, id: JobId, at: Timestamp) -> Result<Option<Job>> {
    let Some(standing) = standing(sql, org, id)? else { return Ok(None) };
    match standing.state {
        JobState::Queued => {
            let ending =
                Ending { outcome: AttemptOutcome::Cancelled, reason: Some("cancelled in the queue"), at };
            finish(sql, org, id, JobState::Cancelled, &ending)?;
            if standing.is_first {
                lane::advance(sql, org, standing.lane.as_deref(), at)?;
            }
        }
        JobState::Running => {
            let text = "UPDATE jobs SET cancel_asked = 1 WHERE id = ? AND +org_id = ?";
            sql.prepare_cached(text)?.execute((id.0, org.as_str()))?;
        }
        JobState::Done | JobState::Dead | JobState::Cancelled => {}
    }
    rows::job(sql, org, id)
}

pub(super) fn retry(sql: &Connection, org: &OrgId, id: JobId, at: Timestamp) -> Result<Option<Job>> {
    let Some(standing) = standing(sql, org, id)? else { return Ok(None) };
    if matches!(standing.state, JobState::Dead | JobState::Cancelled) {
        let text = format!(
            "UPDATE jobs SET state = 'queued', attempts = 0, run_after = ?3, cancel_asked = 0, progress = NULL,
                 finished_at = NULL, {APPEND_HISTORY}
             WHERE id = ?1 AND +org_id = ?2"
        );
        let values = (id.0, org.as_str(), at.0, AttemptOutcome::Retried.as_str(), None::<&str>);
        sql.prepare_cached(&text)?.execute(values)?;
        lane::place(sql, org, id, standing.lane.as_deref(), at)?;
    }
    rows::job(sql, org, id)
}

fn standing(sql: &Connection, org: &OrgId, id: JobId) -> Result<Option<Standing>> {
    let text = "SELECT state, lane, place <> 'behind' FROM jobs WHERE id = ? AND +org_id = ?";
    let found = sql.prepare_cached(text)?.query_row((id.0, org.as_str()), |row| {
        Ok(Standing {
            state: word(row, 0, JobState::parse)?,
            lane: row.get(1)?,
            is_first: row.get::<_, Option<bool>>(2)?.unwrap_or(false),
        })
    });
    Ok(found.optional()?)
}

/// Deletes a user's jobs, also those that run: their workers find that out when they are heard of next.
pub(crate) fn delete_of_user(sql: &Connection, org: &OrgId, user: &UserId) -> Result<u64> {
    let text = "DELETE FROM jobs WHERE org_id = ? AND user_id = ? RETURNING lane, place <> 'behind'";
    let mut statement = sql.prepare_cached(text)?;
    let deleted = statement.query_map((org.as_str(), user.as_str()), |row| {
        Ok((row.get::<_, Option<String>>(0)?, row.get::<_, Option<bool>>(1)?))
    })?;
    let deleted: Vec<_> = deleted.collect::<rusqlite::Result<_>>()?;
    for (lane, was_first) in &deleted {
        if *was_first == Some(true) {
            lane::advance(sql, org, lane.as_deref(), lane::TIME_UNKNOWN)?;
        }
    }
    Ok(deleted.len() as u64)
}

pub(super) fn delete_finished(
    sql: &Connection,
    state: JobState,
    before: Timestamp,
    limit: usize,
) -> Result<u64> {
    Ok(sql.prepare_cached(DELETE_FINISHED)?.execute((state.as_str(), before.0, as_limit(limit)))? as u64)
}
