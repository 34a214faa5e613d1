//! Finding rows by words and meaning, fast. The words lie in FTS5 tables and the vectors in tables beside the rows;
//! indexes in memory tell which rows may be the best, and the tables have the last word.
//!
//! What waits for a vector is a table too, written in the transaction that changes the text. The index in memory
//! changes when the transaction has committed, before its callers are answered, so the next search sees it.

mod changes;
mod facts;
mod live;
mod load;
mod names;
mod search;
pub(crate) mod sidecar;
#[cfg(test)]
mod tests;
mod texts;
mod tracker;
mod waiting;

use rusqlite::Row;
use rusqlite::types::ValueRef;

pub(crate) use self::changes::Changes;
pub(crate) use self::facts::facts;
pub(crate) use self::live::{Live, Model, empty};
pub(crate) use self::load::{load, load_texts};
pub(crate) use self::search::{Scope, search};
pub(crate) use self::waiting::{Waiting, Which, await_vector, clear, forget, queue_rows, text_of, waiting};

/// A vector as the tables hold it.
pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The inverse of [`to_bytes`]; what is no vector becomes an empty one, which fits no model.
pub(crate) fn from_column(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<f32>> {
    let ValueRef::Blob(bytes) = row.get_ref(column)? else { return Ok(Vec::new()) };
    let (numbers, []) = bytes.as_chunks::<4>() else { return Ok(Vec::new()) };
    Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}
