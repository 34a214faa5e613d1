use reflexio_store::Enqueued;
use reflexio_types::{JobId, NewJob, OrgId, Timestamp, UserId};
use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;

pub(crate) const COVERING: &str =
    "SELECT id FROM jobs t WHERE org_id = ? AND dedup_key = ? AND state = 'queued' ORDER BY id LIMIT 1";

/// Puts a job in the queue, unless one that waits already covers it.
pub(crate) fn queue(sql: &Connection, org: &OrgId, job: &NewJob, at: Timestamp) -> Result<Enqueued> {
    if let Some(key) = &job.dedup_key
        && let Some(id) = covering(sql, org, key)?
    {
        if job.rearms {
            rearm(sql, org, id, job, at)?;
        }
        return Ok(Enqueued::Covered(id));
    }
    insert(sql, org, job, at).map(Enqueued::New)
}

/// There can be several: one that failed comes back into the queue, whoever took its place in the meantime. So
/// the index of keys is not a unique one; nobody else writes between this look and the insertion.
fn covering(sql: &Connection, org: &OrgId, key: &str) -> Result<Option<JobId>> {
    let mut statement = sql.prepare_cached(COVERING)?;
    Ok(statement.query_row((org.as_str(), key), |row| Ok(JobId(row.get(0)?))).optional()?)
}

/// Lets a queued job begin anew. In its lane it stays where it is.
fn rearm(sql: &Connection, org: &OrgId, id: JobId, job: &NewJob, at: Timestamp) -> Result<()> {
    let text = "UPDATE jobs SET payload = ?1, run_after = ?2, attempts = 0, max_attempts = ?3,
                    place = CASE WHEN place = 'behind' THEN 'behind' WHEN ?2 > ?4 THEN 'waiting' ELSE 'ready' END
                WHERE id = ?5 AND +org_id = ?6";
    let run_after = job.run_after.unwrap_or(at).0;
    let values = (job.payload.to_string(), run_after, job.max_attempts.max(1), at.0, id.0, org.as_str());
    sql.prepare_cached(text)?.execute(values)?;
    Ok(())
}

fn insert(sql: &Connection, org: &OrgId, job: &NewJob, at: Timestamp) -> Result<JobId> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO jobs (org_id, user_id, kind, lane, dedup_key, payload, max_attempts, run_after, created_at,
             state, place)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'queued',
             CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE org_id = ?1 AND lane = ?4 AND place <> 'behind') THEN 'behind'
                  WHEN ?8 > ?9 THEN 'waiting' ELSE 'ready' END)",
    )?;
    statement.execute((
        org.as_str(),
        job.user_id.as_ref().map(UserId::as_str),
        job.kind.as_str(),
        job.lane_name(),
        &job.dedup_key,
        job.payload.to_string(),
        job.max_attempts.max(1),
        job.run_after.unwrap_or(at).0,
        at.0,
    ))?;
    Ok(JobId(sql.last_insert_rowid()))
}
