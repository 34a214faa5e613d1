use reflexio_types::{LineageAction, OrgId, Status, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use crate::error::Result;
use crate::fts::Index;
use crate::lineage::{self, Event};
use crate::predicate::Predicate;
use crate::writer::Tx;

/// A table of learned rows: profiles and the two kinds of playbooks are deleted and upgraded alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) table: &'static str,
    /// The integer key, which the index shares.
    pub(crate) key: &'static str,
    /// The column with the user, or NULL.
    pub(crate) user: &'static str,
    /// What a lineage event calls such a row.
    pub(crate) subject: &'static str,
    pub(crate) index: Index,
}

pub(crate) const PROFILES: Kind =
    Kind { table: "profiles", key: "key", user: "user_id", subject: "profile", index: Index::Profiles };
pub(crate) const USER_PLAYBOOKS: Kind = Kind {
    table: "user_playbooks",
    key: "id",
    user: "user_id",
    subject: "user_playbook",
    index: Index::UserPlaybooks,
};
pub(crate) const AGENT_PLAYBOOKS: Kind = Kind {
    table: "agent_playbooks",
    key: "id",
    user: "NULL",
    subject: "agent_playbook",
    index: Index::AgentPlaybooks,
};

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [PROFILES, USER_PLAYBOOKS, AGENT_PLAYBOOKS];
}

/// A row that a statement changed.
struct Touched {
    key: i64,
    id: String,
    user: Option<String>,
}

impl Kind {
    /// Deletes rows with their index entries and notes it in their history.
    pub(crate) fn delete(self, tx: &mut Tx<'_>, org: &OrgId, which: Predicate, at: Timestamp) -> Result<u64> {
        let touched = self.delete_rows(tx, org, which)?;
        self.note(tx, org, &touched, LineageAction::Deleted, at)
    }

    /// Deletes rows with their index entries and their history.
    pub(crate) fn erase(self, tx: &mut Tx<'_>, org: &OrgId, which: Predicate) -> Result<u64> {
        Ok(self.delete_rows(tx, org, which)?.len() as u64)
    }

    pub(crate) fn keys(self, tx: &Tx<'_>, which: Predicate) -> Result<Vec<i64>> {
        let text = format!("SELECT t.{} FROM {} t WHERE {}", self.key, self.table, which.sql());
        let mut statement = tx.sql.prepare_cached(&text)?;
        let keys = statement.query_map(params_from_iter(which.into_values()), |row| row.get(0))?;
        Ok(keys.collect::<rusqlite::Result<_>>()?)
    }

    /// Gives rows another status and notes it in their history.
    pub(crate) fn move_to(
        self,
        tx: &mut Tx<'_>,
        org: &OrgId,
        which: Predicate,
        (status, action): (Status, LineageAction),
        at: Timestamp,
    ) -> Result<u64> {
        let start = format!("UPDATE {} AS t SET status = ?", self.table);
        let touched = self.change(tx, &start, Some(Value::Text(status.as_str().to_owned())), which)?;
        touched.iter().for_each(|row| tx.index.relabel(self.index, org, row.key));
        self.note(tx, org, &touched, action, at)
    }

    fn delete_rows(self, tx: &mut Tx<'_>, org: &OrgId, which: Predicate) -> Result<Vec<Touched>> {
        let start = format!("DELETE FROM {} AS t", self.table);
        let touched = self.change(tx, &start, None, which)?;
        let keys: Vec<i64> = touched.iter().map(|row| row.key).collect();
        tx.forget(self.index, org, &keys)?;
        Ok(touched)
    }

    fn change(
        self,
        tx: &Tx<'_>,
        start: &str,
        value: Option<Value>,
        which: Predicate,
    ) -> Result<Vec<Touched>> {
        let text =
            format!("{start} WHERE {} RETURNING {}, CAST(id AS TEXT), {}", which.sql(), self.key, self.user);
        let mut statement = tx.sql.prepare_cached(&text)?;
        let values = value.into_iter().chain(which.into_values());
        let rows = statement.query_map(params_from_iter(values), touched)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn note(
        self,
        tx: &Tx<'_>,
        org: &OrgId,
        touched: &[Touched],
        action: LineageAction,
        at: Timestamp,
    ) -> Result<u64> {
        for row in touched {
            let event = Event {
                subject: (self.subject, &row.id),
                action,
                user: row.user.as_deref(),
                request: None,
                actor: None,
                at,
            };
            lineage::record(tx.sql, org, &event)?;
        }
        Ok(touched.len() as u64)
    }
}

fn touched(row: &Row<'_>) -> rusqlite::Result<Touched> {
    Ok(Touched { key: row.get(0)?, id: row.get(1)?, user: row.get(2)? })
}
