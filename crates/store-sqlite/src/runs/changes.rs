//! What runs changed, as it is stored.

use reflexio_types::{
    AgentPlaybookId, LineageSubject, OrgId, ProfileId, RunAction, RunChange, UserId, UserPlaybookId,
};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use serde_json::{Map, Value};

use super::image::{self, Image};
use crate::error::Result;
use crate::learned::Kind;
use crate::rows::Stored;

/// One stored change.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) key: i64,
    pub(super) kind: Kind,
    pub(super) row_id: String,
    pub(super) user: Option<UserId>,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// None if there was no row.
    pub(super) digest_before: Option<Vec<u8>>,
    pub(super) digest_after: Option<Vec<u8>>,
}

impl Stored for Change {
    const FROM: &'static str = "run_changes t";
    const COLUMNS: &'static str = "t.key, t.row_kind, t.row_id, t.user_id, t.before, t.after, t.digest_before, \
                                   t.digest_after";
    const ORDER: &'static str = "t.key";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let word: String = row.get(1)?;
        let kind =
            Kind::ALL.into_iter().find(|kind| kind.subject == word).ok_or_else(|| unknown(1, &word))?;
        Ok(Self {
            key: row.get(0)?,
            kind,
            row_id: row.get(2)?,
            user: row.get::<_, Option<String>>(3)?.map(UserId::new),
            before: row.get(4)?,
            after: row.get(5)?,
            digest_before: row.get(6)?,
            digest_after: row.get(7)?,
        })
    }
}

impl Change {
    pub(super) fn action(&self) -> RunAction {
        match (&self.digest_before, &self.digest_after) {
            (None, _) => RunAction::Added,
            (Some(_), None) => RunAction::Deleted,
            (Some(_), Some(_)) => RunAction::Changed,
        }
    }

    pub(super) fn subject(&self) -> LineageSubject {
        subject(self.kind, &self.row_id)
    }

    /// As people see it. An added row is shown as long as it is as the run left it.
    pub(super) fn shown(&self, sql: &Connection, org: &OrgId) -> Result<RunChange> {
        let parsed = |text: &Option<String>| text.as_deref().map(image::parse).transpose();
        let after = match self.action() {
            RunAction::Added => image::read(sql, self.kind, org, &self.row_id)?
                .filter(|row| Some(&row.digest) == self.digest_after.as_ref())
                .map(|row| row.image),
            RunAction::Changed | RunAction::Deleted => parsed(&self.after)?,
        };
        Ok(RunChange {
            sequence: self.key,
            action: self.action(),
            row: self.subject(),
            user_id: self.user.clone(),
            before: parsed(&self.before)?.map(readable),
            after: after.map(readable),
        })
    }
}

pub(super) fn subject(kind: Kind, id: &str) -> LineageSubject {
    let number = id.parse().unwrap_or_default();
    match kind.subject {
        "profile" => LineageSubject::Profile(ProfileId::new(id)),
        "user_playbook" => LineageSubject::UserPlaybook(UserPlaybookId(number)),
        _ => LineageSubject::AgentPlaybook(AgentPlaybookId(number)),
    }
}

/// Without what is only of the database, and with the body as what it says.
fn readable(mut image: Image) -> Map<String, Value> {
    image.remove("key");
    image.remove("org_id");
    let body = image.get("body").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    if let Some(body) = body {
        image.insert("body".to_owned(), body);
    }
    image
}

fn unknown(column: usize, word: &str) -> rusqlite::Error {
    let message = format!("unknown kind of row `{word}`");
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, message.into())
}
