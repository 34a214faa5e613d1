use std::path::Path;

use async_trait::async_trait;
use reflexio_store::{Error, IntegrityReport, Maintenance, Result, StorageStats, UserDataCounts};
use reflexio_types::{OrgId, Timestamp, UserId};
use rusqlite::{Connection, params_from_iter};

use crate::error::Result as Outcome;
use crate::fts::Index;
use crate::learned::{PROFILES, USER_PLAYBOOKS};
use crate::nearest::sidecar;
use crate::predicate::Predicate;
use crate::writer::Tx;
use crate::{
    SqliteStore, answers, backup, costs, injections, integrity, interactions, jobs, operations,
    optimizations, purge, readers, runs, schema,
};

#[async_trait]
impl Maintenance for SqliteStore {
    fn label(&self) -> String {
        format!("SQLite, {}", self.path.display())
    }

    fn kind(&self) -> &'static str {
        "sqlite"
    }

    async fn ping(&self) -> Result<()> {
        self.readers.read(|sql| Ok(sql.query_row("SELECT count(*) FROM stalls", [], |_| Ok(()))?)).await?;
        // Writes what is already there, so that it costs one page and fails when nothing can be written.
        self.writer.write(|tx| Ok(tx.sql.pragma_update(None, "user_version", schema::version())?)).await
    }

    async fn suspend(&self) -> Result<()> {
        let (path, live) = (self.path.clone(), std::sync::Arc::clone(&self.live));
        self.writer.write(move |tx| sidecar::save(tx.sql, &path, &live)).await?;
        Ok(())
    }

    async fn stats(&self, org: &OrgId, user_id: Option<&UserId>) -> Result<StorageStats> {
        let (org, user) = (org.clone(), user_id.cloned());
        self.readers.read(move |sql| stats(sql, &org, user.as_ref())).await
    }

    async fn clear_user(&self, org: &OrgId, user_id: &UserId) -> Result<UserDataCounts> {
        let (org, user) = (org.clone(), user_id.clone());
        self.live.note_erasure();
        self.writer.write(move |tx| clear(tx, &org, &user)).await
    }

    async fn check_integrity(&self) -> Result<IntegrityReport> {
        let path = self.path.clone();
        // A connection of its own: this takes long, and other readers should not wait for it.
        let report = tokio::task::spawn_blocking(move || {
            readers::snapshot(&schema::open_reader(&path)?, integrity::check)
        });
        Ok(report.await.map_err(|error| Error::Internal(Box::new(error)))??)
    }

    async fn backup(&self, to: &Path, progress: &(dyn Fn(u64, u64) + Send + Sync)) -> Result<()> {
        backup::backup(&self.path, to, progress).await
    }
}

fn stats(sql: &Connection, org: &OrgId, user: Option<&UserId>) -> Outcome<StorageStats> {
    let of_org = Predicate::of_org(org);
    let of_user = of_org.clone().text("t.user_id", user.map(UserId::as_str));
    let text =
        format!("SELECT min(last_modified), max(last_modified) FROM profiles t WHERE {}", of_user.sql());
    let values = params_from_iter(of_user.clone().into_values());
    let (oldest, newest) = sql.prepare_cached(&text)?.query_row(values, |row| {
        Ok((row.get::<_, Option<i64>>(0)?.map(Timestamp), row.get::<_, Option<i64>>(1)?.map(Timestamp)))
    })?;
    Ok(StorageStats {
        profile_count: count(sql, "profiles", &of_user)?,
        user_playbook_count: count(sql, "user_playbooks", &of_user)?,
        agent_playbook_count: count(sql, "agent_playbooks", &of_org)?,
        interaction_count: count(sql, "interactions", &of_user)?,
        request_count: count(sql, "requests", &of_user)?,
        oldest_profile_modified: oldest,
        newest_profile_modified: newest,
    })
}

fn count(sql: &Connection, table: &str, which: &Predicate) -> Outcome<u64> {
    let text = format!("SELECT count(*) FROM {table} t WHERE {}", which.sql());
    let values = params_from_iter(which.clone().into_values());
    let count: i64 = sql.prepare_cached(&text)?.query_row(values, |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

fn clear(tx: &mut Tx<'_>, org: &OrgId, user: &UserId) -> Outcome<UserDataCounts> {
    let of_user = Predicate::of_org(org).text("t.user_id", Some(user.as_str()));
    let shadow_comparisons = delete(tx.sql, "shadow_comparisons", &of_user)?;
    let optimizations = optimizations::erase_user(tx.sql, org, user)?;
    let injections = injections::erase_user(tx.sql, org, user)?;
    let (interactions, images) = interactions::delete_of_requests(tx, org, &of_user)?;
    let profiles = PROFILES.erase(tx, org, of_user.clone())?;
    let user_playbooks = USER_PLAYBOOKS.erase(tx, org, of_user.clone())?;
    let requests = delete(tx.sql, "requests", &of_user)?;
    let jobs = jobs::delete_of_user(tx.sql, org, user)?;
    delete(tx.sql, "lineage_events", &of_user)?;
    delete(tx.sql, "learning_cursors", &of_user)?;
    delete(tx.sql, "playbook_runs", &of_user)?;
    let session_outcomes = delete(tx.sql, "session_outcomes", &of_user)?;
    let evaluations =
        delete(tx.sql, "evaluations", &of_user)? + delete(tx.sql, "learning_evaluations", &of_user)?;
    operations::forget_user(tx.sql, org, user)?;
    let model_calls = costs::erase_user(tx.sql, org, user)?;
    answers::erase_user(tx.sql, org, user)?;
    let of_runs = runs::erase_user(tx.sql, org, user)?;
    let erased = [
        (Index::Interactions, interactions),
        // Rows that runs deleted had words there, too.
        (Index::Profiles, profiles + of_runs),
        (Index::UserPlaybooks, user_playbooks + of_runs),
    ];
    for (index, _) in erased.into_iter().filter(|(_, count)| *count > 0) {
        purge::request(tx.sql, index)?;
    }
    Ok(UserDataCounts {
        interactions,
        requests,
        profiles,
        user_playbooks,
        jobs,
        images,
        model_calls,
        session_outcomes,
        evaluations,
        shadow_comparisons,
        injections,
        optimizations,
    })
}

fn delete(sql: &Connection, table: &str, which: &Predicate) -> Outcome<u64> {
    let text = format!("DELETE FROM {table} AS t WHERE {}", which.sql());
    Ok(sql.prepare_cached(&text)?.execute(params_from_iter(which.clone().into_values()))? as u64)
}
