use std::collections::{HashMap, HashSet};
use std::sync::PoisonError;

use reflexio_store::{Claim, Claimed, Lease};
use reflexio_types::{Job, JobKind, OrgId, Timestamp};
use rusqlite::Connection;

use super::turns::{SharedTurns, Turn, Turns};
use super::{attempt, rows};
use crate::error::Result;
use crate::rows::{Stored, as_limit};

/// Jobs that one transaction brings back at most, so that other writers do not wait long.
const MOST_TIDIED: usize = 1000;

pub(crate) const PROMOTE: &str = "UPDATE jobs SET place = 'ready' WHERE id IN
    (SELECT id FROM jobs t WHERE place = 'waiting' AND run_after <= ? ORDER BY run_after LIMIT ?)";

/// A [`Claim`] that can go to the writer.
pub(super) struct Wanted {
    kinds: Vec<JobKind>,
    worker: String,
    now: Timestamp,
    lease_until: Timestamp,
    limit: usize,
    paused: HashMap<JobKind, HashSet<OrgId>>,
}

impl Wanted {
    pub(super) fn new(claim: &Claim<'_>) -> Self {
        let mut paused: HashMap<JobKind, HashSet<OrgId>> = HashMap::new();
        for (org, kind) in claim.paused {
            paused.entry(*kind).or_default().insert(org.clone());
        }
        let seconds = i64::try_from(claim.lease.as_secs().max(1)).unwrap_or(i64::MAX);
        Self {
            kinds: claim.kinds.to_vec(),
            worker: claim.worker.to_owned(),
            now: claim.now,
            lease_until: Timestamp(claim.now.0.saturating_add(seconds)),
            limit: claim.limit,
            paused,
        }
    }
}

/// Hands out jobs; nothing when there is more to be tidied up first. Whatever is due has to be ready before
/// anything is handed out, or an org with many jobs that became due would be ahead of the others.
pub(super) fn step(sql: &Connection, wanted: &Wanted, turns: &SharedTurns) -> Result<Option<Vec<Claimed>>> {
    let expired = attempt::expire(sql, wanted.now, MOST_TIDIED)?;
    let promoted = promote(sql, wanted.now, MOST_TIDIED)?;
    if expired == MOST_TIDIED || promoted == MOST_TIDIED {
        return Ok(None);
    }
    let mut turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
    take(sql, wanted, &mut turns).map(Some)
}

/// Makes jobs ready whose time has come, and says how many.
fn promote(sql: &Connection, now: Timestamp, most: usize) -> Result<usize> {
    Ok(sql.prepare_cached(PROMOTE)?.execute((now.0, as_limit(most)))?)
}

/// The kinds take turns, too.
fn take(sql: &Connection, wanted: &Wanted, turns: &mut Turns) -> Result<Vec<Claimed>> {
    let nobody = HashSet::new();
    let mut taken = Vec::new();
    let mut kinds = turns.rotated(&wanted.kinds);
    while taken.len() < wanted.limit
        && let Some(kind) = kinds.pop_front()
    {
        let paused = wanted.paused.get(&kind).unwrap_or(&nobody);
        if let Some(turn) = turns.next(sql, kind, paused)? {
            taken.push(start(sql, &turn, wanted)?);
            kinds.push_back(kind);
        }
    }
    Ok(taken)
}

fn start(sql: &Connection, turn: &Turn, wanted: &Wanted) -> Result<Claimed> {
    let text = format!(
        "UPDATE jobs SET state = 'running', place = 'running', fence = fence + 1, attempts = attempts + 1,
             lease_until = ?, worker = ?, started_at = ?
         WHERE id = ? AND +org_id = ? RETURNING {}, fence",
        Job::COLUMNS
    );
    let values = (wanted.lease_until.0, &wanted.worker, wanted.now.0, turn.job.0, turn.org.as_str());
    let (job, fence) = sql
        .prepare_cached(&text)?
        .query_row(values, |row| Ok((Job::from_row(row)?, row.get::<_, i64>(rows::WIDTH)?)))?;
    let lease = Lease { org: turn.org.clone(), job: job.id, fence: fence.unsigned_abs() };
    Ok(Claimed { lease, job })
}
