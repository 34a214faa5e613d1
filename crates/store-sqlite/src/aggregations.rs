use std::collections::HashMap;

use async_trait::async_trait;
use reflexio_store::{
    Aggregated, AggregationScope, Aggregations, Clustering, Error, Grown, JobEnd, Lease, Proposed, Result,
};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookId, LineageAction, OrgId, PlaybookStatus, Status, Timestamp, UserPlaybookId,
};
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use serde_json::{Value, json};

use crate::error::Result as Outcome;
use crate::fts::{self, Entry, Index};
use crate::jobs::attempt;
use crate::nearest::from_column;
use crate::predicate::Predicate;
use crate::rows::{compact, find};
use crate::writer::Tx;
use crate::{SqliteStore, agent_playbooks};

const CHANGED: Error = Error::Changed { what: "what an aggregation is based on" };
/// Ids of one statement.
const IDS_AT_ONCE: usize = 500;

#[async_trait]
impl Aggregations for SqliteStore {
    async fn clustering(&self, org: &OrgId, scope: &AggregationScope) -> Result<Clustering> {
        let (org, scope) = (org.clone(), scope.clone());
        self.readers.read(move |sql| clustering(sql, &org, &scope)).await
    }

    async fn aggregation_scopes(&self, org: &OrgId) -> Result<Vec<AggregationScope>> {
        let org = org.clone();
        self.readers.read(move |sql| scopes(sql, &org)).await
    }

    async fn user_playbook_vectors(
        &self,
        org: &OrgId,
        ids: &[UserPlaybookId],
    ) -> Result<HashMap<UserPlaybookId, Vec<f32>>> {
        let (org, ids) = (org.clone(), ids.to_vec());
        self.readers.read(move |sql| stored_vectors(sql, &org, &ids)).await
    }

    async fn aggregate(
        &self,
        lease: &Lease,
        aggregated: Aggregated,
        at: Timestamp,
    ) -> Result<Vec<AgentPlaybookId>> {
        let texts = aggregated.proposed.iter().map(|new| (None, new.row.searchable_text())).collect();
        let entries = fts::entries(&lease.org, texts).await?;
        let lease = lease.clone();
        self.writer.write(move |tx| aggregate(tx, &lease, &aggregated, entries, at)).await
    }
}

fn clustering(sql: &Connection, org: &OrgId, scope: &AggregationScope) -> Outcome<Clustering> {
    let text = "SELECT revision, state FROM clusterings WHERE org_id = ? AND agent_version = ? AND playbook_name = ?";
    let values = (org.as_str(), &scope.agent_version, &scope.playbook_name);
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Clustering { revision: row.get::<_, i64>(0)? as u64, state: crate::rows::json(row, 1)? })
    };
    Ok(sql.prepare_cached(text)?.query_row(values, read).optional()?.unwrap_or_default())
}

fn scopes(sql: &Connection, org: &OrgId) -> Outcome<Vec<AggregationScope>> {
    let text = "SELECT DISTINCT agent_version, playbook_name FROM user_playbooks
                WHERE org_id = ? AND status = 'current' ORDER BY 1, 2";
    let mut statement = sql.prepare_cached(text)?;
    let rows = statement.query_map([org.as_str()], |row| {
        Ok(AggregationScope { agent_version: row.get(0)?, playbook_name: row.get(1)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn stored_vectors(
    sql: &Connection,
    org: &OrgId,
    ids: &[UserPlaybookId],
) -> Outcome<HashMap<UserPlaybookId, Vec<f32>>> {
    let mut found = HashMap::new();
    for ids in ids.chunks(IDS_AT_ONCE) {
        let which = Predicate::checking_org(org).within("t.id", ids.iter().map(|id| id.0.into()).collect());
        let text = format!(
            "SELECT v.key, v.vector FROM user_playbooks t JOIN user_playbooks_vectors v ON v.key = t.id
             JOIN vector_models m ON m.key = v.model AND m.in_use WHERE {}",
            which.sql()
        );
        let mut statement = sql.prepare_cached(&text)?;
        let mut rows = statement.query(params_from_iter(which.into_values()))?;
        while let Some(row) = rows.next()? {
            found.insert(UserPlaybookId(row.get(0)?), from_column(row, 1)?);
        }
    }
    Ok(found)
}

fn aggregate(
    tx: &mut Tx<'_>,
    lease: &Lease,
    aggregated: &Aggregated,
    entries: Vec<Entry>,
    at: Timestamp,
) -> Outcome<Vec<AgentPlaybookId>> {
    let org = &lease.org;
    if let Some(progress) = &aggregated.progress {
        attempt::set_progress(tx.sql, lease, progress)?;
    }
    match aggregated.end {
        JobEnd::Done => attempt::complete_in(tx, lease, at)?,
        JobEnd::GoesOn => attempt::go_on_in(tx, lease)?,
    }
    let mut ids = Vec::new();
    for (new, entry) in aggregated.proposed.iter().zip(entries) {
        let id = agent_playbooks::add(tx, org, &new.row, entry, None)?;
        if let Some(old) = &new.replaces {
            retire(tx, org, old, Some(id), at)?;
        }
        ids.push(id);
    }
    aggregated.grown.iter().try_for_each(|grown| grow(tx, org, grown))?;
    aggregated.outdated.iter().try_for_each(|old| retire(tx, org, old, None, at))?;
    let state = with_ids(aggregated.state.clone(), &aggregated.proposed, &ids);
    remember(tx.sql, org, aggregated, &state)?;
    Ok(ids)
}

/// A pending rule that nobody touched since it was read stands on other evidence from now on.
fn grow(tx: &mut Tx<'_>, org: &OrgId, grown: &Grown) -> Outcome<()> {
    let before = &grown.before;
    let stored = find::<AgentPlaybook>(tx.sql, Predicate::of_org(org).number("t.id", Some(before.id.0)))?;
    if stored.as_ref() != Some(before) {
        return Err(CHANGED.into());
    }
    let text = "UPDATE agent_playbooks SET body = ? WHERE org_id = ? AND id = ?";
    let values = (compact(&grown.after.body)?, org.as_str(), before.id.0);
    tx.sql.prepare_cached(text)?.execute(values)?;
    Ok(())
}

/// A pending rule that nobody touched since it was read gives way.
fn retire(
    tx: &mut Tx<'_>,
    org: &OrgId,
    old: &AgentPlaybook,
    by: Option<AgentPlaybookId>,
    at: Timestamp,
) -> Outcome<()> {
    let stored = find::<AgentPlaybook>(tx.sql, Predicate::of_org(org).number("t.id", Some(old.id.0)))?;
    let untouched = |row: &AgentPlaybook| {
        row.playbook_status == PlaybookStatus::Pending
            && row.status == Status::Current
            && row.body.content == old.body.content
    };
    let Some(mut row) = stored.filter(untouched) else { return Err(CHANGED.into()) };
    row.body.superseded_by = by;
    let text = "UPDATE agent_playbooks SET status = ?, body = ? WHERE org_id = ? AND id = ?";
    let values = (Status::Superseded.as_str(), compact(&row.body)?, org.as_str(), row.id.0);
    tx.sql.prepare_cached(text)?.execute(values)?;
    tx.index.relabel(Index::AgentPlaybooks, org, row.id.0);
    agent_playbooks::note(tx.sql, org, row.id, LineageAction::Superseded, None, at)
}

fn with_ids(mut state: Value, proposed: &[Proposed], ids: &[AgentPlaybookId]) -> Value {
    for (new, id) in proposed.iter().zip(ids) {
        state["playbooks"][new.cluster.to_string()] = json!(id.0);
    }
    state
}

fn remember(sql: &Connection, org: &OrgId, aggregated: &Aggregated, state: &Value) -> Outcome<()> {
    let scope = &aggregated.scope;
    let text = "INSERT INTO clusterings (revision, state, org_id, agent_version, playbook_name)
                VALUES (?1 + 1, ?2, ?3, ?4, ?5)
                ON CONFLICT DO UPDATE SET revision = ?1 + 1, state = ?2 WHERE revision = ?1";
    let values = (
        aggregated.revision as i64,
        state.to_string(),
        org.as_str(),
        &scope.agent_version,
        &scope.playbook_name,
    );
    // A first revision that is there already was made by somebody else.
    let expected = clustering(sql, org, scope)?.revision == aggregated.revision;
    let changed = if expected { sql.prepare_cached(text)?.execute(values)? } else { 0 };
    if changed == 0 { Err(CHANGED.into()) } else { Ok(()) }
}
