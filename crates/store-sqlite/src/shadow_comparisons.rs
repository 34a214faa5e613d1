use async_trait::async_trait;
use reflexio_store::{
    JobEnd, Lease, Page, Result, ShadowComparisonFilter, ShadowComparisons, ShadowJudgement, ShadowTurnFilter,
};
use reflexio_types::{
    Interaction, InteractionId, OrgId, RegularVsShadow, RequestId, SessionId, ShadowComparison,
    ShadowComparisonId, ShadowTally, Timestamp, UserId,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::jobs::attempt;
use crate::predicate::Predicate;
use crate::rows::{Stored, as_limit, json, select_text, word};
use crate::writer::Tx;

impl Stored for ShadowComparison {
    const FROM: &'static str = "shadow_comparisons t";
    const COLUMNS: &'static str = "t.id, t.interaction_id, t.request_id, t.session_id, t.user_id, t.agent_version, \
         t.verdict, t.created_at, t.body";
    const ORDER: &'static str = "t.created_at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: ShadowComparisonId(row.get(0)?),
            interaction_id: InteractionId(row.get(1)?),
            request_id: RequestId::new(row.get::<_, String>(2)?),
            session_id: SessionId::new(row.get::<_, String>(3)?),
            user_id: UserId::new(row.get::<_, String>(4)?),
            agent_version: row.get(5)?,
            verdict: word(row, 6, RegularVsShadow::parse)?,
            created_at: Timestamp(row.get(7)?),
            body: json(row, 8)?,
        })
    }
}

#[async_trait]
impl ShadowComparisons for SqliteStore {
    async fn shadow_comparisons(
        &self,
        org: &OrgId,
        filter: &ShadowComparisonFilter,
        page: Page,
    ) -> Result<(Vec<ShadowComparison>, bool)> {
        let predicate = filtered(org, filter);
        self.readers.read(move |sql| listed(sql, predicate, page)).await
    }

    async fn shadow_tallies(&self, org: &OrgId, filter: &ShadowComparisonFilter) -> Result<Vec<ShadowTally>> {
        let predicate = filtered(org, filter);
        self.readers.read(move |sql| tallies(sql, predicate)).await
    }

    async fn shadow_turns(
        &self,
        org: &OrgId,
        filter: &ShadowTurnFilter,
        after: Option<InteractionId>,
        limit: usize,
    ) -> Result<Vec<Interaction>> {
        let predicate = with_shadow(org, filter, after);
        self.readers.read(move |sql| turns(sql, predicate, limit)).await
    }

    async fn judge_shadow(&self, lease: &Lease, judgement: ShadowJudgement, at: Timestamp) -> Result<()> {
        let lease = lease.clone();
        self.writer.write(move |tx| judge(tx, &lease, &judgement, at)).await
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &ShadowComparisonFilter) -> Predicate {
    // A session or a user has few of them, whatever else is asked for.
    let few = filter.user_id.is_some() || filter.session_id.is_some() || filter.request_id.is_some();
    let version = if few { "+t.agent_version" } else { "t.agent_version" };
    Predicate::of_org(org)
        .text("t.request_id", filter.request_id.as_ref().map(RequestId::as_str))
        .text("t.session_id", filter.session_id.as_ref().map(SessionId::as_str))
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text(version, filter.agent_version.as_deref())
        .text("t.verdict", filter.verdict.map(RegularVsShadow::as_str))
        .time("t.created_at", filter.time)
}

/// One more than asked for tells whether there are more.
fn listed(sql: &Connection, which: Predicate, page: Page) -> Outcome<(Vec<ShadowComparison>, bool)> {
    let text = format!("{} OFFSET ?", select_text::<ShadowComparison>(&which, ShadowComparison::ORDER));
    let mut values = which.into_values();
    values.extend([page.limit.saturating_add(1), page.offset].map(|number| Value::Integer(as_limit(number))));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), ShadowComparison::from_row)?;
    let mut found: Vec<ShadowComparison> = rows.collect::<rusqlite::Result<_>>()?;
    let more = found.len() > page.limit;
    found.truncate(page.limit);
    Ok((found, more))
}

fn tallies(sql: &Connection, which: Predicate) -> Outcome<Vec<ShadowTally>> {
    let text = format!(
        "SELECT t.agent_version, t.verdict, count(*) FROM shadow_comparisons t WHERE {}
         GROUP BY t.agent_version, t.verdict ORDER BY t.agent_version",
        which.sql()
    );
    let mut statement = sql.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(which.into_values()))?;
    let mut tallies: Vec<ShadowTally> = Vec::new();
    while let Some(row) = rows.next()? {
        let agent_version: String = row.get(0)?;
        let count = row.get::<_, i64>(2)?.unsigned_abs();
        if tallies.last().is_none_or(|tally| tally.agent_version != agent_version) {
            tallies.push(ShadowTally { agent_version, ..ShadowTally::default() });
        }
        if let Some(tally) = tallies.last_mut() {
            tally.add(word(row, 1, RegularVsShadow::parse)?, count);
        }
    }
    Ok(tallies)
}

/// SQLite would take the index of all turns of the org for as good.
pub(crate) fn turns_text(which: &Predicate) -> String {
    let from = Interaction::FROM.replacen(" t ", " t INDEXED BY interactions_with_shadow ", 1);
    format!("SELECT {} FROM {from} WHERE {} ORDER BY t.id LIMIT ?", Interaction::COLUMNS, which.sql())
}

fn turns(sql: &Connection, which: Predicate, limit: usize) -> Outcome<Vec<Interaction>> {
    let text = turns_text(&which);
    let mut values = which.into_values();
    values.push(Value::Integer(as_limit(limit)));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), Interaction::from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The condition must read as that of the index `interactions_with_shadow` does.
pub(crate) fn with_shadow(org: &OrgId, filter: &ShadowTurnFilter, after: Option<InteractionId>) -> Predicate {
    let mut which = Predicate::of_org(org).and("t.extra ->> '$.shadow' IS NOT NULL", []);
    if let Some(after) = after {
        which = which.and("t.id > ?", [Value::Integer(after.0)]);
    }
    if !filter.judged_too {
        which =
            which.and("NOT EXISTS (SELECT 1 FROM shadow_comparisons c WHERE c.interaction_id = t.id)", []);
    }
    which
        .text("+t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text("r.session_id", filter.session_id.as_ref().map(SessionId::as_str))
        .text("r.agent_version", filter.agent_version.as_deref())
        .time("r.created_at", filter.time)
}

fn judge(tx: &mut Tx<'_>, lease: &Lease, judgement: &ShadowJudgement, at: Timestamp) -> Outcome<()> {
    match judgement.end {
        JobEnd::Done => attempt::complete_in(tx, lease, at)?,
        JobEnd::GoesOn => attempt::go_on_in(tx, lease)?,
    }
    if let Some(comparison) = &judgement.comparison {
        put(tx.sql, &lease.org, None, comparison)?;
    }
    Ok(())
}

/// Stores a comparison in the place of an earlier one of the same turn; says whether its turn is still there.
pub(crate) fn put(
    sql: &Connection,
    org: &OrgId,
    id: Option<ShadowComparisonId>,
    row: &ShadowComparison,
) -> Outcome<bool> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO shadow_comparisons (id, org_id, interaction_id, request_id, session_id, user_id, agent_version,
             verdict, created_at, body)
         SELECT ?1, t.org_id, t.id, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM interactions t WHERE t.id = ?3 AND +t.org_id = ?2
         ON CONFLICT (interaction_id) DO UPDATE SET verdict = excluded.verdict, created_at = excluded.created_at,
             body = excluded.body",
    )?;
    let values = (
        id.map(|id| id.0),
        org.as_str(),
        row.interaction_id.0,
        row.request_id.as_str(),
        row.session_id.as_str(),
        row.user_id.as_str(),
        &row.agent_version,
        row.verdict.as_str(),
        row.created_at.0,
        serde_json::to_string(&row.body)?,
    );
    Ok(statement.execute(values)? > 0)
}
