use std::collections::HashMap;
use std::path::Path;
use std::thread::available_parallelism;

use reflexio_search::remembered_terms as terms;
use reflexio_types::{AgentPlaybook, Interaction, Profile, UserPlaybook};
use reflexio_vectors::{Labels, Row};
use rusqlite::Connection;

use super::facts::Facts;
use super::from_column;
use super::live::{Live, Model, id_of};
use super::texts::Texts;
use crate::error::Result;
use crate::fts::{Index, Searchable};
use crate::{readers, schema};

/// So many vectors are coded at once.
const ROWS_PER_STEP: usize = 8192;

/// Reads the vectors of a model into its index. Writers go on meanwhile: what they change is newer than the one
/// state of the database that is read here.
pub(crate) fn load(path: &Path, live: &Live, model: &Model) -> Result<()> {
    let connection = schema::open_reader(path)?;
    readers::snapshot(&connection, |sql| load_from(sql, live, model))
}

/// As [`load`], from the state of the database that this connection sees.
pub(super) fn load_from(sql: &Connection, live: &Live, model: &Model) -> Result<()> {
    model.expect(count(sql, model)?);
    Index::ALL.into_iter().try_for_each(|index| load_index(sql, live, model, index))?;
    model.finish_loading();
    Ok(())
}

/// Reads the words of all rows into memory, while writers go on as above.
pub(crate) fn load_texts(path: &Path, live: &Live, texts: &Texts) -> Result<()> {
    let connection = schema::open_reader(path)?;
    readers::snapshot(&connection, |sql| {
        load_words::<AgentPlaybook>(sql, live, texts)?;
        load_words::<UserPlaybook>(sql, live, texts)?;
        load_words::<Profile>(sql, live, texts)?;
        load_words::<Interaction>(sql, live, texts)
    })?;
    texts.tracker.finish();
    Ok(())
}

fn load_words<R: Searchable + Send + Sync>(sql: &Connection, live: &Live, texts: &Texts) -> Result<()> {
    let facts = Facts::columns(R::INDEX);
    let text = format!("SELECT {}, {}, {facts} FROM {} ORDER BY {}", R::COLUMNS, R::KEY, R::FROM, R::KEY);
    let mut statement = sql.prepare(&text)?;
    let first = statement.column_count() - Facts::COLUMNS;
    let mut rows = statement.query([])?;
    let mut step: Vec<(i64, R, Facts)> = Vec::with_capacity(ROWS_PER_STEP);
    while let Some(row) = rows.next()? {
        step.push((row.get(first - 1)?, R::from_row(row)?, Facts::from_row(row, first)?));
        if step.len() == ROWS_PER_STEP {
            add_words(live, texts, &step);
            step.clear();
        }
    }
    add_words(live, texts, &step);
    Ok(())
}

fn add_words<R: Searchable + Sync>(live: &Live, texts: &Texts, rows: &[(i64, R, Facts)]) {
    let threads = available_parallelism().map_or(1, usize::from);
    let parts = rows.chunks(rows.len().div_ceil(threads).max(1));
    // Cutting texts into terms is what takes the time.
    let terms: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = parts
            .map(|part| {
                scope
                    .spawn(|| part.iter().map(|(_, row, _)| terms(&row.text()).join(" ")).collect::<Vec<_>>())
            })
            .collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    let mut by_org: HashMap<u32, Vec<(i64, Labels, String)>> = HashMap::new();
    for ((key, _, facts), terms) in rows.iter().zip(terms) {
        let org = live.names.number(&facts.org);
        by_org.entry(org).or_default().push((*key, facts.labels(&live.names), terms));
    }
    for (org, rows) in by_org {
        texts.add_loaded(R::INDEX, org, &rows);
    }
}

fn count(sql: &Connection, model: &Model) -> Result<u64> {
    let mut total = 0;
    for index in Index::ALL {
        let text = format!("SELECT count(*) FROM {} WHERE model = ?", index.vectors());
        total += sql.query_row(&text, [model.key], |row| row.get::<_, i64>(0))?.unsigned_abs();
    }
    Ok(total)
}

fn load_index(sql: &Connection, live: &Live, model: &Model, index: Index) -> Result<()> {
    let (table, key) = index.rows();
    let text = format!(
        "SELECT v.key, v.vector, {} FROM {} v CROSS JOIN {table} t WHERE t.{key} = v.key AND v.model = ?
         ORDER BY v.key",
        Facts::columns(index),
        index.vectors()
    );
    let mut statement = sql.prepare(&text)?;
    let mut rows = statement.query([model.key])?;
    let mut step: Vec<(i64, Vec<f32>, Facts)> = Vec::with_capacity(ROWS_PER_STEP);
    while let Some(row) = rows.next()? {
        step.push((row.get(0)?, from_column(row, 1)?, Facts::from_row(row, 2)?));
        if step.len() == ROWS_PER_STEP {
            add(live, model, index, &step);
            step.clear();
        }
    }
    add(live, model, index, &step);
    Ok(())
}

fn add(live: &Live, model: &Model, index: Index, rows: &[(i64, Vec<f32>, Facts)]) {
    let threads = available_parallelism().map_or(1, usize::from);
    let mut by_org: HashMap<u32, Vec<Row<'_>>> = HashMap::new();
    for (key, vector, facts) in rows {
        let row = Row { id: id_of(*key), vector, labels: facts.labels(&live.names) };
        by_org.entry(live.names.number(&facts.org)).or_default().push(row);
    }
    for (org, rows) in by_org {
        model.add_loaded(index, org, &rows, threads);
    }
}
