use std::cmp::Ordering;
use std::collections::BTreeSet;

use async_trait::async_trait;
use reflexio_store::{
    Ask, InteractionFilter, InteractionOrder, InteractionSelector, Interactions, Result, Scored,
};
use reflexio_types::{
    Citation, Image, ImageId, ImageRef, Interaction, InteractionId, MediaType, OrgId, RequestId,
    RetrievedLearning, SessionId, Timestamp, ToolUse, Turn, UserAction, UserId,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use serde::{Deserialize, Serialize};

use crate::conversations::conversations;
use crate::error::Result as Outcome;
use crate::fts::{Index, Searchable};
use crate::nearest::Scope;
use crate::predicate::Predicate;
use crate::rows::{Stored, json_or_default, select, word};
use crate::writer::Tx;
use crate::{SqliteStore, evaluations, outcomes};

/// What a plain chat turn does not have.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Extra {
    #[serde(skip_serializing_if = "String::is_empty")]
    shadow: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    expert: String,
    #[serde(skip_serializing_if = "is_no_action")]
    action: UserAction,
    #[serde(skip_serializing_if = "String::is_empty")]
    action_text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    image_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_type: Option<MediaType>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolUse>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    citations: Vec<Citation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    learnings: Vec<RetrievedLearning>,
}

fn is_no_action(action: &UserAction) -> bool {
    *action == UserAction::None
}

impl Extra {
    fn of(turn: &Turn) -> Self {
        Self {
            shadow: turn.shadow_content.clone(),
            expert: turn.expert_content.clone(),
            action: turn.user_action,
            action_text: turn.user_action_description.clone(),
            image_url: turn.image_url.clone(),
            image_type: turn.image.as_ref().map(|image| image.media_type),
            tools: turn.tools_used.clone(),
            citations: turn.citations.clone(),
            learnings: turn.retrieved_learnings.clone(),
        }
    }
}

impl Stored for Interaction {
    const FROM: &'static str = "interactions t JOIN requests r ON r.key = t.request_key";
    const COLUMNS: &'static str =
        "t.id, t.user_id, r.id, r.session_id, t.created_at, t.role, t.content, t.image_id, t.extra";
    const ORDER: &'static str = "t.created_at DESC, t.id";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: InteractionId(row.get(0)?),
            user_id: UserId::new(row.get::<_, String>(1)?),
            request_id: RequestId::new(row.get::<_, String>(2)?),
            session_id: SessionId::new(row.get::<_, String>(3)?),
            turn: turn_from_row(row)?,
        })
    }
}

fn turn_from_row(row: &Row<'_>) -> rusqlite::Result<Turn> {
    let extra: Extra = json_or_default(row, 8)?;
    let image_id: Option<String> = row.get(7)?;
    Ok(Turn {
        created_at: Timestamp(row.get(4)?),
        role: row.get(5)?,
        content: row.get(6)?,
        shadow_content: extra.shadow,
        expert_content: extra.expert,
        user_action: extra.action,
        user_action_description: extra.action_text,
        image_url: extra.image_url,
        image: image_id
            .zip(extra.image_type)
            .map(|(id, media_type)| ImageRef { id: ImageId::new(id), media_type }),
        tools_used: extra.tools,
        citations: extra.citations,
        retrieved_learnings: extra.learnings,
    })
}

impl Searchable for Interaction {
    const INDEX: Index = Index::Interactions;
    const TABLE: &'static str = "interactions";
    const KEY: &'static str = "t.id";

    fn text(&self) -> String {
        self.turn.searchable_text()
    }

    fn newest_first(&self, other: &Self) -> Ordering {
        other.turn.created_at.cmp(&self.turn.created_at).then_with(|| self.id.cmp(&other.id))
    }
}

#[async_trait]
impl Interactions for SqliteStore {
    async fn interactions(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        order: InteractionOrder,
        limit: usize,
    ) -> Result<Vec<Interaction>> {
        let predicate = filtered(org, filter);
        let order = match order {
            InteractionOrder::NewestFirst => Interaction::ORDER,
            InteractionOrder::LatestArrivalFirst => "t.id DESC",
        };
        self.readers.read(move |sql| select(sql, predicate, order, limit)).await
    }

    async fn search_interactions(
        &self,
        org: &OrgId,
        filter: &InteractionFilter,
        ask: &Ask,
    ) -> Result<Vec<Scored<Interaction>>> {
        self.search(org, scope(filter), filtered(org, filter), ask).await
    }

    async fn conversations(
        &self,
        org: &OrgId,
        around: &[InteractionId],
        reach: usize,
    ) -> Result<Vec<Vec<Interaction>>> {
        let (org, around) = (org.clone(), around.to_vec());
        self.readers.read(move |sql| conversations(sql, &org, &around, reach)).await
    }

    async fn delete_interactions(&self, org: &OrgId, which: &InteractionSelector) -> Result<u64> {
        let all = Predicate::of_org(org);
        let org = org.clone();
        match which {
            InteractionSelector::One { user_id, id } => {
                let one = all.text("t.user_id", Some(user_id.as_str())).number("t.id", Some(id.0));
                self.writer.write(move |tx| delete_with_empty_requests(tx, &org, one)).await
            }
            InteractionSelector::All => self.writer.write(move |tx| delete_all(tx, &org, all)).await,
        }
    }

    async fn image(&self, org: &OrgId, id: &ImageId) -> Result<Option<Image>> {
        let (org, id) = (org.clone(), id.clone());
        self.readers.read(move |sql| image(sql, &org, &id)).await
    }
}

fn scope(filter: &InteractionFilter) -> Scope {
    Scope {
        user: filter.user_id.clone(),
        time: filter.time,
        few: filter.request_id.is_some() || filter.session_id.is_some(),
        ..Scope::default()
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &InteractionFilter) -> Predicate {
    let user = filter.user_id.as_ref().map(UserId::as_str);
    if filter.request_id.is_none() && filter.session_id.is_none() {
        return Predicate::of_org(org).text("t.user_id", user).time("t.created_at", filter.time);
    }
    let requests = Predicate::of_org(org)
        .text("t.id", filter.request_id.as_ref().map(RequestId::as_str))
        .text("t.session_id", filter.session_id.as_ref().map(SessionId::as_str));
    said_in(org, &requests).text("+t.user_id", user).time("+t.created_at", filter.time)
}

/// The interactions of some requests, in the order they were said.
pub(crate) fn of_requests(sql: &Connection, org: &OrgId, requests: &Predicate) -> Outcome<Vec<Interaction>> {
    select(sql, said_in(org, requests), "t.id", usize::MAX)
}

fn said_in(org: &OrgId, requests: &Predicate) -> Predicate {
    let keys = format!("t.request_key IN (SELECT t.key FROM requests t WHERE {})", requests.sql());
    Predicate::checking_org(org).and(&keys, requests.clone().into_values())
}

/// Stores one turn of a request; without an id it gets the next one.
pub(crate) fn insert(
    sql: &Connection,
    org: &OrgId,
    id: Option<InteractionId>,
    user: &UserId,
    request_key: i64,
    turn: &Turn,
) -> Outcome<i64> {
    let extra = Extra::of(turn);
    let extra = (extra != Extra::default()).then(|| serde_json::to_string(&extra)).transpose()?;
    let mut statement = sql.prepare_cached(
        "INSERT INTO interactions (id, org_id, user_id, request_key, created_at, role, content, image_id, extra)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let image = turn.image.as_ref().map(|image| image.id.as_str());
    let values = (
        id.map(|id| id.0),
        org.as_str(),
        user.as_str(),
        request_key,
        turn.created_at.0,
        &turn.role,
        &turn.content,
        image,
        extra,
    );
    Ok(statement.insert(values)?)
}

pub(crate) fn image(sql: &Connection, org: &OrgId, id: &ImageId) -> Outcome<Option<Image>> {
    let mut statement =
        sql.prepare_cached("SELECT media_type, bytes FROM images WHERE org_id = ? AND id = ?")?;
    let found = statement.query_row((org.as_str(), id.as_str()), |row| {
        Ok(Image { id: id.clone(), media_type: word(row, 0, MediaType::parse)?, bytes: row.get(1)? })
    });
    Ok(found.optional()?)
}

/// What has to be looked at after interactions were deleted.
#[derive(Default)]
struct Traces {
    count: u64,
    requests: BTreeSet<i64>,
    images: BTreeSet<String>,
}

fn delete_rows(tx: &mut Tx<'_>, org: &OrgId, which: Predicate) -> Outcome<Traces> {
    let text =
        format!("DELETE FROM interactions AS t WHERE {} RETURNING id, request_key, image_id", which.sql());
    let mut statement = tx.sql.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(which.into_values()))?;
    let mut traces = Traces::default();
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        ids.push(row.get(0)?);
        traces.count += 1;
        traces.requests.insert(row.get(1)?);
        traces.images.extend(row.get::<_, Option<String>>(2)?);
    }
    tx.forget(Index::Interactions, org, &ids)?;
    Ok(traces)
}

fn delete_with_empty_requests(tx: &mut Tx<'_>, org: &OrgId, which: Predicate) -> Outcome<u64> {
    let traces = delete_rows(tx, org, which)?;
    drop_unused_images(tx.sql, org, &traces.images)?;
    let keys = traces.requests.iter().map(|key| (*key).into()).collect();
    let shortened = Predicate::checking_org(org).within("t.key", keys);
    let empty =
        shortened.clone().and("NOT EXISTS (SELECT 1 FROM interactions i WHERE i.request_key = t.key)", []);
    evaluations::forget(tx.sql, org, &shortened)?;
    outcomes::forget(tx.sql, org, &empty)?;
    let text = format!("DELETE FROM requests AS t WHERE {}", empty.sql());
    tx.sql.prepare_cached(&text)?.execute(params_from_iter(empty.into_values()))?;
    Ok(traces.count)
}

fn delete_all(tx: &mut Tx<'_>, org: &OrgId, all: Predicate) -> Outcome<u64> {
    let traces = delete_rows(tx, org, all)?;
    for table in ["requests", "images", "session_outcomes", "evaluations", "learning_evaluations"] {
        tx.sql.execute(&format!("DELETE FROM {table} WHERE org_id = ?"), [org.as_str()])?;
    }
    Ok(traces.count)
}

/// How many interactions and images went.
pub(crate) fn delete_of_requests(tx: &mut Tx<'_>, org: &OrgId, requests: &Predicate) -> Outcome<(u64, u64)> {
    let traces = delete_rows(tx, org, said_in(org, requests))?;
    let images = drop_unused_images(tx.sql, org, &traces.images)?;
    Ok((traces.count, images))
}

fn drop_unused_images(sql: &Connection, org: &OrgId, candidates: &BTreeSet<String>) -> Outcome<u64> {
    let mut statement = sql.prepare_cached(
        "DELETE FROM images WHERE org_id = ?1 AND id = ?2
         AND NOT EXISTS (SELECT 1 FROM interactions WHERE org_id = ?1 AND image_id = ?2)",
    )?;
    let mut dropped = 0;
    for id in candidates {
        dropped += statement.execute([Value::Text(org.as_str().to_owned()), Value::Text(id.clone())])? as u64;
    }
    Ok(dropped)
}
