//! One job of each lane comes first; only that one can be claimed. While there are jobs in a lane, one of them
//! must be first, or the others would wait for ever: `integrity.rs` checks it.

use reflexio_types::{JobId, OrgId, Timestamp};
use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;

pub(crate) const FIRST: &str =
    "SELECT id, place = 'running' FROM jobs t WHERE org_id = ? AND lane = ? AND place <> 'behind'";
pub(crate) const OLDEST_BEHIND: &str =
    "SELECT id FROM jobs t WHERE org_id = ? AND lane = ? AND place = 'behind' ORDER BY id LIMIT 1";

/// Earlier than any job: what is placed at this time waits for the next claim, which knows the time.
pub(super) const TIME_UNKNOWN: Timestamp = Timestamp(i64::MIN);

/// Gives a queued job its place: first in its lane, unless another one runs or arrived before it.
pub(super) fn place(
    sql: &Connection,
    org: &OrgId,
    id: JobId,
    lane: Option<&str>,
    at: Timestamp,
) -> Result<()> {
    let Some(lane) = lane else { return put_first(sql, org, id, at) };
    move_behind(sql, org, id)?;
    match first(sql, org, lane)? {
        Some((_, Standing::Runs)) => return Ok(()),
        Some((other, Standing::Waits)) if other < id => return Ok(()),
        Some((other, Standing::Waits)) => move_behind(sql, org, other)?,
        None => {}
    }
    advance(sql, org, Some(lane), at)
}

/// Lets the oldest job of a lane come first. Nobody else may be first in it.
pub(super) fn advance(sql: &Connection, org: &OrgId, lane: Option<&str>, at: Timestamp) -> Result<()> {
    let Some(lane) = lane else { return Ok(()) };
    let mut statement = sql.prepare_cached(OLDEST_BEHIND)?;
    let oldest = statement.query_row((org.as_str(), lane), |row| Ok(JobId(row.get(0)?))).optional()?;
    oldest.map_or(Ok(()), |id| put_first(sql, org, id, at))
}

fn put_first(sql: &Connection, org: &OrgId, id: JobId, at: Timestamp) -> Result<()> {
    let text = "UPDATE jobs SET place = CASE WHEN run_after > ? THEN 'waiting' ELSE 'ready' END
                WHERE id = ? AND +org_id = ?";
    sql.prepare_cached(text)?.execute((at.0, id.0, org.as_str()))?;
    Ok(())
}

fn move_behind(sql: &Connection, org: &OrgId, id: JobId) -> Result<()> {
    let text = "UPDATE jobs SET place = 'behind' WHERE id = ? AND +org_id = ?";
    sql.prepare_cached(text)?.execute((id.0, org.as_str()))?;
    Ok(())
}

enum Standing {
    Runs,
    Waits,
}

fn first(sql: &Connection, org: &OrgId, lane: &str) -> Result<Option<(JobId, Standing)>> {
    let mut statement = sql.prepare_cached(FIRST)?;
    let found = statement.query_row((org.as_str(), lane), |row| {
        let standing = if row.get(1)? { Standing::Runs } else { Standing::Waits };
        Ok((JobId(row.get(0)?), standing))
    });
    Ok(found.optional()?)
}
