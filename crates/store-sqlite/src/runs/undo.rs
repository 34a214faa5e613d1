//! Whether a run can be undone, and undoing it.

use std::collections::HashSet;

use reflexio_store::{RunStart, Undone};
use reflexio_types::{
    BlockReason, BlockedRow, LineageAction, OrgId, Run, RunId, RunState, Timestamp, UndoPlan, UndoRefusal,
};
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use super::changes::Change;
use super::image::{self, Image, Row};
use super::{key_of, recorded, run_of};
use crate::error::Result;
use crate::fts::Entry;
use crate::learned::Kind;
use crate::lineage::{self, Event};
use crate::nearest;
use crate::predicate::Predicate;
use crate::rows::{Stored, select, word};
use crate::writer::Tx;

/// More rows that stand in the way are only counted.
const MOST_LISTED: usize = 100;

pub(super) fn plan(sql: &Connection, org: &OrgId, id: &RunId) -> Result<Option<UndoPlan>> {
    let Some(run) = run_of(sql, org, id)? else { return Ok(None) };
    if let Some(refusal) = refused_as_a_whole(sql, org, &run)? {
        return Ok(Some(UndoPlan { run, rows: 0, touches_approved: false, refusal: Some(refusal) }));
    }
    let look = look(sql, org, &changes_of(sql, org, id)?)?;
    Ok(Some(UndoPlan {
        run,
        rows: look.rows,
        touches_approved: look.touches_approved,
        refusal: look.refusal(),
    }))
}

pub(super) fn undo(
    tx: &mut Tx<'_>,
    org: &OrgId,
    id: &RunId,
    undo: &RunStart,
    at: Timestamp,
) -> Result<Undone> {
    let Some(plan) = plan(tx.sql, org, id)? else { return Ok(Undone::Unknown) };
    if let Some(refusal) = plan.refusal {
        return Ok(Undone::Refused(refusal));
    }
    let changes = changes_of(tx.sql, org, id)?;
    recorded(tx, org, undo, at, |tx| {
        changes.iter().rev().try_for_each(|change| take_back(tx, org, change))?;
        tell(tx.sql, org, &changes, undo.actor.as_deref(), at)
    })?;
    set_undoes(tx.sql, org, &undo.id, id)?;
    toggle(tx.sql, org, id, Some(&undo.id))?;
    Ok(run_of(tx.sql, org, &undo.id)?.map_or(Undone::Unknown, Undone::Done))
}

fn changes_of(sql: &Connection, org: &OrgId, id: &RunId) -> Result<Vec<Change>> {
    let Some(key) = key_of(sql, org, id)? else { return Ok(Vec::new()) };
    let of_run = Predicate::checking_org(org).number("t.run", Some(key));
    select(sql, of_run, Change::ORDER, usize::MAX)
}

fn refused_as_a_whole(sql: &Connection, org: &OrgId, run: &Run) -> Result<Option<UndoRefusal>> {
    if run.state == RunState::Undone {
        let by = run.undone_by.clone().unwrap_or_else(|| run.id.clone());
        return Ok(Some(UndoRefusal::AlreadyUndone(by)));
    }
    if let Some(loss) = run.loss {
        return Ok(Some(UndoRefusal::Lost(loss)));
    }
    let Some(job) = run.job else { return Ok(None) };
    let text = "SELECT 1 FROM jobs WHERE org_id = ? AND id = ? AND state IN ('queued', 'running')";
    let goes_on = sql.prepare_cached(text)?.query_row((org.as_str(), job.0), |_| Ok(())).optional()?;
    Ok(goes_on.map(|()| UndoRefusal::StillRunning(job)))
}

/// What an undo would meet.
#[derive(Default)]
struct Look {
    rows: u64,
    touches_approved: bool,
    blocked: Vec<BlockedRow>,
    blocked_in_all: u64,
}

impl Look {
    fn refusal(self) -> Option<UndoRefusal> {
        let (rows, total) = (self.blocked, self.blocked_in_all);
        (total > 0).then_some(UndoRefusal::RowsChanged { rows, total })
    }
}

/// Looks at each row once, from its last change back.
fn look(sql: &Connection, org: &OrgId, changes: &[Change]) -> Result<Look> {
    let mut look = Look::default();
    let mut chains = Chains::default();
    for change in changes {
        chains.add(change);
    }
    for chain in &chains.0 {
        let Some(last) = chain.last() else { continue };
        look.rows += 1;
        let row = image::read(sql, last.kind, org, &last.row_id)?;
        look.touches_approved |= row.iter().any(|row| is_approved(&row.image)) || were_approved(chain)?;
        if let Some(reason) = blocked(sql, org, chain, row.as_ref())? {
            look.blocked_in_all += 1;
            if look.blocked.len() < MOST_LISTED {
                look.blocked.push(BlockedRow { row: last.subject(), user_id: last.user.clone(), reason });
            }
        }
    }
    Ok(look)
}

/// The changes of each row, in their order; rows in the order of their first change.
#[derive(Default)]
struct Chains<'a>(Vec<Vec<&'a Change>>, std::collections::HashMap<(&'static str, &'a str), usize>);

impl<'a> Chains<'a> {
    fn add(&mut self, change: &'a Change) {
        let place = *self.1.entry((change.kind.table, &change.row_id)).or_insert_with(|| {
            self.0.push(Vec::new());
            self.0.len() - 1
        });
        if let Some(chain) = self.0.get_mut(place) {
            chain.push(change);
        }
    }
}

fn is_approved(image: &Image) -> bool {
    image.get("playbook_status").and_then(Value::as_str) == Some("approved")
}

fn were_approved(chain: &[&Change]) -> Result<bool> {
    let images = chain.iter().filter_map(|change| change.before.as_deref()).map(image::parse);
    Ok(images.collect::<Result<Vec<_>>>()?.iter().any(is_approved))
}

/// Why a row cannot be put back, if it cannot.
fn blocked(
    sql: &Connection,
    org: &OrgId,
    chain: &[&Change],
    row: Option<&Row>,
) -> Result<Option<BlockReason>> {
    let Some(last) = chain.last() else { return Ok(None) };
    let found = row.map(|row| row.digest.as_slice());
    if found != last.digest_after.as_deref() {
        return why(sql, org, last, found).map(Some);
    }
    // Somebody else changed it between two steps of the run.
    for pair in chain.windows(2) {
        if let [earlier, later] = pair
            && earlier.digest_after != later.digest_before
        {
            return Ok(Some(BlockReason::Changed { action: None, actor: None, at: None }));
        }
    }
    let forgotten = chain.iter().any(|change| change.digest_before.is_some() && change.before.is_none());
    Ok(forgotten.then_some(BlockReason::Forgotten))
}

/// What happened to a row since its last change by the run.
fn why(sql: &Connection, org: &OrgId, last: &Change, found: Option<&[u8]>) -> Result<BlockReason> {
    let text = "SELECT r.id FROM run_changes c JOIN runs r ON r.key = c.run
                WHERE c.org_id = ? AND c.row_kind = ? AND c.row_id = ? AND c.key > ? AND c.digest_after IS ?
                    AND r.state = 'done' ORDER BY c.key DESC LIMIT 1";
    let values = (org.as_str(), last.kind.subject, &last.row_id, last.key, found);
    let later = sql.prepare_cached(text)?.query_row(values, |row| row.get::<_, String>(0)).optional()?;
    if let Some(run) = later {
        return Ok(BlockReason::LaterRun(RunId::new(run)));
    }
    match (found, &last.digest_after) {
        (None, _) => Ok(BlockReason::Deleted),
        (Some(_), None) => Ok(BlockReason::StoredAgain),
        (Some(_), Some(_)) => last_event(sql, org, last),
    }
}

fn last_event(sql: &Connection, org: &OrgId, last: &Change) -> Result<BlockReason> {
    let text = "SELECT action, actor, created_at FROM lineage_events
                WHERE org_id = ? AND subject_kind = ? AND subject_id = ? ORDER BY id DESC LIMIT 1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(BlockReason::Changed {
            action: Some(word(row, 0, |text| serde_json::from_value(text.into()).ok())?),
            actor: row.get(1)?,
            at: Some(Timestamp(row.get(2)?)),
        })
    };
    let values = (org.as_str(), last.kind.subject, &last.row_id);
    let told = sql.prepare_cached(text)?.query_row(values, read).optional()?;
    Ok(told.unwrap_or(BlockReason::Changed { action: None, actor: None, at: None }))
}

/// Puts one row back as it was before one change.
fn take_back(tx: &mut Tx<'_>, org: &OrgId, change: &Change) -> Result<()> {
    let (kind, id) = (change.kind, change.row_id.as_str());
    let before = change.before.as_deref().map(image::parse).transpose()?;
    let row = image::read(tx.sql, kind, org, id)?;
    match (row, before) {
        (Some(row), None) => {
            let key = row.key(kind)?;
            image::delete(tx.sql, kind, org, id)?;
            tx.forget(kind.index, org, &[key])
        }
        (None, Some(whole)) => {
            image::insert(tx.sql, kind, &whole)?;
            index_text(tx, kind, org, &whole, image::key(kind, &whole)?)
        }
        (Some(row), Some(fields)) => {
            let key = row.key(kind)?;
            let text = nearest::text_of(tx.sql, kind.index, org, key)?;
            image::update(tx.sql, kind, org, id, &fields)?;
            tx.index.relabel(kind.index, org, key);
            if nearest::text_of(tx.sql, kind.index, org, key)? != text {
                index_text(tx, kind, org, &row.image, key)?;
            }
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

/// The text of the row is another one, or there again; it waits for a vector.
fn index_text(tx: &mut Tx<'_>, kind: Kind, org: &OrgId, image: &Image, key: i64) -> Result<()> {
    if let Some(text) = nearest::text_of(tx.sql, kind.index, org, key)? {
        tx.index.put(kind.index, key, Entry::new(org, image::user(image).as_ref(), &text));
    }
    Ok(())
}

/// Notes it in the history of each row, once.
fn tell(sql: &Connection, org: &OrgId, changes: &[Change], actor: Option<&str>, at: Timestamp) -> Result<()> {
    let mut told = HashSet::new();
    for change in changes {
        if told.insert((change.kind.subject, &change.row_id)) {
            let event = Event {
                subject: (change.kind.subject, &change.row_id),
                action: LineageAction::Undone,
                user: change.user.as_ref().map(|user| user.as_str()),
                request: None,
                actor,
                at,
            };
            lineage::record(sql, org, &event)?;
        }
    }
    Ok(())
}

fn set_undoes(sql: &Connection, org: &OrgId, undo: &RunId, undone: &RunId) -> Result<()> {
    let text = "UPDATE runs SET undoes = ? WHERE org_id = ? AND id = ?";
    sql.prepare_cached(text)?.execute((undone.as_str(), org.as_str(), undo.as_str()))?;
    Ok(())
}

/// What stood is undone and what was undone stands again; with an undo goes what it took back, the other way round.
fn toggle(sql: &Connection, org: &OrgId, id: &RunId, by: Option<&RunId>) -> Result<()> {
    let Some(run) = run_of(sql, org, id)? else { return Ok(()) };
    let (state, by) = match run.state {
        RunState::Done => (RunState::Undone, by.map(RunId::as_str)),
        RunState::Undone => (RunState::Done, None),
    };
    let text = "UPDATE runs SET state = ?, undone_by = ? WHERE org_id = ? AND id = ?";
    sql.prepare_cached(text)?.execute((state.as_str(), by, org.as_str(), id.as_str()))?;
    match &run.undoes {
        Some(undone) => toggle(sql, org, undone, Some(id)),
        None => Ok(()),
    }
}
