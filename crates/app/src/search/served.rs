use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reflexio_types::{LearningKind, OrgId, SessionId, Timestamp};

/// A session that asked nothing for so long has forgotten what it was given.
const KEPT_SECONDS: i64 = 12 * 3600;
/// The session that asked longest ago is forgotten first.
const MOST_SESSIONS: usize = 4096;

/// What was handed to which session, so that an agent that asks at every turn gets each row once. It is a courtesy
/// and not a record: a restart forgets it, and rows are served again.
#[derive(Debug, Default)]
pub(crate) struct Served(Mutex<HashMap<(OrgId, SessionId), Session>>);

#[derive(Debug)]
struct Session {
    last: Timestamp,
    rows: HashSet<Row>,
}

type Row = (LearningKind, String);

impl Served {
    /// Whether a session has this row.
    pub(crate) fn rows(&self, org: &OrgId, session: &SessionId, now: Timestamp) -> HashSet<Row> {
        let sessions = self.sessions();
        let known = sessions.get(&(org.clone(), session.clone()));
        known
            .filter(|session| session.last.0 + KEPT_SECONDS >= now.0)
            .map(|it| it.rows.clone())
            .unwrap_or_default()
    }

    pub(crate) fn add(
        &self,
        org: &OrgId,
        session: &SessionId,
        now: Timestamp,
        rows: impl Iterator<Item = Row>,
    ) {
        let mut sessions = self.sessions();
        if sessions.len() >= MOST_SESSIONS {
            sessions.retain(|_, session| session.last.0 + KEPT_SECONDS >= now.0);
        }
        if sessions.len() >= MOST_SESSIONS
            && let Some(oldest) =
                sessions.iter().min_by_key(|(_, session)| session.last).map(|(key, _)| key.clone())
        {
            sessions.remove(&oldest);
        }
        let new = || Session { last: now, rows: HashSet::new() };
        let session = sessions.entry((org.clone(), session.clone())).or_insert_with(new);
        if session.last.0 + KEPT_SECONDS < now.0 {
            session.rows.clear();
        }
        session.last = now;
        session.rows.extend(rows);
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<(OrgId, SessionId), Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
