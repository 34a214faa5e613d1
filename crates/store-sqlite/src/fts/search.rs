use std::marker::PhantomData;

use reflexio_search::{TextQuery, rank, remembered_terms as terms};
use reflexio_store::Scored;
use reflexio_types::{OrgId, UserId};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, params_from_iter};

use super::Searchable;
use super::expression::expression;
use crate::error::Result;
use crate::predicate::Predicate;

/// Up to so many matches are ranked here, by what sets them apart from each other. FTS5 can rank more,
/// but looks at every entry of every term for it.
const MOST_RANKED: usize = 1000;
/// So many equally good matches are looked at to find the newest of them.
const MOST_EQUAL: usize = 1000;

/// The rows that match both, under their keys, best first.
pub(crate) fn search<R: Searchable>(
    sql: &Connection,
    org: &OrgId,
    user: Option<&UserId>,
    query: &TextQuery,
    predicate: &Predicate,
    limit: usize,
) -> Result<Vec<(i64, Scored<R>)>> {
    let Some(expression) = expression(sql, R::INDEX, org, user, query)? else { return Ok(Vec::new()) };
    let rows = matching(sql, &expression, predicate)?;
    let found = if rows.len() > MOST_RANKED {
        best_by_index(sql, &expression, predicate, limit)?
    } else {
        ranked(query, rows)
    };
    Ok(in_order(found, limit))
}

/// All rows that match, but never more than one over what can be ranked.
fn matching<R: Searchable>(
    sql: &Connection,
    expression: &str,
    predicate: &Predicate,
) -> Result<Vec<(i64, R)>> {
    // The index comes first, and CROSS JOIN keeps it there.
    let index = R::INDEX.table();
    let text = format!(
        "SELECT {}, {index}.rowid FROM {index} CROSS JOIN {} WHERE {index} MATCH ? AND {} = {index}.rowid AND {} LIMIT {}",
        R::COLUMNS,
        R::FROM,
        R::KEY,
        predicate.sql(),
        MOST_RANKED + 1
    );
    let values = [Value::Text(expression.to_owned())].into_iter().chain(predicate.clone().into_values());
    let mut statement = sql.prepare_cached(&text)?;
    let last = statement.column_count() - 1;
    let rows =
        statement.query_map(params_from_iter(values), |row| Ok((row.get(last)?, R::from_row(row)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn ranked<R: Searchable>(query: &TextQuery, rows: Vec<(i64, R)>) -> Vec<(i64, Scored<R>)> {
    let documents: Vec<Vec<String>> = rows.iter().map(|(_, row)| terms(&row.text())).collect();
    let scores = rank(query, &documents);
    rows.into_iter().zip(scores).map(|((key, row), score)| (key, Scored::by_words(row, score))).collect()
}

/// Lets FTS5 rank, then reads rows from the best one on until there are enough.
fn best_by_index<R: Searchable>(
    sql: &Connection,
    expression: &str,
    predicate: &Predicate,
    limit: usize,
) -> Result<Vec<(i64, Scored<R>)>> {
    let index = R::INDEX.table();
    let text = format!(
        "SELECT rowid, -bm25({index}, 0.0, 1.0) AS score FROM {index} WHERE {index} MATCH ?
         ORDER BY score DESC, rowid DESC"
    );
    let mut statement = sql.prepare_cached(&text)?;
    let mut ranking = statement.query([expression])?;
    let mut found: Vec<(i64, Scored<R>)> = Vec::new();
    while let Some(entry) = ranking.next()? {
        let (key, score): (i64, f64) = (entry.get(0)?, entry.get(1)?);
        let enough = found.len() >= limit && found.last().is_none_or(|(_, last)| last.score > score);
        if enough || found.len() >= limit.saturating_add(MOST_EQUAL) {
            break;
        }
        found.extend(row(sql, key, predicate)?.map(|row| (key, Scored::by_words(row, score))));
    }
    Ok(found)
}

/// One row, if the filter admits it.
pub(crate) fn row<R: Searchable>(sql: &Connection, key: i64, predicate: &Predicate) -> Result<Option<R>> {
    RowReader::new(sql, predicate)?.read(key)
}

/// Reads rows one by one with one statement, of which only the key changes.
pub(crate) struct RowReader<'a, R> {
    statement: CachedStatement<'a>,
    kind: PhantomData<R>,
}

impl<'a, R: Searchable> RowReader<'a, R> {
    /// For the rows that the filter admits.
    pub(crate) fn new(sql: &'a Connection, predicate: &Predicate) -> Result<Self> {
        let text =
            format!("SELECT {} FROM {} WHERE {} = ? AND {}", R::COLUMNS, R::FROM, R::KEY, predicate.sql());
        let mut statement = sql.prepare_cached(&text)?;
        for (place, value) in predicate.values().iter().enumerate() {
            statement.raw_bind_parameter(place + 2, value)?;
        }
        Ok(Self { statement, kind: PhantomData })
    }

    pub(crate) fn read(&mut self, key: i64) -> Result<Option<R>> {
        self.statement.raw_bind_parameter(1, key)?;
        let mut rows = self.statement.raw_query();
        Ok(rows.next()?.map(R::from_row).transpose()?)
    }
}

/// Best first, newest first among equals.
pub(crate) fn in_order<R: Searchable>(
    mut found: Vec<(i64, Scored<R>)>,
    limit: usize,
) -> Vec<(i64, Scored<R>)> {
    found.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score).then_with(|| a.row.newest_first(&b.row)));
    found.truncate(limit);
    found
}
