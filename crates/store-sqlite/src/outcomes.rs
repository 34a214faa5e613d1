use async_trait::async_trait;
use reflexio_store::{OutcomeFilter, Outcomes, Page, Recorded, Result};
use reflexio_types::{OrgId, OutcomeKind, SessionId, SessionOutcome, Timestamp, UserId};
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::predicate::Predicate;
use crate::rows::{Stored, as_limit, compact, find, json, select_text, word};

/// What no query selects by.
#[derive(Serialize, Deserialize)]
struct Body {
    #[serde(default)]
    value: Option<f64>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    contract_digest: String,
    trajectory_digest: String,
}

impl Stored for SessionOutcome {
    const FROM: &'static str = "session_outcomes t";
    const COLUMNS: &'static str =
        "t.id, t.user_id, t.session_id, t.outcome, t.occurred_at, t.source, t.label, t.created_at, t.body";
    const ORDER: &'static str = "t.occurred_at DESC, t.key DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let body: Body = json(row, 8)?;
        Ok(Self {
            id: row.get(0)?,
            user_id: row.get::<_, String>(1)?.into(),
            session_id: SessionId::new(row.get::<_, String>(2)?),
            kind: word(row, 3, OutcomeKind::parse)?,
            occurred_at: Timestamp(row.get(4)?),
            source: row.get(5)?,
            label: row.get(6)?,
            created_at: Timestamp(row.get(7)?),
            value: body.value,
            metadata: body.metadata,
            contract_digest: body.contract_digest,
            trajectory_digest: body.trajectory_digest,
        })
    }
}

#[async_trait]
impl Outcomes for SqliteStore {
    async fn record_outcome(&self, org: &OrgId, outcome: SessionOutcome) -> Result<Recorded> {
        let org = org.clone();
        self.writer.write(move |tx| record(tx.sql, &org, &outcome)).await
    }

    async fn outcome(
        &self,
        org: &OrgId,
        user_id: &UserId,
        session_id: &SessionId,
    ) -> Result<Option<SessionOutcome>> {
        let which = of_session(org, user_id, session_id);
        self.readers.read(move |sql| find(sql, which)).await
    }

    async fn outcomes(&self, org: &OrgId, filter: &OutcomeFilter, page: Page) -> Result<Vec<SessionOutcome>> {
        let which = filtered(org, filter);
        self.readers.read(move |sql| list(sql, which, page)).await
    }
}

pub(crate) fn of_session(org: &OrgId, user: &UserId, session: &SessionId) -> Predicate {
    Predicate::of_org(org).text("t.user_id", Some(user.as_str())).text("t.session_id", Some(session.as_str()))
}

pub(crate) fn filtered(org: &OrgId, filter: &OutcomeFilter) -> Predicate {
    let which = Predicate::of_org(org)
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text("t.source", filter.source.as_deref())
        .text("t.outcome", filter.kind.map(OutcomeKind::as_str))
        .text("t.label", filter.label.as_deref())
        .time("t.occurred_at", filter.time);
    if filter.session_ids.is_empty() {
        return which;
    }
    which.within("t.session_id", filter.session_ids.iter().map(|id| id.as_str().into()).collect())
}

fn list(sql: &Connection, which: Predicate, page: Page) -> Outcome<Vec<SessionOutcome>> {
    let text = format!("{} OFFSET ?", select_text::<SessionOutcome>(&which, SessionOutcome::ORDER));
    let mut values = which.into_values();
    values.extend([page.limit, page.offset].map(|number| rusqlite::types::Value::Integer(as_limit(number))));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), SessionOutcome::from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn record(sql: &Connection, org: &OrgId, outcome: &SessionOutcome) -> Outcome<Recorded> {
    let (user, session) = (&outcome.user_id, &outcome.session_id);
    // Its user may have been erased since the caller looked.
    let text = "SELECT 1 FROM requests WHERE org_id = ? AND session_id = ? AND user_id = ? LIMIT 1";
    let values = (org.as_str(), session.as_str(), user.as_str());
    if sql.prepare_cached(text)?.query_row(values, |_| Ok(())).optional()?.is_none() {
        return Ok(Recorded::NoSession);
    }
    match find(sql, of_session(org, user, session))? {
        Some(before) => Ok(Recorded::Before(Box::new(before))),
        None => insert(sql, org, outcome).map(|()| Recorded::New),
    }
}

pub(crate) fn insert(sql: &Connection, org: &OrgId, outcome: &SessionOutcome) -> Outcome<()> {
    let body = Body {
        value: outcome.value,
        metadata: outcome.metadata.clone(),
        contract_digest: outcome.contract_digest.clone(),
        trajectory_digest: outcome.trajectory_digest.clone(),
    };
    let mut statement = sql.prepare_cached(
        "INSERT INTO session_outcomes
             (org_id, id, user_id, session_id, outcome, occurred_at, source, label, created_at, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    statement.execute((
        org.as_str(),
        &outcome.id,
        outcome.user_id.as_str(),
        outcome.session_id.as_str(),
        outcome.kind.as_str(),
        outcome.occurred_at.0,
        &outcome.source,
        &outcome.label,
        outcome.created_at.0,
        compact(&body)?,
    ))?;
    Ok(())
}

/// The outcomes of sessions that go with these requests, which are about to be deleted.
pub(crate) fn forget(sql: &Connection, org: &OrgId, requests: &Predicate) -> Outcome<()> {
    let text = format!(
        "DELETE FROM session_outcomes AS o WHERE o.org_id = ? AND (o.user_id, o.session_id) IN
             (SELECT t.user_id, t.session_id FROM requests t WHERE {0})
         AND NOT EXISTS (SELECT 1 FROM requests r WHERE r.org_id = o.org_id AND r.session_id = o.session_id
             AND r.user_id = o.user_id AND r.key NOT IN (SELECT t.key FROM requests t WHERE {0}))",
        requests.sql()
    );
    let twice = requests.values().iter().chain(requests.values()).cloned();
    let values = std::iter::once(org.as_str().to_owned().into()).chain(twice);
    sql.prepare_cached(&text)?.execute(params_from_iter(values))?;
    Ok(())
}
