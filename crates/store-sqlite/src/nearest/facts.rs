use reflexio_types::{PlaybookStatus, Status};
use reflexio_vectors::Labels;
use rusqlite::{Connection, OptionalExtension, Row};

use super::names::Names;
use crate::error::Result;
use crate::fts::Index;
use crate::rows::word;

/// What filters look at, of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) org: String,
    user: Option<String>,
    version: Option<String>,
    name: Option<String>,
    source: Option<String>,
    status: u8,
    time: i64,
    tags: Vec<String>,
}

impl Facts {
    /// How many columns there are.
    pub(crate) const COLUMNS: usize = 9;

    /// The columns of [`Facts::from_row`] for the table as `t`.
    pub(crate) fn columns(index: Index) -> &'static str {
        match index {
            Index::Interactions => {
                "t.org_id, t.user_id, NULL, NULL, NULL, 'current', 'pending', t.created_at, NULL"
            }
            Index::Profiles => {
                "t.org_id, t.user_id, NULL, NULL, t.source, t.status, 'pending', t.last_modified, \
                 t.body -> '$.tags'"
            }
            Index::UserPlaybooks => {
                "t.org_id, t.user_id, t.agent_version, t.playbook_name, t.source, t.status, 'pending', \
                 t.created_at, t.body -> '$.tags'"
            }
            Index::AgentPlaybooks => {
                "t.org_id, NULL, t.agent_version, t.playbook_name, NULL, t.status, t.playbook_status, \
                 t.created_at, t.body -> '$.tags'"
            }
        }
    }

    /// Reads the columns from `first` on.
    pub(crate) fn from_row(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let status = word(row, first + 5, Status::parse)?;
        let approval = word(row, first + 6, PlaybookStatus::parse)?;
        let tags: Option<String> = row.get(first + 8)?;
        Ok(Self {
            org: row.get(first)?,
            user: row.get(first + 1)?,
            version: row.get(first + 2)?,
            name: row.get(first + 3)?,
            source: row.get(first + 4)?,
            status: status_of(status, approval),
            time: row.get(first + 7)?,
            tags: tags.and_then(|tags| serde_json::from_str(&tags).ok()).unwrap_or_default(),
        })
    }

    pub(crate) fn labels(&self, names: &Names) -> Labels {
        Labels {
            user: names.number_or_none(self.user.as_deref()),
            version: names.number_or_none(self.version.as_deref()),
            name: names.number_or_none(self.name.as_deref()),
            source: names.number_or_none(self.source.as_deref()),
            status: self.status,
            time: self.time,
            tags: self.tags.iter().map(|tag| names.number(tag)).collect(),
        }
    }
}

/// Both statuses of a row in one number; rows that nobody reviews count as pending.
pub(crate) fn status_of(status: Status, approval: PlaybookStatus) -> u8 {
    let place = |found: Option<usize>| found.and_then(|place| u8::try_from(place).ok()).unwrap_or_default();
    let status = place(Status::ALL.iter().position(|other| *other == status));
    let approval = place(PlaybookStatus::ALL.iter().position(|other| *other == approval));
    status * 8 + approval
}

/// The facts of a row, if it is there.
pub(crate) fn facts(sql: &Connection, index: Index, key: i64) -> Result<Option<Facts>> {
    let (table, column) = index.rows();
    let text = format!("SELECT {} FROM {table} t WHERE t.{column} = ?", Facts::columns(index));
    let mut statement = sql.prepare_cached(&text)?;
    Ok(statement.query_row([key], |row| Facts::from_row(row, 0)).optional()?)
}
