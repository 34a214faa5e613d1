use reflexio_store::{JobCounts, JobFilter};
use reflexio_types::{Job, JobId, JobKind, JobState, OrgId, Timestamp, UserId};
use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::predicate::Predicate;
use crate::rows::{Stored, find, json, json_or_default, word};

/// A user's unfinished jobs are few; they are sorted.
pub(crate) const RUNNING_FIRST: &str = "state <> 'running', id";

/// Each part is one of the indexes that the queue needs anyway.
pub(crate) const COUNT_ALL: [(&str, &str); 5] = [
    ("queued", "SELECT count(*) FROM jobs t WHERE place = 'ready'"),
    ("queued", "SELECT count(*) FROM jobs t WHERE place = 'waiting'"),
    ("queued", "SELECT count(*) FROM jobs t WHERE place = 'behind'"),
    ("running", "SELECT count(*) FROM jobs t WHERE state = 'running'"),
    ("dead", "SELECT count(*) FROM jobs t WHERE state = 'dead' AND finished_at IS NOT NULL"),
];
pub(crate) const COUNT_OF_ORG: &str = "SELECT state, count(*) FROM jobs t WHERE org_id = ? AND state IN ('queued', 'running', 'dead') GROUP BY state";

impl Stored for Job {
    const FROM: &'static str = "jobs t";
    // Without the name of the table, so that a statement that changes rows can return them, too.
    const COLUMNS: &'static str = "id, user_id, kind, lane, dedup_key, payload, state, attempts, max_attempts, run_after, lease_until, \
         worker, cancel_asked, progress, last_error, created_at, started_at, finished_at, history";
    const ORDER: &'static str = "t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let time = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(Timestamp));
        Ok(Self {
            id: JobId(row.get(0)?),
            user_id: row.get::<_, Option<String>>(1)?.map(UserId::from),
            kind: row.get(2)?,
            lane: row.get(3)?,
            dedup_key: row.get(4)?,
            payload: json(row, 5)?,
            state: word(row, 6, JobState::parse)?,
            attempts: row.get(7)?,
            max_attempts: row.get(8)?,
            run_after: Timestamp(row.get(9)?),
            lease_until: time(10)?,
            worker: row.get(11)?,
            cancel_asked: row.get(12)?,
            progress: json_or_default(row, 13)?,
            last_error: row.get(14)?,
            created_at: Timestamp(row.get(15)?),
            started_at: time(16)?,
            finished_at: time(17)?,
            history: json(row, 18)?,
        })
    }
}

/// How many columns a [`Job`] has; what else a statement returns comes after them.
pub(super) const WIDTH: usize = 19;

pub(super) fn job(sql: &Connection, org: &OrgId, id: JobId) -> Result<Option<Job>> {
    find(sql, Predicate::checking_org(org).number("t.id", Some(id.0)))
}

pub(crate) fn filtered(org: &OrgId, filter: &JobFilter) -> Predicate {
    // The most selective one first decides over the index; the plus sign keeps SQLite from another choice.
    let (kind, state) = match (&filter.user_id, filter.state) {
        (Some(_), _) => ("+t.kind", "+t.state"),
        (None, Some(_)) => ("+t.kind", "t.state"),
        (None, None) => ("t.kind", "t.state"),
    };
    Predicate::of_org(org)
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text(state, filter.state.map(JobState::as_str))
        .text(kind, filter.kind.as_deref())
}

pub(crate) fn unfinished_learning(org: &OrgId, user_id: &UserId) -> Predicate {
    Predicate::of_org(org)
        .text("t.user_id", Some(user_id.as_str()))
        .text("t.kind", Some(JobKind::Learn.as_str()))
        .and("t.finished_at IS NULL", [])
}

pub(super) fn counts(sql: &Connection) -> Result<JobCounts> {
    let mut counts = JobCounts::default();
    for (state, text) in COUNT_ALL {
        let count = sql.prepare_cached(text)?.query_row([], |row| row.get::<_, i64>(0))?;
        add(&mut counts, state, count);
    }
    Ok(counts)
}

pub(super) fn counts_of_org(sql: &Connection, org: &OrgId) -> Result<JobCounts> {
    let mut statement = sql.prepare_cached(COUNT_OF_ORG)?;
    let mut rows = statement.query([org.as_str()])?;
    let mut counts = JobCounts::default();
    while let Some(row) = rows.next()? {
        let state = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        add(&mut counts, state, row.get(1)?);
    }
    Ok(counts)
}

fn add(counts: &mut JobCounts, state: &str, count: i64) {
    let part = match state {
        "queued" => &mut counts.queued,
        "running" => &mut counts.running,
        _ => &mut counts.dead,
    };
    *part += count.unsigned_abs();
}
