use async_trait::async_trait;
use reflexio_store::{JobCounts, Jobs, Result};
use reflexio_types::{Job, JobId, JobKind, JobState, NewJob, OrgId, Timestamp, UserId};
use rusqlite::{Connection, Row};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::predicate::Predicate;
use crate::rows::{Stored, find, json, word};

impl Stored for Job {
    const FROM: &'static str = "jobs t";
    const COLUMNS: &'static str = "t.id, t.kind, t.dedup_key, t.payload, t.state, t.created_at";
    const ORDER: &'static str = "t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: JobId(row.get(0)?),
            kind: row.get(1)?,
            dedup_key: row.get(2)?,
            payload: json(row, 3)?,
            state: word(row, 4, |text| JobState::ALL.into_iter().find(|state| state.as_str() == text))?,
            created_at: Timestamp(row.get(5)?),
        })
    }
}

#[async_trait]
impl Jobs for SqliteStore {
    async fn job_counts(&self) -> Result<JobCounts> {
        self.readers.read(counts).await
    }

    async fn learning_job(&self, org: &OrgId, user_id: &UserId) -> Result<Option<Job>> {
        let predicate = Predicate::of_org(org)
            .text("t.user_id", Some(user_id.as_str()))
            .text("t.kind", Some(JobKind::Learn.as_str()))
            .one_of("t.state", [JobState::Queued.as_str(), JobState::Running.as_str()]);
        self.readers.read(|sql| find(sql, predicate)).await
    }
}

/// Puts a job in the queue, unless one that waits already covers it.
pub(crate) fn queue(
    sql: &Connection,
    org: &OrgId,
    user: &UserId,
    job: &NewJob,
    at: Timestamp,
) -> Outcome<()> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO jobs (org_id, user_id, kind, dedup_key, payload, state, created_at)
         VALUES (?, ?, ?, ?, ?, 'queued', ?) ON CONFLICT (org_id, dedup_key) WHERE state = 'queued' DO NOTHING",
    )?;
    let payload = job.payload.to_string();
    statement.execute((org.as_str(), user.as_str(), job.kind.as_str(), &job.dedup_key, payload, at.0))?;
    Ok(())
}

fn counts(sql: &Connection) -> Outcome<JobCounts> {
    let text = "SELECT state, count(*) FROM jobs WHERE state <> 'done' GROUP BY state";
    let mut statement = sql.prepare_cached(text)?;
    let mut rows = statement.query([])?;
    let mut counts = JobCounts::default();
    while let Some(row) = rows.next()? {
        let count = row.get::<_, i64>(1)?.unsigned_abs();
        match row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)? {
            "queued" => counts.queued = count,
            "running" => counts.running = count,
            _ => counts.dead = count,
        }
    }
    Ok(counts)
}
