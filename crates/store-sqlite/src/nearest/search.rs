use std::collections::{HashMap, HashSet};
use std::thread::available_parallelism;

use reflexio_search::TextQuery;
use reflexio_store::{Ask, Scored, Shortlist};
use reflexio_types::{OrgId, PlaybookStatus, Status, TimeRange, UserId};
use reflexio_vectors::{Filter, Query, Statuses, dot};
use rusqlite::{CachedStatement, Connection, params_from_iter};

use super::facts::status_of;
use super::from_column;
use super::live::{Live, Model, id_of, key_of};
use super::names::Names;
use super::texts::keys;
use crate::error::Result;
use crate::fts::{self, Index, Searchable};
use crate::predicate::Predicate;

/// When a filter names few rows, each of up to so many is compared.
const MOST_COMPARED: usize = 20_000;
/// The index is asked for more when rows that it found are refused by a filter it does not know.
const MOST_ASKED: usize = 16_384;

/// Which rows a search may find: what the index in memory knows of the filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    pub(crate) user: Option<UserId>,
    pub(crate) version: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) source: Option<String>,
    /// Empty means any.
    pub(crate) status: Vec<Status>,
    pub(crate) approval: Vec<PlaybookStatus>,
    pub(crate) time: TimeRange,
    /// Empty means any.
    pub(crate) tags: Vec<String>,
    /// The filter names a request, a session or one row.
    pub(crate) few: bool,
}

/// A row that was found, under its key.
type Found<R> = (i64, Scored<R>);

/// Rows that fit by their words, best first, then rows that are near in meaning. The predicate is the whole
/// filter; the scope is what of it can be told in memory.
pub(crate) fn search<R: Searchable>(
    sql: &Connection,
    live: &Live,
    org: &OrgId,
    scope: &Scope,
    predicate: &Predicate,
    ask: &Ask,
) -> Result<Vec<Scored<R>>> {
    if let Some(few) = &ask.shortlist
        && let Some(found) = shortlisted(sql, live, org, scope, predicate, ask, few)?
    {
        return Ok(found);
    }
    let mut found: Vec<Found<R>> = match &ask.words {
        Some(words) => by_words(sql, live, org, scope, predicate, words, ask.limit)?,
        None => Vec::new(),
    };
    if let Some(model) = live.model().filter(|model| model.takes(&ask.meaning)) {
        let search = Search { sql, names: &live.names, model: &model, org, scope, predicate, ask };
        search.add_cosines(&mut found)?;
        search.add_near(&mut found)?;
    }
    Ok(found.into_iter().map(|(_, scored)| scored).collect())
}

/// Chooses by what the indexes in memory say and reads only the best. Nothing if they do not know enough: the words
/// are not in memory, the filter names few rows, or it refuses rows that the indexes admit.
fn shortlisted<R: Searchable>(
    sql: &Connection,
    live: &Live,
    org: &OrgId,
    scope: &Scope,
    predicate: &Predicate,
    ask: &Ask,
    shortlist: &Shortlist,
) -> Result<Option<Vec<Scored<R>>>> {
    let texts = live.texts().and_then(|texts| texts.ready(R::INDEX)).filter(|_| !scope.few);
    let Some(texts) = texts else { return Ok(None) };
    let Some(filter) = scope.filter(&live.names, org) else { return Ok(Some(Vec::new())) };
    let mut found: HashMap<i64, (f64, Option<f64>)> = HashMap::new();
    if let Some(words) = &ask.words {
        let query = reflexio_postings::Query { query: words, filter: &filter, k: ask.limit };
        found.extend(keys(texts.search(&query)).into_iter().map(|(key, score)| (key, (score, None))));
    }
    let mut full = found.len() == ask.limit;
    if let Some(model) = live.model().filter(|model| model.takes(&ask.meaning)) {
        let search = Search { sql, names: &live.names, model: &model, org, scope, predicate, ask };
        let near = search.nearest(R::INDEX, ask.limit);
        full |= near.len() == ask.limit;
        for (key, cosine) in near {
            found.entry(key).or_default().1 = Some(cosine);
        }
        search.complete(R::INDEX, &mut found)?;
    }
    let mut order: Vec<(i64, f64, Option<f64>)> =
        found.into_iter().map(|(key, (score, cosine))| (key, score, cosine)).collect();
    let value = |(_, score, cosine): &(i64, f64, Option<f64>)| shortlist.value(*score, *cosine);
    order.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| b.0.cmp(&a.0)));
    let mut reader = fts::RowReader::<R>::new(sql, predicate)?;
    let mut rows = Vec::with_capacity(shortlist.rows.min(order.len()));
    let mut refused = false;
    for (key, score, cosine) in order {
        if rows.len() == shortlist.rows {
            break;
        }
        match reader.read(key)? {
            Some(row) => rows.push(Scored { row, score, cosine }),
            None => refused = true,
        }
    }
    let too_few = refused && full && rows.len() < shortlist.rows;
    Ok((!too_few).then_some(rows))
}

/// The words in memory are asked when they are there; FTS5 knows the same and takes longer. A filter that names few
/// rows is better left to the database.
fn by_words<R: Searchable>(
    sql: &Connection,
    live: &Live,
    org: &OrgId,
    scope: &Scope,
    predicate: &Predicate,
    words: &TextQuery,
    limit: usize,
) -> Result<Vec<Found<R>>> {
    let texts = live.texts().and_then(|texts| texts.ready(R::INDEX)).filter(|_| !scope.few);
    let Some(texts) = texts else {
        return fts::search(sql, org, scope.user.as_ref(), words, predicate, limit);
    };
    let Some(filter) = scope.filter(&live.names, org) else { return Ok(Vec::new()) };
    let ranked = |k| keys(texts.search(&reflexio_postings::Query { query: words, filter: &filter, k }));
    let mut reader = fts::RowReader::new(sql, predicate)?;
    let found = admitted(limit, ranked, |key, score| {
        Ok(reader.read(key)?.map(|row| (key, Scored::by_words(row, score))))
    })?;
    Ok(fts::in_order(found, limit))
}

/// The first `limit` rows of a ranking that the whole filter admits: asks for more when some are refused.
fn admitted<T>(
    limit: usize,
    ranked: impl Fn(usize) -> Vec<(i64, f64)>,
    mut read: impl FnMut(i64, f64) -> Result<Option<T>>,
) -> Result<Vec<T>> {
    let mut asked = limit;
    loop {
        let ranking = ranked(asked);
        let all = ranking.len() < asked || asked >= limit.max(MOST_ASKED);
        let mut rows = Vec::with_capacity(limit.min(ranking.len()));
        for (key, score) in ranking {
            if rows.len() == limit {
                break;
            }
            rows.extend(read(key, score)?);
        }
        if all || rows.len() >= limit {
            return Ok(rows);
        }
        asked = asked.saturating_mul(4).min(limit.max(MOST_ASKED));
    }
}

impl Model {
    /// Whether the vectors are of this model's shape; after a change of models some may not be.
    fn takes(&self, vectors: &[Vec<f32>]) -> bool {
        !vectors.is_empty() && vectors.iter().all(|vector| self.fits(vector))
    }
}

struct Search<'a> {
    sql: &'a Connection,
    names: &'a Names,
    model: &'a Model,
    org: &'a OrgId,
    scope: &'a Scope,
    predicate: &'a Predicate,
    ask: &'a Ask,
}

impl Search<'_> {
    fn add_cosines<R: Searchable>(&self, found: &mut [Found<R>]) -> Result<()> {
        let mut reader = self.reader(R::INDEX)?;
        for (key, scored) in found {
            scored.cosine = self.read(&mut reader, *key)?.map(|vector| self.cosine(&vector));
        }
        Ok(())
    }

    /// Adds the cosines that are missing.
    fn complete(&self, index: Index, found: &mut HashMap<i64, (f64, Option<f64>)>) -> Result<()> {
        let mut reader = self.reader(index)?;
        for (key, (_, cosine)) in found.iter_mut().filter(|(_, (_, cosine))| cosine.is_none()) {
            *cosine = self.read(&mut reader, *key)?.map(|vector| self.cosine(&vector));
        }
        Ok(())
    }

    /// Adds the nearest rows; those that are found already count.
    fn add_near<R: Searchable>(&self, found: &mut Vec<Found<R>>) -> Result<()> {
        let known: HashSet<i64> = found.iter().map(|(key, _)| *key).collect();
        let mut reader = fts::RowReader::<R>::new(self.sql, self.predicate)?;
        let read = |key: i64, cosine: f64| {
            if known.contains(&key) {
                return Ok(Some(None));
            }
            let row = reader.read(key)?;
            Ok(row.map(|row| Some((key, Scored { row, score: 0.0, cosine: Some(cosine) }))))
        };
        let new = if self.scope.few {
            let compared = self.compared::<R>()?;
            admitted(self.ask.limit, |_| compared.clone(), read)?
        } else {
            admitted(self.ask.limit, |k| self.nearest(R::INDEX, k), read)?
        };
        found.extend(new.into_iter().flatten());
        Ok(())
    }

    /// The rows that the index holds to be nearest, by their exact cosines.
    fn nearest(&self, index: Index, k: usize) -> Vec<(i64, f64)> {
        let filter = self.scope.filter(self.names, self.org);
        let (Some(filter), Some(vectors)) = (filter, self.model.index(index)) else {
            return Vec::new();
        };
        let threads = available_parallelism().map_or(1, usize::from);
        let mut best: HashMap<u64, f64> = HashMap::new();
        for vector in &self.ask.meaning {
            let query = Query { vector, filter: &filter, k, threads };
            match vectors.search(&query, |ids| self.vectors(index, ids)) {
                Ok(hits) => hits.iter().for_each(|hit| {
                    let best = best.entry(hit.id).or_insert(f64::MIN);
                    *best = best.max(f64::from(hit.score));
                }),
                Err(error) => tracing::warn!(%error, "a query vector cannot be searched for"),
            }
        }
        in_order(best.into_iter().map(|(id, cosine)| (key_of(id), cosine)).collect(), k)
    }

    /// All rows that the filter names, compared one by one.
    fn compared<R: Searchable>(&self) -> Result<Vec<(i64, f64)>> {
        let text = format!(
            "SELECT {} FROM {} WHERE {} LIMIT {MOST_COMPARED}",
            R::KEY,
            R::FROM,
            self.predicate.sql()
        );
        let mut statement = self.sql.prepare_cached(&text)?;
        let keys = statement
            .query_map(params_from_iter(self.predicate.clone().into_values()), |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<i64>>>()?;
        let mut reader = self.reader(R::INDEX)?;
        let mut near = Vec::new();
        for key in keys {
            near.extend(self.read(&mut reader, key)?.map(|vector| (key, self.cosine(&vector))));
        }
        Ok(in_order(near, self.ask.limit))
    }

    /// A statement that reads vectors of the model, of which only the key changes.
    fn reader(&self, index: Index) -> Result<CachedStatement<'_>> {
        let text = format!("SELECT vector FROM {} WHERE key = ? AND model = ?", index.vectors());
        let mut statement = self.sql.prepare_cached(&text)?;
        statement.raw_bind_parameter(2, self.model.key)?;
        Ok(statement)
    }

    fn read(&self, reader: &mut CachedStatement<'_>, key: i64) -> Result<Option<Vec<f32>>> {
        reader.raw_bind_parameter(1, key)?;
        let mut rows = reader.raw_query();
        let vector = rows.next()?.map(|row| from_column(row, 0)).transpose()?;
        Ok(vector.filter(|vector| self.model.fits(vector)))
    }

    /// In their order, an empty one for a row that has none.
    fn vectors(&self, index: Index, ids: &[u64]) -> Vec<Vec<f32>> {
        let mut reader = match self.reader(index) {
            Ok(reader) => reader,
            Err(error) => {
                tracing::warn!(?error, "vectors cannot be read");
                return vec![Vec::new(); ids.len()];
            }
        };
        let mut vector = |id: &u64| match self.read(&mut reader, key_of(*id)) {
            Ok(vector) => vector.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(?error, "a vector cannot be read");
                Vec::new()
            }
        };
        ids.iter().map(&mut vector).collect()
    }

    /// To the nearest of the asked vectors.
    fn cosine(&self, vector: &[f32]) -> f64 {
        let cosines = self.ask.meaning.iter().map(|asked| f64::from(dot(asked, vector)));
        cosines.fold(f64::MIN, f64::max)
    }
}

impl Scope {
    /// What the indexes in memory have to look for; nothing if it names something that no row has.
    fn filter(&self, names: &Names, org: &OrgId) -> Option<Filter> {
        let found = |name: &Option<String>| match name {
            Some(name) => names.find(name).map(|key| Some(vec![key])),
            None => Some(None),
        };
        let mut filter = Filter::org(names.find(org.as_str())?);
        if let Some(user) = &self.user {
            filter.user = Some(names.find(user.as_str())?);
        }
        filter.versions = found(&self.version)?;
        filter.names = found(&self.name)?;
        filter.sources = found(&self.source)?;
        filter.statuses = statuses(&self.status, &self.approval);
        filter.from = self.time.start.map_or(i64::MIN, |start| start.0);
        filter.to = self.time.end.map_or(i64::MAX, |end| end.0);
        filter.tags =
            (!self.tags.is_empty()).then(|| self.tags.iter().filter_map(|tag| names.find(tag)).collect());
        Some(filter)
    }
}

fn statuses(status: &[Status], approval: &[PlaybookStatus]) -> Statuses {
    if status.is_empty() && approval.is_empty() {
        return Statuses::ALL;
    }
    let all =
        Status::ALL.into_iter().flat_map(|status| PlaybookStatus::ALL.map(|approval| (status, approval)));
    all.filter(|(one, _)| status.is_empty() || status.contains(one))
        .filter(|(_, one)| approval.is_empty() || approval.contains(one))
        .map(|(status, approval)| status_of(status, approval))
        .collect()
}

/// Nearest first, newer first among equals.
fn in_order(mut near: Vec<(i64, f64)>, limit: usize) -> Vec<(i64, f64)> {
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| id_of(b.0).cmp(&id_of(a.0))));
    near.truncate(limit);
    near
}
