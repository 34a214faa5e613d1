//! The books of what models cost: calls one by one for a while, and by day, role and model for ever. Both change in
//! the same transaction; `detailed_calls` and `detailed_micros` say what is still there one by one.

mod report;

use std::collections::BTreeMap;

use async_trait::async_trait;
use reflexio_store::{CostFilter, CostGrouping, CostReport, Costs, Result};
use reflexio_types::{CostTotals, Day, ModelCall, OrgId, UserId};
use rusqlite::{Connection, Row, ToSql};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::requests;
use crate::rows::as_limit;

pub(crate) const SPENT_BY_ALL: &str = "SELECT ifnull(sum(cost_micros), 0) FROM cost_days t WHERE day = ?";
pub(crate) const SPENT_BY_RUN: &str =
    "SELECT ifnull(sum(cost_micros), 0) FROM model_calls t WHERE org_id = ? AND run = ?";
pub(crate) const FORGET: &str =
    "DELETE FROM model_calls WHERE id IN (SELECT id FROM model_calls t WHERE day < ? ORDER BY day LIMIT ?)
     RETURNING org_id, day, role, model, cost_micros";
pub(crate) const ERASE: &str = "DELETE FROM model_calls AS t WHERE org_id = ? AND user_id = ?
     RETURNING org_id, day, role, model, cost_micros";

#[async_trait]
impl Costs for SqliteStore {
    async fn record_calls(&self, org: &OrgId, calls: Vec<ModelCall>) -> Result<()> {
        let org = org.clone();
        self.writer.write(move |tx| record(tx.sql, &org, &calls)).await
    }

    async fn costs(
        &self,
        org: &OrgId,
        filter: &CostFilter,
        by: Option<CostGrouping>,
        limit: usize,
    ) -> Result<CostReport> {
        let (org, filter) = (org.clone(), filter.clone());
        self.readers.read(move |sql| report::report(sql, &org, &filter, by, limit)).await
    }

    async fn spent_on(&self, org: &OrgId, day: Day) -> Result<u64> {
        let org = org.clone();
        let text = "SELECT ifnull(sum(cost_micros), 0) FROM cost_days WHERE org_id = ? AND day = ?";
        self.readers.read(move |sql| number(sql, text, &[&org.as_str(), &day.0])).await
    }

    async fn spent_by_all_on(&self, day: Day) -> Result<u64> {
        self.readers.read(move |sql| number(sql, SPENT_BY_ALL, &[&day.0])).await
    }

    async fn spent_by_run(&self, org: &OrgId, run: &str) -> Result<u64> {
        let (org, run) = (org.clone(), run.to_owned());
        self.readers.read(move |sql| number(sql, SPENT_BY_RUN, &[&org.as_str(), &run])).await
    }

    async fn forget_calls(&self, before: Day, limit: usize) -> Result<u64> {
        self.writer.write(move |tx| forget(tx.sql, FORGET, &[&before.0, &as_limit(limit)])).await
    }
}

/// Erases single calls that name a user; what they cost by day stays.
pub(crate) fn erase_user(sql: &Connection, org: &OrgId, user: &UserId) -> Outcome<u64> {
    forget(sql, ERASE, &[&org.as_str(), &user.as_str()])
}

fn number(sql: &Connection, text: &str, values: &[&dyn ToSql]) -> Outcome<u64> {
    let sum: i64 = sql.prepare_cached(text)?.query_row(values, |row| row.get(0))?;
    Ok(sum.unsigned_abs())
}

/// Counts are far below what SQLite can hold; one that is not must not become negative.
fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(crate) fn record(sql: &Connection, org: &OrgId, calls: &[ModelCall]) -> Outcome<()> {
    let mut days: BTreeMap<(Day, &str, &str), (CostTotals, u64)> = BTreeMap::new();
    for call in calls {
        insert(sql, org, call)?;
        let day = days.entry((Day::of(call.at), &call.role, &call.model)).or_default();
        *day = (day.0.plus(call.into()), day.1 + 1);
    }
    days.into_iter().try_for_each(|((day, role, model), (totals, detailed))| {
        add(sql, org, (day, role, model), totals, detailed)
    })
}

fn insert(sql: &Connection, org: &OrgId, call: &ModelCall) -> Outcome<()> {
    let user = match &call.user_id {
        Some(user) if requests::has_published(sql, org, user)? => Some(user.as_str()),
        Some(_) | None => None,
    };
    let text =
        "INSERT INTO model_calls (org_id, day, at, role, model, prompt_version, is_correction, attempt,
                    prompt_tokens, output_tokens, cached_tokens, tokens_estimated, cost_micros, price_known,
                    latency_ms, outcome, run, user_id, config)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let values: [&dyn ToSql; 19] = [
        &org.as_str(),
        &Day::of(call.at).0,
        &call.at.0,
        &call.role,
        &call.model,
        &call.prompt_version,
        &call.is_correction,
        &call.attempt,
        &stored(call.prompt_tokens),
        &stored(call.output_tokens),
        &stored(call.cached_tokens),
        &call.tokens_estimated,
        &stored(call.cost_micros),
        &call.price_known,
        &stored(call.latency_ms),
        &call.outcome.as_str(),
        &call.run,
        &user,
        &call.config,
    ];
    sql.prepare_cached(text)?.execute(values.as_slice())?;
    Ok(())
}

fn add(
    sql: &Connection,
    org: &OrgId,
    (day, role, model): (Day, &str, &str),
    totals: CostTotals,
    detailed: u64,
) -> Outcome<()> {
    let text = "INSERT INTO cost_days VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failed = failed + excluded.failed,
                    cancelled = cancelled + excluded.cancelled, saved = saved + excluded.saved,
                    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
                    output_tokens = output_tokens + excluded.output_tokens,
                    cached_tokens = cached_tokens + excluded.cached_tokens,
                    cost_micros = cost_micros + excluded.cost_micros, unpriced = unpriced + excluded.unpriced,
                    estimated = estimated + excluded.estimated, latency_ms = latency_ms + excluded.latency_ms,
                    detailed_calls = detailed_calls + excluded.detailed_calls,
                    detailed_micros = detailed_micros + excluded.detailed_micros";
    let numbers = counts(totals).map(stored);
    let (detailed, micros) = (stored(detailed), stored(totals.cost_micros));
    let mut values: Vec<&dyn ToSql> = vec![];
    let org = org.as_str();
    values.extend([&org as &dyn ToSql, &day.0, &role, &model]);
    values.extend(numbers.iter().map(|number| number as &dyn ToSql));
    values.extend([&detailed as &dyn ToSql, &micros]);
    sql.prepare_cached(text)?.execute(values.as_slice())?;
    Ok(())
}

/// In the order of the columns.
fn counts(totals: CostTotals) -> [u64; 11] {
    [
        totals.calls,
        totals.failed,
        totals.cancelled,
        totals.saved,
        totals.prompt_tokens,
        totals.output_tokens,
        totals.cached_tokens,
        totals.cost_micros,
        totals.unpriced,
        totals.estimated,
        totals.latency_ms,
    ]
}

/// Runs a statement that deletes single calls, and takes them out of what is said to be there one by one.
fn forget(sql: &Connection, delete: &str, values: &[&dyn ToSql]) -> Outcome<u64> {
    let mut statement = sql.prepare_cached(delete)?;
    let text = |row: &Row<'_>, column| row.get::<_, String>(column);
    let rows = statement.query_map(values, |row| {
        Ok(((text(row, 0)?, row.get::<_, i64>(1)?, text(row, 2)?, text(row, 3)?), row.get::<_, i64>(4)?))
    })?;
    let mut days: BTreeMap<(String, i64, String, String), (i64, i64)> = BTreeMap::new();
    let mut count = 0;
    for row in rows {
        let (key, micros) = row?;
        let day = days.entry(key).or_default();
        *day = (day.0 + 1, day.1 + micros);
        count += 1;
    }
    let text =
        "UPDATE cost_days SET detailed_calls = detailed_calls - ?5, detailed_micros = detailed_micros - ?6
                WHERE org_id = ?1 AND day = ?2 AND role = ?3 AND model = ?4";
    for ((org, day, role, model), (calls, micros)) in days {
        sql.prepare_cached(text)?.execute((org, day, role, model, calls, micros))?;
    }
    Ok(count)
}
