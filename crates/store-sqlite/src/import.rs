use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reflexio_store::{Error, Record, StoredConfig};
use reflexio_types::{
    AgentPlaybook, AgentPlaybookRevision, Evaluation, Image, ImageId, Interaction, LearningEvaluation,
    MediaType, OrgId, Profile, Request, SessionId, SessionOutcome, ShadowComparison, Timestamp, UserId,
    UserPlaybook,
};
use rusqlite::{Connection, OptionalExtension};

use crate::error::{Fault, Result};
use crate::fts::{Entry, Index};
use crate::predicate::Predicate;
use crate::rows::{Stored, find};
use crate::writer::Tx;
use crate::{
    agent_playbook_revisions, agent_playbooks, configs, evaluations, interactions, outcomes, profiles,
    requests, shadow_comparisons, user_playbooks,
};

/// Ids grow from the largest one stored, so a huge one would leave no room for others.
const LARGEST_ID: i64 = 1 << 53;

/// Stores a record under its own id; says whether it was new.
pub(crate) fn import(tx: &mut Tx<'_>, org: &OrgId, record: Record, entry: Entry) -> Result<bool> {
    match record {
        Record::Image { id, media_type, bytes } => image(tx.sql, org, id, media_type, &bytes),
        Record::Request(row) => request(tx.sql, org, &row),
        Record::Interaction(row) => interaction(tx, org, &row, entry),
        Record::Profile(row) => profile(tx, org, &row, entry),
        Record::UserPlaybook(row) => user_playbook(tx, org, &row, entry),
        Record::AgentPlaybook(row) => agent_playbook(tx, org, &row, entry),
        Record::AgentPlaybookRevision(row) => agent_playbook_revision(tx.sql, org, &row),
        Record::SessionOutcome(row) => session_outcome(tx.sql, org, &row),
        Record::Evaluation(row) => evaluation(tx.sql, org, &row),
        Record::LearningEvaluation(row) => learning_evaluation(tx.sql, org, &row),
        Record::ShadowComparison(row) => shadow_comparison(tx.sql, org, &row),
        Record::Config { body } => config(tx.sql, org, body),
    }
}

fn image(sql: &Connection, org: &OrgId, id: ImageId, media_type: MediaType, text: &str) -> Result<bool> {
    let bytes = STANDARD.decode(text).map_err(|_| unusable(format!("image `{id}` is not base64")))?;
    let new = Image { id, media_type, bytes };
    match interactions::image(sql, org, &new.id)? {
        None => requests::insert_image(sql, org, &new),
        Some(old) if old == new => Ok(false),
        Some(_) => Err(Fault::duplicate("image", &new.id)),
    }
}

fn request(sql: &Connection, org: &OrgId, row: &Request) -> Result<bool> {
    if is_stored(sql, org, "request_id", row.id.as_str(), row)? {
        return Ok(false);
    }
    Ok(requests::insert(sql, org, row)?.is_some())
}

fn interaction(tx: &mut Tx<'_>, org: &OrgId, row: &Interaction, entry: Entry) -> Result<bool> {
    if is_stored_under(tx.sql, org, "interactions", "interaction_id", row.id.0, row)? {
        return Ok(false);
    }
    let key = key_of_request(tx.sql, org, row)?;
    interactions::insert(tx.sql, org, Some(row.id), &row.user_id, key, &row.turn)?;
    tx.index.put(Index::Interactions, row.id.0, entry);
    Ok(true)
}

/// An interaction says again what its request says; the two must agree.
fn key_of_request(sql: &Connection, org: &OrgId, row: &Interaction) -> Result<i64> {
    let text = "SELECT key, user_id = ? AND session_id = ? FROM requests WHERE org_id = ? AND id = ?";
    let values = (row.user_id.as_str(), row.session_id.as_str(), org.as_str(), row.request_id.as_str());
    let found =
        sql.prepare_cached(text)?.query_row(values, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    match found {
        Some((key, true)) => Ok(key),
        Some((_, false)) => Err(Fault::duplicate("request_id", &row.request_id)),
        None => Err(unusable(format!(
            "interaction {} belongs to request `{}`, which is not there",
            row.id, row.request_id
        ))),
    }
}

fn profile(tx: &mut Tx<'_>, org: &OrgId, row: &Profile, entry: Entry) -> Result<bool> {
    if is_stored(tx.sql, org, "profile_id", row.id.as_str(), row)? {
        return Ok(false);
    }
    let Some(key) = profiles::insert(tx.sql, org, row)? else { return Ok(false) };
    tx.index.put(Index::Profiles, key, entry);
    Ok(true)
}

fn user_playbook(tx: &mut Tx<'_>, org: &OrgId, row: &UserPlaybook, entry: Entry) -> Result<bool> {
    if is_stored_under(tx.sql, org, "user_playbooks", "user_playbook_id", row.id.0, row)? {
        return Ok(false);
    }
    user_playbooks::insert(tx.sql, org, Some(row.id), row)?;
    tx.index.put(Index::UserPlaybooks, row.id.0, entry);
    Ok(true)
}

fn agent_playbook(tx: &mut Tx<'_>, org: &OrgId, row: &AgentPlaybook, entry: Entry) -> Result<bool> {
    if is_stored_under(tx.sql, org, "agent_playbooks", "agent_playbook_id", row.id.0, row)? {
        return Ok(false);
    }
    agent_playbooks::insert(tx.sql, org, Some(row.id), row)?;
    tx.index.put(Index::AgentPlaybooks, row.id.0, entry);
    Ok(true)
}

fn agent_playbook_revision(sql: &Connection, org: &OrgId, row: &AgentPlaybookRevision) -> Result<bool> {
    let what = "agent_playbook_revision_id";
    if is_stored_under(sql, org, "agent_playbook_revisions", what, row.id.0, row)? {
        return Ok(false);
    }
    let of_rule = Predicate::of_org(org).number("t.id", Some(row.agent_playbook_id.0));
    if find::<AgentPlaybook>(sql, of_rule)?.is_none() {
        let (revision, rule) = (row.id, row.agent_playbook_id);
        return Err(unusable(format!(
            "revision {revision} belongs to agent playbook {rule}, which is not there"
        )));
    }
    agent_playbook_revisions::insert(sql, org, Some(row.id), row.agent_playbook_id, &row.event)?;
    Ok(true)
}

fn session_outcome(sql: &Connection, org: &OrgId, row: &SessionOutcome) -> Result<bool> {
    match find::<SessionOutcome>(sql, outcomes::of_session(org, &row.user_id, &row.session_id))? {
        Some(stored) if stored == *row => return Ok(false),
        Some(_) => return Err(Fault::duplicate("the outcome of session", &row.session_id)),
        None => {}
    }
    needs_session(sql, org, "the outcome", &row.user_id, &row.session_id)?;
    outcomes::insert(sql, org, row).map(|()| true)
}

fn evaluation(sql: &Connection, org: &OrgId, row: &Evaluation) -> Result<bool> {
    if is_stored_under(sql, org, "evaluations", "evaluation", row.id.0, row)? {
        return Ok(false);
    }
    let of_session = outcomes::of_session(org, &row.user_id, &row.session_id);
    if find::<Evaluation>(sql, of_session.text("t.agent_version", Some(&row.agent_version)))?.is_some() {
        return Err(Fault::duplicate("the evaluation of session", &row.session_id));
    }
    let text = "SELECT 1 FROM interactions WHERE id = ? AND +org_id = ? AND user_id = ?";
    let values = (row.covered.0, org.as_str(), row.user_id.as_str());
    if sql.prepare_cached(text)?.query_row(values, |_| Ok(())).optional()?.is_none() {
        return Err(unusable(format!(
            "evaluation {} judges interaction {}, which is not there",
            row.id, row.covered
        )));
    }
    evaluations::insert(sql, org, Some(row.id), row).map(|_| true)
}

fn learning_evaluation(sql: &Connection, org: &OrgId, row: &LearningEvaluation) -> Result<bool> {
    if is_stored_under(sql, org, "learning_evaluations", "learning evaluation", row.id.0, row)? {
        return Ok(false);
    }
    needs_session(sql, org, "the evaluation of a learning", &row.user_id, &row.session_id)?;
    evaluations::insert_learning(sql, org, Some(row.id), row).map(|()| true)
}

fn needs_session(
    sql: &Connection,
    org: &OrgId,
    what: &str,
    user: &UserId,
    session: &SessionId,
) -> Result<()> {
    let text = "SELECT 1 FROM requests WHERE org_id = ? AND session_id = ? AND user_id = ? LIMIT 1";
    let values = (org.as_str(), session.as_str(), user.as_str());
    match sql.prepare_cached(text)?.query_row(values, |_| Ok(())).optional()? {
        Some(()) => Ok(()),
        None => Err(unusable(format!("{what} belongs to session `{session}`, which is not there"))),
    }
}

fn shadow_comparison(sql: &Connection, org: &OrgId, row: &ShadowComparison) -> Result<bool> {
    let what = "shadow_comparison_id";
    if is_stored_under(sql, org, "shadow_comparisons", what, row.id.0, row)? {
        return Ok(false);
    }
    let of_turn = Predicate::of_org(org).number("t.interaction_id", Some(row.interaction_id.0));
    if find::<ShadowComparison>(sql, of_turn)?.is_some() {
        return Err(Fault::duplicate("shadow comparison of interaction", &row.interaction_id));
    }
    if shadow_comparisons::put(sql, org, Some(row.id), row)? {
        return Ok(true);
    }
    Err(unusable(format!(
        "shadow comparison {} belongs to interaction {}, which is not there",
        row.id, row.interaction_id
    )))
}

fn config(sql: &Connection, org: &OrgId, body: String) -> Result<bool> {
    match configs::config(sql, org)? {
        Some(stored) if stored.body == body => Ok(false),
        Some(_) => Err(Fault::duplicate("configuration", org)),
        None => {
            let first = StoredConfig { version: 1, body, secrets: Vec::new() };
            configs::put(sql, org, &first, Timestamp(0))?;
            Ok(true)
        }
    }
}

/// Whether this very row is stored; another one under its id is an error.
fn is_stored<R: Stored + PartialEq>(
    sql: &Connection,
    org: &OrgId,
    what: &'static str,
    id: &str,
    row: &R,
) -> Result<bool> {
    match find::<R>(sql, Predicate::of_org(org).text("t.id", Some(id)))? {
        None => Ok(false),
        Some(stored) if stored == *row => Ok(true),
        Some(_) => Err(Fault::duplicate(what, &id)),
    }
}

/// As above for numbers, which all orgs share.
fn is_stored_under<R: Stored + PartialEq>(
    sql: &Connection,
    org: &OrgId,
    table: &str,
    what: &'static str,
    id: i64,
    row: &R,
) -> Result<bool> {
    if !(1..=LARGEST_ID).contains(&id) {
        return Err(unusable(format!("{what} {id} is out of range")));
    }
    let text = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE id = ?)");
    let taken: bool = sql.prepare_cached(&text)?.query_row([id], |row| row.get(0))?;
    match find::<R>(sql, Predicate::of_org(org).number("t.id", Some(id)))? {
        None if !taken => Ok(false),
        Some(stored) if stored == *row => Ok(true),
        Some(_) | None => Err(Fault::duplicate(what, &id)),
    }
}

fn unusable(text: String) -> Fault {
    Fault::Store(Error::Corrupt(text))
}
