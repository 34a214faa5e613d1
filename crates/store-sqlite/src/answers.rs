use async_trait::async_trait;
use reflexio_store::{Answers, Result, SavedAnswer};
use reflexio_types::{JobId, ModelCall, OrgId, UserId};
use rusqlite::{Connection, OptionalExtension};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::jobs::attempt;
use crate::{costs, requests};

#[async_trait]
impl Answers for SqliteStore {
    async fn answer(&self, org: &OrgId, job: JobId, digest: &str) -> Result<Option<String>> {
        let (org, digest) = (org.clone(), digest.to_owned());
        let text = "SELECT body FROM saved_answers WHERE job_id = ? AND digest = ? AND +org_id = ?";
        self.readers
            .read(move |sql| {
                let values = (job.0, digest, org.as_str());
                Ok(sql.prepare_cached(text)?.query_row(values, |row| row.get(0)).optional()?)
            })
            .await
    }

    async fn save_answer(
        &self,
        org: &OrgId,
        job: JobId,
        answer: SavedAnswer,
        calls: Vec<ModelCall>,
    ) -> Result<bool> {
        let org = org.clone();
        self.writer
            .write(move |tx| {
                costs::record(tx.sql, &org, &calls)?;
                save(tx.sql, &org, job, &answer)
            })
            .await
    }
}

fn save(sql: &Connection, org: &OrgId, job: JobId, answer: &SavedAnswer) -> Outcome<bool> {
    if let Some(user) = &answer.user_id
        && !requests::has_published(sql, org, user)?
    {
        return Ok(false);
    }
    attempt::got_an_answer(sql, org, job, &answer.digest)?;
    let text = "INSERT INTO saved_answers (job_id, digest, org_id, user_id, at, body)
                SELECT id, ?3, org_id, ?4, ?5, ?6 FROM jobs
                WHERE id = ?1 AND +org_id = ?2 AND state = 'running'
                ON CONFLICT DO UPDATE SET body = excluded.body, at = excluded.at";
    let user = answer.user_id.as_ref().map(UserId::as_str);
    let values = (job.0, org.as_str(), &answer.digest, user, answer.at.0, &answer.body);
    Ok(sql.prepare_cached(text)?.execute(values)? > 0)
}

/// The job is over and needs them no more.
pub(crate) fn forget(sql: &Connection, org: &OrgId, job: JobId) -> Outcome<()> {
    let text = "DELETE FROM saved_answers WHERE job_id = ? AND +org_id = ?";
    sql.prepare_cached(text)?.execute((job.0, org.as_str()))?;
    Ok(())
}

/// The job is done with one of its users.
pub(crate) fn forget_user(sql: &Connection, org: &OrgId, job: JobId, user: &UserId) -> Outcome<()> {
    let text = "DELETE FROM saved_answers WHERE job_id = ? AND +org_id = ? AND +user_id = ?";
    sql.prepare_cached(text)?.execute((job.0, org.as_str(), user.as_str()))?;
    Ok(())
}

/// Erases what may hold words of this user: also answers about several users, which only costs asking again.
pub(crate) fn erase_user(sql: &Connection, org: &OrgId, user: &UserId) -> Outcome<()> {
    for (text, user) in [
        ("DELETE FROM saved_answers WHERE org_id = ?1 AND user_id = ?2", Some(user.as_str())),
        ("DELETE FROM saved_answers WHERE org_id = ?1 AND user_id IS ?2", None),
    ] {
        sql.prepare_cached(text)?.execute((org.as_str(), user))?;
    }
    Ok(())
}
