use reflexio_store::Page;
use rusqlite::types::{Type, Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::predicate::Predicate;

/// A record that is read with one statement.
pub(crate) trait Stored: Sized {
    /// The table as `t`, with what has to be joined to it.
    const FROM: &'static str;
    const COLUMNS: &'static str;
    /// Newest first, in the sense of this kind of row.
    const ORDER: &'static str;

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self>;
}

/// The rows that match, in the order that `order` says.
pub(crate) fn select<R: Stored>(
    sql: &Connection,
    predicate: Predicate,
    order: &str,
    limit: usize,
) -> Result<Vec<R>> {
    let text = select_text::<R>(&predicate, order);
    let mut values = predicate.into_values();
    values.push(Value::Integer(as_limit(limit)));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), R::from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A piece of the rows that match; one more than asked for tells whether there are more.
pub(crate) fn page<R: Stored>(
    sql: &Connection,
    predicate: Predicate,
    order: &str,
    page: Page,
) -> Result<(Vec<R>, bool)> {
    let text = format!("{} OFFSET ?", select_text::<R>(&predicate, order));
    let mut values = predicate.into_values();
    values.extend([page.limit.saturating_add(1), page.offset].map(|number| Value::Integer(as_limit(number))));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), R::from_row)?;
    let mut found: Vec<R> = rows.collect::<rusqlite::Result<_>>()?;
    let more = found.len() > page.limit;
    found.truncate(page.limit);
    Ok((found, more))
}

/// The statement; its last value is the limit.
pub(crate) fn select_text<R: Stored>(predicate: &Predicate, order: &str) -> String {
    format!("SELECT {} FROM {} WHERE {} ORDER BY {order} LIMIT ?", R::COLUMNS, R::FROM, predicate.sql())
}

/// The one row that matches.
pub(crate) fn find<R: Stored>(sql: &Connection, predicate: Predicate) -> Result<Option<R>> {
    Ok(select(sql, predicate, R::ORDER, 1)?.pop())
}

/// SQLite counts in signed numbers.
pub(crate) fn as_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A column that holds JSON.
pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// A column that holds JSON, or nothing for the usual value.
pub(crate) fn json_or_default<T: DeserializeOwned + Default>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    if row.get_ref(column)? == ValueRef::Null {
        return Ok(T::default());
    }
    json(row, column)
}

/// A column that holds one of a few words.
pub(crate) fn word<T>(row: &Row<'_>, column: usize, parse: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    parse(text).ok_or_else(|| {
        let message = format!("unknown word `{text}`");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, message.into())
    })
}

/// A body without the fields that are null, which is what they are read back as.
pub(crate) fn compact(body: &impl serde::Serialize) -> Result<String> {
    let mut value = serde_json::to_value(body)?;
    if let serde_json::Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    Ok(value.to_string())
}
