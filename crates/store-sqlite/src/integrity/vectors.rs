use std::collections::{HashMap, HashSet};

use reflexio_vectors::is_unit;
use rusqlite::Connection;

use crate::error::Result;
use crate::fts::Index;
use crate::nearest;

/// What made vectors, as far as it matters here.
struct Model {
    dimension: usize,
    /// Its vectors are searched, or their rows have to wait for others.
    is_current: bool,
}

/// Every vector belongs to a row and can be searched; every row with text has a vector or waits for one.
pub(super) fn problems(sql: &Connection, index: Index, name: &str, with_text: &[i64]) -> Result<Vec<String>> {
    let rows = rows(sql, index)?;
    let listed = listed(sql, index)?;
    let waiting: HashSet<i64> = listed.iter().map(|(key, _)| *key).collect();
    let mut problems: Vec<String> = listed
        .iter()
        .filter(|(key, org)| rows.get(key) != Some(org))
        .map(|(key, _)| format!("what waits for a vector under {key} is no {name}"))
        .collect();
    let vectors = vectors(sql, index)?;
    for (key, fault) in &vectors {
        if !rows.contains_key(key) {
            problems.push(format!("vector {key} belongs to no {name}"));
        } else if let Some(fault) = fault
            && !waiting.contains(key)
        {
            problems.push(format!("the vector of {name} {key} {fault}"));
        }
    }
    let known: HashSet<i64> = vectors.iter().map(|(key, _)| *key).collect();
    let lost = with_text.iter().filter(|key| !known.contains(key) && !waiting.contains(key));
    problems.extend(lost.map(|key| format!("{name} {key} has no vector and waits for none")));
    Ok(problems)
}

/// The keys of all rows, with their orgs.
fn rows(sql: &Connection, index: Index) -> Result<HashMap<i64, String>> {
    let (table, key) = index.rows();
    let mut statement = sql.prepare(&format!("SELECT {key}, org_id FROM {table}"))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The keys of rows that wait, or were refused, with their orgs.
fn listed(sql: &Connection, index: Index) -> Result<Vec<(i64, String)>> {
    let mut statement = sql.prepare("SELECT key, org_id FROM unembedded WHERE kind = ?")?;
    let rows = statement.query_map([index.number()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The keys of all vectors, each with what is wrong with it.
fn vectors(sql: &Connection, index: Index) -> Result<Vec<(i64, Option<&'static str>)>> {
    let models = models(sql)?;
    let text = format!("SELECT key, model, vector FROM {} ORDER BY key", index.vectors());
    let mut statement = sql.prepare(&text)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let model = models.get(&row.get(1)?);
        found.push((row.get(0)?, fault(model, &nearest::from_column(row, 2)?)));
    }
    Ok(found)
}

fn fault(model: Option<&Model>, vector: &[f32]) -> Option<&'static str> {
    match model {
        None => Some("is of a model that nobody knows"),
        Some(model) if vector.len() != model.dimension || !is_unit(vector) => Some("is damaged"),
        Some(model) if !model.is_current => Some("is of a model that is not in use, and waits for no other"),
        Some(_) => None,
    }
}

/// As long as the rows of other models are being put on the list, or no model was ever in use, all are current.
fn models(sql: &Connection) -> Result<HashMap<i64, Model>> {
    let text =
        "SELECT key, dimension, in_use OR NOT EXISTS (SELECT 1 FROM vector_models WHERE in_use AND queued)
                FROM vector_models";
    let mut statement = sql.prepare(text)?;
    let rows = statement.query_map([], |row| {
        let dimension = usize::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
        Ok((row.get(0)?, Model { dimension, is_current: row.get(2)? }))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
