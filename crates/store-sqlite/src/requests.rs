use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use reflexio_store::{
    NewRequest, Page, Published, RequestDetail, RequestFilter, RequestSelector, Requests, Result,
    SessionGroup,
};
use reflexio_types::{
    Experiment, Image, Interaction, LearningIntent, OrgId, Request, RequestId, SessionId, Timestamp, Turn,
    UserId,
};
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use serde::{Deserialize, Serialize};

use crate::SqliteStore;
use crate::error::{Fault, Result as Outcome};
use crate::fts::{self, Entry, Index};
use crate::predicate::Predicate;
use crate::rows::{Stored, find, json_or_default, select};
use crate::writer::Tx;
use crate::{evaluations, interactions, jobs, outcomes};

/// As [`Request::ORDER`], for the requests of a few sessions: without the plus sign SQLite would walk through
/// all requests of the org to spare the sorting.
pub(crate) const OF_SESSIONS: &str = "+t.created_at DESC, t.key DESC";

/// What few requests have.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Extra {
    #[serde(skip_serializing_if = "Option::is_none")]
    experiment: Option<Experiment>,
    #[serde(skip_serializing_if = "is_default")]
    intent: LearningIntent,
}

fn is_default(intent: &LearningIntent) -> bool {
    *intent == LearningIntent::default()
}

impl Stored for Request {
    const FROM: &'static str = "requests t";
    const COLUMNS: &'static str =
        "t.id, t.user_id, t.session_id, t.created_at, t.source, t.agent_version, t.extra";
    const ORDER: &'static str = "t.created_at DESC, t.key DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let extra: Extra = json_or_default(row, 6)?;
        Ok(Self {
            id: RequestId::new(row.get::<_, String>(0)?),
            user_id: row.get::<_, String>(1)?.into(),
            session_id: SessionId::new(row.get::<_, String>(2)?),
            created_at: Timestamp(row.get(3)?),
            source: row.get(4)?,
            agent_version: row.get(5)?,
            experiment: extra.experiment,
            intent: extra.intent,
        })
    }
}

#[async_trait]
impl Requests for SqliteStore {
    async fn publish(&self, org: &OrgId, new: NewRequest) -> Result<Published> {
        let user = &new.request.user_id;
        let texts = new.turns.iter().map(|turn| (Some(user.clone()), turn.searchable_text())).collect();
        let entries = fts::entries(org, texts).await?;
        let org = org.clone();
        self.writer.write(move |tx| publish(tx, &org, &new, entries)).await
    }

    async fn request(&self, org: &OrgId, id: &RequestId) -> Result<Option<Request>> {
        let predicate = Predicate::of_org(org).text("t.id", Some(id.as_str()));
        self.readers.read(|sql| find(sql, predicate)).await
    }

    async fn request_sessions(
        &self,
        org: &OrgId,
        ids: &[RequestId],
    ) -> Result<HashMap<RequestId, SessionId>> {
        let ids = ids.iter().map(|id| id.as_str().into()).collect();
        let which = Predicate::of_org(org).within("t.id", ids);
        self.readers.read(move |sql| request_sessions(sql, which)).await
    }

    async fn sessions(
        &self,
        org: &OrgId,
        filter: &RequestFilter,
        page: Page,
    ) -> Result<(Vec<SessionGroup>, bool)> {
        let (org, predicate) = (org.clone(), filtered(org, filter));
        self.readers.read(move |sql| sessions(sql, &org, predicate, page)).await
    }

    async fn delete_requests(&self, org: &OrgId, which: &RequestSelector) -> Result<u64> {
        let predicate = match which {
            RequestSelector::Ids(ids) => {
                Predicate::of_org(org).within("t.id", ids.iter().map(|id| id.as_str().into()).collect())
            }
            RequestSelector::Session(session) => {
                Predicate::of_org(org).text("t.session_id", Some(session.as_str()))
            }
        };
        let org = org.clone();
        self.writer.write(move |tx| delete(tx, &org, predicate)).await
    }
}

fn request_sessions(sql: &Connection, which: Predicate) -> Outcome<HashMap<RequestId, SessionId>> {
    let text = format!("SELECT t.id, t.session_id FROM requests t WHERE {}", which.sql());
    let mut statement = sql.prepare_cached(&text)?;
    let rows = statement.query_map(params_from_iter(which.into_values()), |row| {
        Ok((RequestId::new(row.get::<_, String>(0)?), SessionId::new(row.get::<_, String>(1)?)))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn publish(tx: &mut Tx<'_>, org: &OrgId, new: &NewRequest, entries: Vec<Entry>) -> Outcome<Published> {
    let request = &new.request;
    let Some(key) = insert(tx.sql, org, request)? else {
        return Err(Fault::duplicate("request_id", &request.id));
    };
    for image in &new.images {
        insert_image(tx.sql, org, image)?;
    }
    let mut interaction_ids = Vec::with_capacity(new.turns.len());
    for (turn, entry) in new.turns.iter().zip(entries) {
        interaction_ids.push(add_turn(tx, org, request, key, turn, entry)?);
    }
    let job = new.job.as_ref().map(|job| jobs::queue(tx.sql, org, job, request.created_at)).transpose()?;
    for job in &new.also {
        jobs::queue(tx.sql, org, job, request.created_at)?;
    }
    Ok(Published {
        interaction_ids: interaction_ids.into_iter().map(reflexio_types::InteractionId).collect(),
        job,
    })
}

fn add_turn(
    tx: &mut Tx<'_>,
    org: &OrgId,
    request: &Request,
    key: i64,
    turn: &Turn,
    entry: Entry,
) -> Outcome<i64> {
    let id = interactions::insert(tx.sql, org, None, &request.user_id, key, turn)?;
    tx.index.put(Index::Interactions, id, entry);
    Ok(id)
}

/// The key of the new row; nothing when the org already has a request of this id.
pub(crate) fn insert(sql: &Connection, org: &OrgId, request: &Request) -> Outcome<Option<i64>> {
    let extra = Extra { experiment: request.experiment.clone(), intent: request.intent.clone() };
    let extra = (extra != Extra::default()).then(|| serde_json::to_string(&extra)).transpose()?;
    let mut statement = sql.prepare_cached(
        "INSERT INTO requests (org_id, id, user_id, session_id, created_at, source, agent_version, extra)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key",
    )?;
    let values = (
        org.as_str(),
        request.id.as_str(),
        request.user_id.as_str(),
        request.session_id.as_str(),
        request.created_at.0,
        &request.source,
        &request.agent_version,
        extra,
    );
    Ok(statement.query_row(values, |row| row.get(0)).optional()?)
}

/// Whether the image is new.
pub(crate) fn insert_image(sql: &Connection, org: &OrgId, image: &Image) -> Outcome<bool> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO images (org_id, id, media_type, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )?;
    let values = (org.as_str(), image.id.as_str(), image.media_type.as_str(), &image.bytes);
    Ok(statement.execute(values)? > 0)
}

/// Whether there is anything of this user; nothing is left of one who was erased.
pub(crate) fn has_published(sql: &Connection, org: &OrgId, user: &UserId) -> Outcome<bool> {
    let text = "SELECT EXISTS (SELECT 1 FROM requests WHERE org_id = ? AND user_id = ?)";
    Ok(sql.prepare_cached(text)?.query_row((org.as_str(), user.as_str()), |row| row.get(0))?)
}

pub(crate) fn filtered(org: &OrgId, filter: &RequestFilter) -> Predicate {
    Predicate::of_org(org)
        .text("t.user_id", filter.user_id.as_ref().map(|id| id.as_str()))
        .text("t.id", filter.request_id.as_ref().map(RequestId::as_str))
        .text("t.session_id", filter.session_id.as_ref().map(SessionId::as_str))
        .text("t.source", filter.source.as_deref())
        .time("t.created_at", filter.time)
}

fn sessions(
    sql: &Connection,
    org: &OrgId,
    matching: Predicate,
    page: Page,
) -> Outcome<(Vec<SessionGroup>, bool)> {
    let (names, more) = session_page(sql, &matching, page)?;
    let listed = names.iter().map(|name| name.as_str().into()).collect();
    let requests: Vec<Request> =
        select(sql, matching.within("t.session_id", listed), OF_SESSIONS, usize::MAX)?;
    let mut said = interactions_of(sql, org, &requests)?;
    let mut groups: Vec<SessionGroup> =
        names.into_iter().map(|session_id| SessionGroup { session_id, requests: Vec::new() }).collect();
    let places: HashMap<SessionId, usize> =
        groups.iter().enumerate().map(|(at, group)| (group.session_id.clone(), at)).collect();
    for request in requests {
        let interactions = said.remove(&request.id).unwrap_or_default();
        if let Some(group) = places.get(&request.session_id).and_then(|at| groups.get_mut(*at)) {
            group.requests.push(RequestDetail { request, interactions });
        }
    }
    Ok((groups, more))
}

/// Walks the matching requests from the newest on and stops when the page is full.
fn session_page(sql: &Connection, matching: &Predicate, page: Page) -> Outcome<(Vec<SessionId>, bool)> {
    let text =
        format!("SELECT t.session_id FROM requests t WHERE {} ORDER BY {}", matching.sql(), Request::ORDER);
    let mut statement = sql.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(matching.clone().into_values()))?;
    let end = page.offset.saturating_add(page.limit);
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        if seen.contains(name) {
            continue;
        }
        if seen.len() >= end {
            return Ok((names, true));
        }
        if seen.len() >= page.offset {
            names.push(SessionId::new(name));
        }
        seen.insert(name.to_owned());
    }
    Ok((names, false))
}

fn interactions_of(
    sql: &Connection,
    org: &OrgId,
    requests: &[Request],
) -> Outcome<HashMap<RequestId, Vec<Interaction>>> {
    let ids = requests.iter().map(|request| request.id.as_str().into()).collect();
    let keys = Predicate::of_org(org).within("t.id", ids);
    let rows = interactions::of_requests(sql, org, &keys)?;
    let mut by_request: HashMap<RequestId, Vec<Interaction>> = HashMap::new();
    for row in rows {
        by_request.entry(row.request_id.clone()).or_default().push(row);
    }
    Ok(by_request)
}

/// Deletes requests with their interactions, and says how many requests that were.
pub(crate) fn delete(tx: &mut Tx<'_>, org: &OrgId, which: Predicate) -> Outcome<u64> {
    evaluations::forget(tx.sql, org, &which)?;
    outcomes::forget(tx.sql, org, &which)?;
    interactions::delete_of_requests(tx, org, &which)?;
    let text = format!("DELETE FROM requests AS t WHERE {}", which.sql());
    Ok(tx.sql.prepare_cached(&text)?.execute(params_from_iter(which.into_values()))? as u64)
}
