//! Which rules agents got for their prompts: one row for each retrieval, and one for each rule in it.

mod sessions;

use async_trait::async_trait;
use reflexio_store::{
    InjectionFilter, Injections, JudgedSessions, Peers, Result, RuleRef, RuleUses, WordingUse,
};
use reflexio_types::{
    Injection, InjectionId, InjectionRoute, OrgId, RequestId, SessionId, Timestamp, UserId,
};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, ToSql};

#[cfg(test)]
pub(crate) use sessions::{JUDGED, TOLD};

use crate::SqliteStore;
use crate::error::Result as Outcome;
use crate::predicate::Predicate;
use crate::rows::{Stored, as_limit, json, select, word};

const USES: &str = "SELECT r.wording, count(*), count(DISTINCT i.session_id), min(i.at), max(i.at)
     FROM injected_rules r JOIN injections i ON i.id = r.injection
     WHERE r.org_id = ? AND r.kind = ? AND r.rule_id = ? GROUP BY r.wording ORDER BY min(i.at), r.wording";
const SESSIONS: &str =
    "SELECT count(DISTINCT i.session_id) FROM injected_rules r JOIN injections i ON i.id = r.injection
     WHERE r.org_id = ? AND r.kind = ? AND r.rule_id = ?";
pub(crate) const FORGET: &str =
    "DELETE FROM injections WHERE id IN (SELECT id FROM injections t WHERE at < ? ORDER BY at LIMIT ?)";
/// What names the user, and what names nobody in a session of theirs.
pub(crate) const ERASE: [&str; 2] = [
    "DELETE FROM injections AS t WHERE org_id = ?1 AND user_id = ?2",
    "DELETE FROM injections AS t WHERE org_id = ?1 AND user_id IS NULL AND session_id IN
         (SELECT session_id FROM requests r WHERE r.org_id = ?1 AND r.user_id = ?2)",
];

impl Stored for Injection {
    const FROM: &'static str = "injections t";
    const COLUMNS: &'static str = "t.id, t.at, t.route, t.session_id, t.user_id, t.agent_version, t.request_id, t.block, \
         (SELECT json_group_array(json_object('kind', r.kind, 'id', r.rule_id, 'wording', r.wording)) \
          FROM injected_rules r WHERE r.injection = t.id)";
    const ORDER: &'static str = "t.at DESC, t.id DESC";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |column| row.get::<_, Option<String>>(column);
        let mut injection = Self {
            id: InjectionId(row.get(0)?),
            at: Timestamp(row.get(1)?),
            route: word(row, 2, InjectionRoute::parse)?,
            session_id: text(3)?.map(SessionId::new),
            user_id: text(4)?.map(UserId::new),
            agent_version: text(5)?,
            request_id: text(6)?.map(RequestId::new),
            block: text(7)?,
            rules: json(row, 8)?,
        };
        injection.rules.sort();
        Ok(injection)
    }
}

#[async_trait]
impl Injections for SqliteStore {
    async fn record_injections(&self, org: &OrgId, injections: Vec<Injection>) -> Result<Vec<InjectionId>> {
        let org = org.clone();
        self.writer
            .write(move |tx| {
                injections.iter().map(|injection| insert(tx.sql, &org, None, injection)).collect()
            })
            .await
    }

    async fn injections(
        &self,
        org: &OrgId,
        filter: &InjectionFilter,
        limit: usize,
    ) -> Result<Vec<Injection>> {
        let which = filtered(org, filter);
        self.readers.read(move |sql| select(sql, which, Injection::ORDER, limit)).await
    }

    async fn rule_uses(&self, org: &OrgId, rule: &RuleRef) -> Result<RuleUses> {
        let (org, rule) = (org.clone(), rule.clone());
        self.readers.read(move |sql| uses(sql, &org, &rule)).await
    }

    async fn judged_sessions(
        &self,
        org: &OrgId,
        rule: &RuleRef,
        since: Timestamp,
        peers: Peers,
        limit: usize,
    ) -> Result<JudgedSessions> {
        let (org, rule) = (org.clone(), rule.clone());
        self.readers.read(move |sql| sessions::judged(sql, &org, &rule, since, peers, limit)).await
    }

    async fn forget_injections(&self, before: Timestamp, limit: usize) -> Result<u64> {
        self.writer
            .write(move |tx| Ok(tx.sql.prepare_cached(FORGET)?.execute((before.0, as_limit(limit)))? as u64))
            .await
    }
}

pub(crate) fn filtered(org: &OrgId, filter: &InjectionFilter) -> Predicate {
    // A rule or a session has few of them, whatever else is asked for.
    let few = filter.rule.is_some() || filter.session_id.is_some();
    let mut which = if filter.rule.is_some() { Predicate::checking_org(org) } else { Predicate::of_org(org) };
    if let Some(rule) = &filter.rule {
        let values = [org.as_str(), rule.kind.as_str(), &rule.id].map(|text| Value::Text(text.to_owned()));
        which = which.and(
            "t.id IN (SELECT injection FROM injected_rules WHERE org_id = ? AND kind = ? AND rule_id = ?)",
            values,
        );
    }
    which
        .text("t.session_id", filter.session_id.as_ref().map(SessionId::as_str))
        .text(if few { "+t.user_id" } else { "t.user_id" }, filter.user_id.as_ref().map(UserId::as_str))
        .time("t.at", filter.time)
}

pub(crate) fn insert(
    sql: &Connection,
    org: &OrgId,
    id: Option<InjectionId>,
    injection: &Injection,
) -> Outcome<InjectionId> {
    let mut statement = sql.prepare_cached(
        "INSERT INTO injections (id, org_id, at, route, session_id, user_id, agent_version, request_id, block)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let values: [&dyn ToSql; 9] = [
        &id.map(|id| id.0),
        &org.as_str(),
        &injection.at.0,
        &injection.route.as_str(),
        &injection.session_id.as_ref().map(SessionId::as_str),
        &injection.user_id.as_ref().map(UserId::as_str),
        &injection.agent_version,
        &injection.request_id.as_ref().map(RequestId::as_str),
        &injection.block,
    ];
    statement.execute(values.as_slice())?;
    let id = sql.last_insert_rowid();
    let mut statement = sql.prepare_cached(
        "INSERT INTO injected_rules (org_id, kind, rule_id, injection, wording) VALUES (?, ?, ?, ?, ?)",
    )?;
    for rule in &injection.rules {
        statement.execute((org.as_str(), rule.kind.as_str(), &rule.id, id, &rule.wording))?;
    }
    Ok(InjectionId(id))
}

/// Must be called while the requests of the user are still there: they tell which sessions are theirs.
pub(crate) fn erase_user(sql: &Connection, org: &OrgId, user: &UserId) -> Outcome<u64> {
    let mut erased = 0;
    for statement in ERASE {
        erased += sql.prepare_cached(statement)?.execute((org.as_str(), user.as_str()))? as u64;
    }
    Ok(erased)
}

fn uses(sql: &Connection, org: &OrgId, rule: &RuleRef) -> Outcome<RuleUses> {
    let values = (org.as_str(), rule.kind.as_str(), rule.id.as_str());
    let sessions: i64 = sql.prepare_cached(SESSIONS)?.query_row(values, |row| row.get(0))?;
    let mut statement = sql.prepare_cached(USES)?;
    let count = |row: &Row<'_>, column| row.get::<_, i64>(column).map(i64::unsigned_abs);
    let rows = statement.query_map(values, |row| {
        Ok(WordingUse {
            wording: row.get(0)?,
            retrievals: count(row, 1)?,
            sessions: count(row, 2)?,
            first: Timestamp(row.get(3)?),
            last: Timestamp(row.get(4)?),
        })
    })?;
    let wordings = rows.collect::<rusqlite::Result<_>>()?;
    Ok(RuleUses { sessions: sessions.unsigned_abs(), wordings })
}
