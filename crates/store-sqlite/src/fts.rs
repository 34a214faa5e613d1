use std::cmp::Ordering;

use reflexio_search::{Node, TextQuery, rank, terms};
use reflexio_store::Scored;
use reflexio_types::{OrgId, UserId};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::error::Result;
use crate::predicate::Predicate;
use crate::rows::{Stored, as_limit};

/// Up to so many matches are ranked here, by what sets them apart from each other. FTS5 can rank more,
/// but looks at every entry of every term for it.
const MOST_RANKED: usize = 1000;

/// A text index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Interactions,
    Profiles,
    UserPlaybooks,
    AgentPlaybooks,
}

impl Index {
    pub(crate) fn table(self) -> &'static str {
        match self {
            Index::Interactions => "interactions_fts",
            Index::Profiles => "profiles_fts",
            Index::UserPlaybooks => "user_playbooks_fts",
            Index::AgentPlaybooks => "agent_playbooks_fts",
        }
    }
}

/// A record that can be found by its text.
pub(crate) trait Searchable: Stored {
    const INDEX: Index;
    const TABLE: &'static str;
    /// The integer key of the row, which is also the key of its index entry.
    const KEY: &'static str;

    fn text(&self) -> String;

    /// Which of two equally good matches comes first.
    fn newest_first(&self, other: &Self) -> Ordering;
}

/// What the index holds of a row. Making it costs time: do it before the writer thread has the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    scope: String,
    body: String,
}

impl Entry {
    pub(crate) fn new(org: &OrgId, user: Option<&UserId>, text: &str) -> Self {
        let mut scope = org_token(org);
        if let Some(user) = user {
            scope.push(' ');
            scope.push_str(&user_token(org, user));
        }
        Self { scope, body: terms(text).join(" ") }
    }

    /// Column number, position and term of each token.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = (usize, usize, &str)> {
        let columns = [&self.scope, &self.body].into_iter().enumerate();
        columns.flat_map(|(column, text)| {
            text.split_ascii_whitespace().enumerate().map(move |(at, term)| (column, at, term))
        })
    }
}

/// Longer texts are cut into terms on a thread that may block.
const LONG_BYTES: usize = 32 << 10;

/// The entries of rows that are about to be stored.
pub(crate) async fn entries(
    org: &OrgId,
    texts: Vec<(Option<UserId>, String)>,
) -> reflexio_store::Result<Vec<Entry>> {
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let org = org.clone();
    let work = move || texts.iter().map(|(user, text)| Entry::new(&org, user.as_ref(), text)).collect();
    if bytes < LONG_BYTES {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| reflexio_store::Error::Internal(Box::new(error)))
}

fn org_token(org: &OrgId) -> String {
    token('o', &[org.as_str()])
}

fn user_token(org: &OrgId, user: &UserId) -> String {
    token('u', &[org.as_str(), user.as_str()])
}

/// Names are hashed, so that any text makes one token of known length.
fn token(kind: char, names: &[&str]) -> String {
    let hash = blake3::hash(names.join("\0").as_bytes()).to_hex();
    format!("{kind}{}", &hash[..16])
}

enum Change {
    Put(Index, i64, Entry),
    Remove(Index, i64),
}

/// The index entries that a transaction changes, written together right before it commits: FTS5 closes
/// its current segment at every savepoint, and many small segments are slow to write and to read.
#[derive(Default)]
pub(crate) struct IndexLog {
    changes: Vec<Change>,
}

impl IndexLog {
    pub(crate) fn put(&mut self, index: Index, key: i64, entry: Entry) {
        self.changes.push(Change::Put(index, key, entry));
    }

    pub(crate) fn remove(&mut self, index: Index, key: i64) {
        self.changes.push(Change::Remove(index, key));
    }

    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn undo_to(&mut self, mark: usize) {
        self.changes.truncate(mark);
    }

    pub(crate) fn apply(self, sql: &Connection) -> Result<()> {
        for change in self.changes {
            match change {
                Change::Put(index, key, entry) => put(sql, index, key, &entry)?,
                Change::Remove(index, key) => remove(sql, index, key)?,
            }
        }
        Ok(())
    }
}

fn put(sql: &Connection, index: Index, key: i64, entry: &Entry) -> Result<()> {
    let text = format!("INSERT OR REPLACE INTO {} (rowid, scope, body) VALUES (?, ?, ?)", index.table());
    sql.prepare_cached(&text)?.execute((key, &entry.scope, &entry.body))?;
    Ok(())
}

fn remove(sql: &Connection, index: Index, key: i64) -> Result<()> {
    let text = format!("DELETE FROM {} WHERE rowid = ?", index.table());
    sql.prepare_cached(&text)?.execute([key])?;
    Ok(())
}

/// The rows that match both, best first.
pub(crate) fn search<R: Searchable>(
    sql: &Connection,
    org: &OrgId,
    user: Option<&UserId>,
    query: &TextQuery,
    predicate: &Predicate,
    limit: usize,
) -> Result<Vec<Scored<R>>> {
    let Some(root) = query.root() else { return Ok(Vec::new()) };
    let scope = user.map_or_else(|| org_token(org), |user| user_token(org, user));
    let expression = format!("scope : \"{scope}\" AND body : ({})", render(root));
    let rows = matching(sql, &expression, predicate)?;
    if rows.len() > MOST_RANKED {
        return ranked_by_index(sql, &expression, predicate, limit);
    }
    Ok(ranked(query, rows, limit))
}

/// All rows that match, but never more than one over what can be ranked.
fn matching<R: Searchable>(sql: &Connection, expression: &str, predicate: &Predicate) -> Result<Vec<R>> {
    let text = format!("SELECT {} {} LIMIT {}", R::COLUMNS, from_where::<R>(predicate), MOST_RANKED + 1);
    let mut statement = sql.prepare_cached(&text)?;
    let values = with_expression(expression, predicate);
    let rows = statement.query_map(params_from_iter(values), R::from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn ranked<R: Searchable>(query: &TextQuery, rows: Vec<R>, limit: usize) -> Vec<Scored<R>> {
    let documents: Vec<Vec<String>> = rows.iter().map(|row| terms(&row.text())).collect();
    let scores = rank(query, &documents);
    let mut found: Vec<Scored<R>> =
        rows.into_iter().zip(scores).map(|(row, score)| Scored { row, score }).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.row.newest_first(&b.row)));
    found.truncate(limit);
    found
}

fn ranked_by_index<R: Searchable>(
    sql: &Connection,
    expression: &str,
    predicate: &Predicate,
    limit: usize,
) -> Result<Vec<Scored<R>>> {
    let text = format!(
        "SELECT {}, -bm25({}, 0.0, 1.0) AS score {} ORDER BY score DESC, {} LIMIT ?",
        R::COLUMNS,
        R::INDEX.table(),
        from_where::<R>(predicate),
        R::ORDER
    );
    let mut values = with_expression(expression, predicate);
    values.push(Value::Integer(as_limit(limit)));
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(Scored { row: R::from_row(row)?, score: row.get("score")? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The index comes first, and CROSS JOIN keeps it there.
fn from_where<R: Searchable>(predicate: &Predicate) -> String {
    let index = R::INDEX.table();
    format!(
        "FROM {index} CROSS JOIN {} WHERE {index} MATCH ? AND {} = {index}.rowid AND {}",
        R::FROM,
        R::KEY,
        predicate.sql()
    )
}

fn with_expression(expression: &str, predicate: &Predicate) -> Vec<Value> {
    let mut values = vec![Value::Text(expression.to_owned())];
    values.extend(predicate.clone().into_values());
    values
}

fn render(node: &Node) -> String {
    match node {
        Node::Term(term) => quoted(term),
        Node::Prefix(start) => format!("{} *", quoted(start)),
        Node::Phrase(terms) => quoted(&terms.join(" ")),
        Node::And(nodes) => joined(nodes, " AND "),
        Node::Or(nodes) => joined(nodes, " OR "),
        Node::Not(..) => format!("({})", render_not(node)),
    }
}

/// FTS5 reads `a NOT b NOT c` from the left; without this, long chains would be nested too deep for it.
fn render_not(node: &Node) -> String {
    match node {
        Node::Not(keep, drop) => format!("{} NOT {}", render_not(keep), render(drop)),
        Node::Term(_) | Node::Prefix(_) | Node::Phrase(_) | Node::And(_) | Node::Or(_) => render(node),
    }
}

fn joined(nodes: &[Node], operator: &str) -> String {
    let parts: Vec<String> = nodes.iter().map(render).collect();
    format!("({})", parts.join(operator))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
