use std::collections::HashMap;

use reflexio_store::{JudgedSession, JudgedSessions, Peers, RuleRef, SessionWord};
use reflexio_types::{OrgId, Timestamp};
use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::rows::as_limit;

/// Clocks of callers may be wrong by so much: an outcome may be dated before the session it belongs to.
const CLOCK_SKEW: i64 = 300;

pub(crate) const GOT: &str = "SELECT i.session_id, i.user_id, r.wording FROM injected_rules r
     JOIN injections i ON i.id = r.injection
     WHERE r.org_id = ? AND r.kind = ? AND r.rule_id = ? AND i.session_id IS NOT NULL";

/// Sessions that somebody told the outcome of. What was told to be unknown is left to the judge.
pub(crate) const TOLD: &str = "SELECT t.user_id, t.session_id, t.outcome = 'success', {session}
     FROM session_outcomes t WHERE t.org_id = ?1 AND t.occurred_at >= ?2 AND t.outcome <> 'unknown'
     ORDER BY t.occurred_at DESC LIMIT ?3";

/// Sessions that were judged, by the latest judgement, unless somebody told better.
pub(crate) const JUDGED: &str =
    "SELECT t.user_id, t.session_id, t.body ->> '$.verdict.failure' IS NULL, {session}
     FROM evaluations t WHERE t.org_id = ?1 AND t.created_at >= ?2
     AND NOT EXISTS (SELECT 1 FROM evaluations l WHERE l.org_id = t.org_id AND l.user_id = t.user_id
         AND l.session_id = t.session_id AND l.id > t.id)
     AND NOT EXISTS (SELECT 1 FROM session_outcomes o WHERE o.org_id = t.org_id AND o.user_id = t.user_id
         AND o.session_id = t.session_id AND o.outcome <> 'unknown')
     ORDER BY t.created_at DESC LIMIT ?3";

/// When the session began, with which version of the agent, and whether rules were retrieved for it.
const SESSION: &str = "(SELECT min(r.created_at) FROM requests r
         WHERE r.org_id = t.org_id AND r.session_id = t.session_id AND r.user_id = t.user_id),
     (SELECT r.agent_version FROM requests r WHERE r.org_id = t.org_id AND r.session_id = t.session_id
         AND r.user_id = t.user_id ORDER BY r.created_at, r.key LIMIT 1),
     EXISTS (SELECT 1 FROM injections i WHERE i.org_id = t.org_id AND i.session_id = t.session_id
         AND (i.user_id = t.user_id OR i.user_id IS NULL))";

pub(crate) fn with_session(statement: &str) -> String {
    statement.replace("{session}", SESSION)
}

/// Sessions that got the rule: by name, who (if that was said) and in which words.
type Got = HashMap<String, Vec<(Option<String>, String)>>;

pub(super) fn judged(
    sql: &Connection,
    org: &OrgId,
    rule: &RuleRef,
    since: Timestamp,
    peers: Peers,
    limit: usize,
) -> Result<JudgedSessions> {
    let got = got(sql, org, rule)?;
    let mut found = JudgedSessions::default();
    let told = (TOLD, since.0.saturating_sub(CLOCK_SKEW), SessionWord::Outcome);
    let judged = (JUDGED, since.0, SessionWord::Evaluation);
    for (statement, since, word) in [told, judged] {
        let text = with_session(statement);
        let mut statement = sql.prepare_cached(&text)?;
        let mut rows = statement.query((org.as_str(), since, as_limit(limit)))?;
        let mut read = 0;
        while let Some(row) = rows.next()? {
            read += 1;
            found.sessions.extend(session(row, &got, word, peers)?);
        }
        found.cut |= read >= limit;
    }
    Ok(found)
}

fn got(sql: &Connection, org: &OrgId, rule: &RuleRef) -> Result<Got> {
    let mut got = Got::new();
    let mut statement = sql.prepare_cached(GOT)?;
    let mut rows = statement.query((org.as_str(), rule.kind.as_str(), &rule.id))?;
    while let Some(row) = rows.next()? {
        let of_session = got.entry(row.get(0)?).or_default();
        let one = (row.get(1)?, row.get(2)?);
        if !of_session.contains(&one) {
            of_session.push(one);
        }
    }
    Ok(got)
}

/// Nothing for a session that is neither with the rule nor a peer of those that are.
fn session(
    row: &Row<'_>,
    got: &Got,
    word: SessionWord,
    peers: Peers,
) -> rusqlite::Result<Option<JudgedSession>> {
    let user: String = row.get(0)?;
    let mut wordings: Vec<String> = match got.get(row.get_ref(1)?.as_str()?) {
        Some(uses) => {
            let theirs = uses.iter().filter(|(who, _)| who.as_ref().is_none_or(|who| *who == user));
            theirs.map(|(_, wording)| wording.clone()).collect()
        }
        None => Vec::new(),
    };
    wordings.sort_unstable();
    wordings.dedup();
    let (began, version): (Option<i64>, Option<String>) = (row.get(3)?, row.get(4)?);
    let retrieved: bool = row.get(5)?;
    let (Some(began), Some(agent_version)) = (began, version) else { return Ok(None) };
    if wordings.is_empty() && peers == Peers::WithRules && !retrieved {
        return Ok(None);
    }
    Ok(Some(JudgedSession { began: Timestamp(began), agent_version, success: row.get(2)?, word, wordings }))
}
