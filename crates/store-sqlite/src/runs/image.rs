//! A row as its columns: what is kept of it, and a digest that tells whether it is still the same.

use reflexio_types::{OrgId, UserId};
use rusqlite::functions::Context;
use rusqlite::types::{Value as Stored, ValueRef};
use rusqlite::{Connection, Error, params_from_iter};
use serde_json::{Map, Value};

use crate::error::{Fault, Result};
use crate::learned::Kind;

/// The columns of a row, or some of them.
pub(super) type Image = Map<String, Value>;

/// So many bytes tell rows apart.
const DIGEST_BYTES: usize = 16;

/// A row as it is stored.
pub(super) struct Row {
    pub(super) image: Image,
    pub(super) digest: Vec<u8>,
}

impl Row {
    pub(super) fn key(&self, kind: Kind) -> Result<i64> {
        key(kind, &self.image)
    }
}

/// The row of this id as it is now.
pub(super) fn read(sql: &Connection, kind: Kind, org: &OrgId, id: &str) -> Result<Option<Row>> {
    let text = format!("SELECT * FROM {} WHERE org_id = ? AND id = ?", kind.table);
    let mut statement = sql.prepare_cached(&text)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query((org.as_str(), id))?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut image = Image::new();
    let mut digest = Digest::default();
    for (at, name) in names.iter().enumerate() {
        let value = row.get_ref(at)?;
        digest.add(name.as_bytes(), value);
        image.insert(name.clone(), as_json(value)?);
    }
    Ok(Some(Row { image, digest: digest.end() }))
}

/// The integer key of a row, which its index entries share.
pub(super) fn key(kind: Kind, image: &Image) -> Result<i64> {
    image.get(kind.key).and_then(Value::as_i64).ok_or_else(|| unreadable("it has no key"))
}

pub(super) fn user(image: &Image) -> Option<UserId> {
    image.get("user_id").and_then(Value::as_str).map(UserId::from)
}

pub(super) fn parse(text: &str) -> Result<Image> {
    Ok(serde_json::from_str(text)?)
}

pub(super) fn insert(sql: &Connection, kind: Kind, image: &Image) -> Result<()> {
    let names: Vec<&str> = image.keys().map(String::as_str).collect();
    let marks = vec!["?"; names.len()].join(", ");
    let text = format!("INSERT INTO {} ({}) VALUES ({marks})", kind.table, names.join(", "));
    let values = image.values().map(as_stored).collect::<Result<Vec<_>>>()?;
    sql.prepare_cached(&text)?.execute(params_from_iter(values))?;
    Ok(())
}

/// Gives some columns of a row other values.
pub(super) fn update(sql: &Connection, kind: Kind, org: &OrgId, id: &str, fields: &Image) -> Result<()> {
    let set: Vec<String> = fields.keys().map(|name| format!("{name} = ?")).collect();
    let text = format!("UPDATE {} SET {} WHERE org_id = ? AND id = ?", kind.table, set.join(", "));
    let mut values = fields.values().map(as_stored).collect::<Result<Vec<_>>>()?;
    values.extend([org.as_str(), id].map(|text| Stored::Text(text.to_owned())));
    sql.prepare_cached(&text)?.execute(params_from_iter(values))?;
    Ok(())
}

pub(super) fn delete(sql: &Connection, kind: Kind, org: &OrgId, id: &str) -> Result<()> {
    let text = format!("DELETE FROM {} WHERE org_id = ? AND id = ?", kind.table);
    sql.prepare_cached(&text)?.execute((org.as_str(), id))?;
    Ok(())
}

/// Of names and values in turn.
#[derive(Default)]
struct Digest(blake3::Hasher);

impl Digest {
    /// Columns without a value do not count, so that a row is the same after a column was added to its table.
    fn add(&mut self, name: &[u8], value: ValueRef<'_>) {
        let (tag, bytes): (u8, Vec<u8>) = match value {
            ValueRef::Null => return,
            ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
            ValueRef::Real(number) => (2, number.to_le_bytes().to_vec()),
            ValueRef::Text(bytes) => (3, bytes.to_vec()),
            ValueRef::Blob(bytes) => (4, bytes.to_vec()),
        };
        for part in [name, &bytes] {
            self.0.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        self.0.update(&[tag]);
    }

    fn end(&self) -> Vec<u8> {
        self.0.finalize().as_bytes().iter().copied().take(DIGEST_BYTES).collect()
    }
}

/// `row_digest(name, value, name, value, …)`.
pub(super) fn digest_function(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut digest = Digest::default();
    for at in (0..context.len().saturating_sub(1)).step_by(2) {
        digest.add(context.get_raw(at).as_bytes()?, context.get_raw(at + 1));
    }
    Ok(digest.end())
}

/// `row_difference(name, one, other, …)`: those of the first values that differ from the second, as JSON.
pub(super) fn difference_function(context: &Context<'_>) -> rusqlite::Result<String> {
    let mut fields = Image::new();
    for at in (0..context.len().saturating_sub(2)).step_by(3) {
        let (one, other) = (context.get_raw(at + 1), context.get_raw(at + 2));
        if one != other {
            fields.insert(context.get_raw(at).as_str()?.to_owned(), as_json(one)?);
        }
    }
    Ok(Value::Object(fields).to_string())
}

fn as_json(value: ValueRef<'_>) -> rusqlite::Result<Value> {
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(number.into()),
        ValueRef::Text(_) => Ok(value.as_str()?.into()),
        // No learned row has any; a table that gets some needs another image.
        ValueRef::Real(_) | ValueRef::Blob(_) => {
            Err(Error::UserFunctionError("a run cannot record this kind of column".into()))
        }
    }
}

fn as_stored(value: &Value) -> Result<Stored> {
    match value {
        Value::Null => Ok(Stored::Null),
        Value::String(text) => Ok(Stored::Text(text.clone())),
        Value::Number(number) => {
            number.as_i64().map(Stored::Integer).ok_or_else(|| unreadable("a number is none"))
        }
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(unreadable("a column is no text")),
    }
}

fn unreadable(why: &str) -> Fault {
    Fault::Store(reflexio_store::Error::Corrupt(format!("what a run changed cannot be read: {why}")))
}
