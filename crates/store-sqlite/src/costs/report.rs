use reflexio_store::{CostFilter, CostGroup, CostGrouping, CostReport};
use reflexio_types::{CostTotals, Day, OrgId, UserId};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::Result;
use crate::predicate::Predicate;
use crate::rows::as_limit;

/// Where the counts come from.
#[derive(Clone, Copy, PartialEq)]
enum Book {
    Days,
    Calls,
}

impl Book {
    fn table(self) -> &'static str {
        match self {
            Book::Days => "cost_days",
            Book::Calls => "model_calls",
        }
    }

    /// All counts of [`CostTotals`], in its order.
    fn sums(self) -> &'static str {
        match self {
            Book::Days => {
                "sum(calls), sum(failed), sum(cancelled), sum(saved), sum(prompt_tokens), sum(output_tokens),
                 sum(cached_tokens), sum(cost_micros), sum(unpriced), sum(estimated), sum(latency_ms)"
            }
            Book::Calls => {
                "sum(outcome <> 'saved'), sum(outcome NOT IN ('answered', 'cancelled', 'saved')),
                 sum(outcome = 'cancelled'), sum(outcome = 'saved'), sum(prompt_tokens), sum(output_tokens),
                 sum(cached_tokens), sum(cost_micros), sum(outcome <> 'saved' AND NOT price_known),
                 sum(outcome <> 'saved' AND tokens_estimated), sum(latency_ms)"
            }
        }
    }
}

fn column(by: CostGrouping) -> &'static str {
    match by {
        CostGrouping::Day => "t.day",
        CostGrouping::Role => "t.role",
        CostGrouping::Model => "t.model",
        CostGrouping::User => "t.user_id",
        CostGrouping::Config => "t.config",
        CostGrouping::Run => "t.run",
    }
}

pub(super) fn report(
    sql: &Connection,
    org: &OrgId,
    filter: &CostFilter,
    by: Option<CostGrouping>,
    limit: usize,
) -> Result<CostReport> {
    let which = filtered(org, filter);
    let single = filter.user_id.is_some() || filter.config.is_some() || filter.run.is_some();
    let whole = if single { Book::Calls } else { Book::Days };
    let totals = totals(sql, whole, &which)?;
    let Some(by) = by else { return Ok(CostReport { totals, groups: Vec::new(), rest: totals }) };
    let groups = match by {
        CostGrouping::Day | CostGrouping::Role | CostGrouping::Model => groups(sql, whole, by, which, limit)?,
        CostGrouping::User | CostGrouping::Config | CostGrouping::Run => {
            groups(sql, Book::Calls, by, which, limit)?
        }
    };
    let rest = groups.iter().fold(totals, |rest, group| rest.minus(group.totals));
    Ok(CostReport { totals, groups, rest })
}

pub(crate) fn filtered(org: &OrgId, filter: &CostFilter) -> Predicate {
    let mut which = Predicate::of_org(org)
        .text("t.role", filter.role.as_deref())
        .text("t.model", filter.model.as_deref())
        .text("t.user_id", filter.user_id.as_ref().map(UserId::as_str))
        .text("t.config", filter.config.as_deref())
        .text("t.run", filter.run.as_deref());
    if let Some(from) = filter.from {
        which = which.and("t.day >= ?", [Value::Integer(from.0)]);
    }
    match filter.to {
        Some(to) => which.and("t.day <= ?", [Value::Integer(to.0)]),
        None => which,
    }
}

fn totals(sql: &Connection, book: Book, which: &Predicate) -> Result<CostTotals> {
    let text = format!("SELECT {} FROM {} t WHERE {}", book.sums(), book.table(), which.sql());
    let values = params_from_iter(which.clone().into_values());
    Ok(sql.prepare_cached(&text)?.query_row(values, |row| from_row(row, 0))?)
}

fn groups(
    sql: &Connection,
    book: Book,
    by: CostGrouping,
    which: Predicate,
    limit: usize,
) -> Result<Vec<CostGroup>> {
    let (sums, table, key) = (book.sums(), book.table(), column(by));
    let order = if by == CostGrouping::Day { "1 DESC" } else { "sum(cost_micros) DESC, 2 DESC, 1" };
    let text = format!(
        "SELECT {key}, {sums} FROM {table} t WHERE {} AND {key} IS NOT NULL GROUP BY 1 ORDER BY {order} LIMIT ?",
        which.sql()
    );
    let mut values = which.into_values();
    values.push(Value::Integer(as_limit(limit)));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        let key = match by {
            CostGrouping::Day => Day(row.get(0)?).to_string(),
            CostGrouping::Role
            | CostGrouping::Model
            | CostGrouping::User
            | CostGrouping::Config
            | CostGrouping::Run => row.get(0)?,
        };
        Ok(CostGroup { key, totals: from_row(row, 1)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Of no rows, a sum is null.
fn from_row(row: &Row<'_>, first: usize) -> rusqlite::Result<CostTotals> {
    let count = |at: usize| -> rusqlite::Result<u64> {
        Ok(row.get::<_, Option<i64>>(first + at)?.unwrap_or(0).unsigned_abs())
    };
    Ok(CostTotals {
        calls: count(0)?,
        failed: count(1)?,
        cancelled: count(2)?,
        saved: count(3)?,
        prompt_tokens: count(4)?,
        output_tokens: count(5)?,
        cached_tokens: count(6)?,
        cost_micros: count(7)?,
        unpriced: count(8)?,
        estimated: count(9)?,
        latency_ms: count(10)?,
    })
}
