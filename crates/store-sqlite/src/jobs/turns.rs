//! Whose turn it is. Orgs take turns, and so do the users of an org, one job each, in the order of their names;
//! a few look-ups in the index of ready jobs find the next, however many jobs wait.
//!
//! Who arrives while a round is under way must not prolong it, or names that keep coming after each other would
//! keep the first ones waiting for ever. So a round of orgs goes once beyond the last name it began with, and a
//! round of users passes over jobs that arrived after it began: new users are many, new orgs are few.
//!
//! This lives in memory. After a restart a new round begins, which is fair as well.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};

use reflexio_types::{JobId, JobKind, OrgId};
use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;

pub(crate) const FIRST_ORG: &str =
    "SELECT org_id FROM jobs t WHERE place = 'ready' AND kind = ? AND org_id >= ? ORDER BY org_id LIMIT 1";
pub(crate) const NEXT_ORG: &str =
    "SELECT org_id FROM jobs t WHERE place = 'ready' AND kind = ? AND org_id > ? ORDER BY org_id LIMIT 1";
pub(crate) const LAST_ORG: &str =
    "SELECT org_id FROM jobs t WHERE place = 'ready' AND kind = ? ORDER BY org_id DESC LIMIT 1";
pub(crate) const FIRST_USER: &str = "SELECT ifnull(user_id, ''), id FROM jobs t
    WHERE place = 'ready' AND kind = ? AND org_id = ? AND ifnull(user_id, '') >= ?
    ORDER BY ifnull(user_id, ''), id LIMIT 1";
pub(crate) const NEXT_USER: &str = "SELECT ifnull(user_id, ''), id FROM jobs t
    WHERE place = 'ready' AND kind = ? AND org_id = ? AND ifnull(user_id, '') > ?
    ORDER BY ifnull(user_id, ''), id LIMIT 1";

pub(crate) type SharedTurns = Arc<Mutex<Turns>>;

#[derive(Default)]
pub(crate) struct Turns {
    /// How many turns there were, and which of them each kind had last.
    count: usize,
    had: HashMap<JobKind, usize>,
    rounds: HashMap<JobKind, OrgRound>,
}

/// The job whose turn it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) org: OrgId,
    pub(super) job: JobId,
}

#[derive(Default)]
struct OrgRound {
    /// Who had its turn last; nobody yet when the round begins.
    after: Option<String>,
    last: Option<String>,
    /// Newcomers with names after the last one had their turn.
    prolonged: bool,
    users: HashMap<String, UserRound>,
}

#[derive(Default)]
struct UserRound {
    after: Option<String>,
    newest_job: i64,
}

impl Turns {
    /// The kinds, beginning with the one whose last turn is longest ago. Kinds without jobs have no turns, so they
    /// change nothing for the others.
    pub(super) fn rotated(&self, kinds: &[JobKind]) -> VecDeque<JobKind> {
        let mut kinds: Vec<JobKind> = kinds.to_vec();
        kinds.sort_by_key(|kind| self.had.get(kind).copied().unwrap_or(0));
        kinds.into()
    }

    /// Passes the turn on; nothing when no job of this kind is ready, paused orgs aside.
    pub(super) fn next(
        &mut self,
        sql: &Connection,
        kind: JobKind,
        paused: &HashSet<OrgId>,
    ) -> Result<Option<Turn>> {
        let turn = self.rounds.entry(kind).or_default().next(sql, kind, paused)?;
        if turn.is_some() {
            self.count += 1;
            self.had.insert(kind, self.count);
        }
        Ok(turn)
    }
}

impl OrgRound {
    fn next(&mut self, sql: &Connection, kind: JobKind, paused: &HashSet<OrgId>) -> Result<Option<Turn>> {
        let mut began = 0;
        loop {
            let Some(name) = self.next_name(sql, kind)? else {
                if self.prolong(sql, kind)? {
                    continue;
                }
                // The rest of one round and the whole of another: that was everybody.
                if began == 2 || !self.begin(sql, kind)? {
                    return Ok(None);
                }
                began += 1;
                continue;
            };
            let org = OrgId::new(name.clone());
            self.after = Some(name.clone());
            if paused.contains(&org) {
                continue;
            }
            if let Some(job) = self.users.entry(name).or_default().next(sql, kind, &org)? {
                return Ok(Some(Turn { org, job }));
            }
        }
    }

    fn next_name(&self, sql: &Connection, kind: JobKind) -> Result<Option<String>> {
        let Some(last) = &self.last else { return Ok(None) };
        let text = if self.after.is_none() { FIRST_ORG } else { NEXT_ORG };
        let values = (kind.as_str(), self.after.as_deref().unwrap_or_default());
        let found: Option<String> =
            sql.prepare_cached(text)?.query_row(values, |row| row.get(0)).optional()?;
        Ok(found.filter(|name| name <= last))
    }

    /// Says whether somebody came after the last one, once in a round.
    fn prolong(&mut self, sql: &Connection, kind: JobKind) -> Result<bool> {
        if self.prolonged || self.last.is_none() {
            return Ok(false);
        }
        self.prolonged = true;
        let last = last_org(sql, kind)?;
        let more = last > self.last;
        self.last = last.max(self.last.take());
        Ok(more)
    }

    /// Says whether there is anybody.
    fn begin(&mut self, sql: &Connection, kind: JobKind) -> Result<bool> {
        self.after = None;
        self.last = last_org(sql, kind)?;
        self.prolonged = false;
        Ok(self.last.is_some())
    }
}

impl UserRound {
    fn next(&mut self, sql: &Connection, kind: JobKind, org: &OrgId) -> Result<Option<JobId>> {
        let mut began = false;
        loop {
            match self.next_job(sql, kind, org)? {
                Some((user, job)) => {
                    self.after = Some(user);
                    if job <= self.newest_job {
                        return Ok(Some(JobId(job)));
                    }
                }
                None if began => return Ok(None),
                None => {
                    began = true;
                    self.after = None;
                    self.newest_job = newest_job(sql)?;
                }
            }
        }
    }

    /// The oldest ready job of the next user. Jobs without a user share a turn.
    fn next_job(&self, sql: &Connection, kind: JobKind, org: &OrgId) -> Result<Option<(String, i64)>> {
        let text = if self.after.is_none() { FIRST_USER } else { NEXT_USER };
        let values = (kind.as_str(), org.as_str(), self.after.as_deref().unwrap_or_default());
        let found = sql.prepare_cached(text)?.query_row(values, |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(found.optional()?)
    }
}

fn last_org(sql: &Connection, kind: JobKind) -> Result<Option<String>> {
    Ok(sql.prepare_cached(LAST_ORG)?.query_row([kind.as_str()], |row| row.get(0)).optional()?)
}

fn newest_job(sql: &Connection) -> Result<i64> {
    let newest: Option<i64> =
        sql.prepare_cached("SELECT max(id) FROM jobs")?.query_row([], |row| row.get(0))?;
    Ok(newest.unwrap_or(0))
}
