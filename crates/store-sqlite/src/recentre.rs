//! Keeping the codes of the index in memory centred on the data.

use std::path::Path;
use std::sync::Arc;

use rusqlite::OptionalExtension;

use crate::error::Result;
use crate::fts::Index;
use crate::nearest::{Model, from_column};
use crate::schema;

/// Starts to code rows anew where the data moved away from the centre of the codes. Searches go on meanwhile, and
/// nobody waits for the end.
pub(crate) fn if_needed(path: &Path, model: &Arc<Model>) {
    for index in Index::ALL {
        if !model.begin_recentring(index) {
            continue;
        }
        let (path, model) = (path.to_owned(), Arc::clone(model));
        tokio::task::spawn_blocking(move || {
            if let Err(error) = recentre(&path, &model, index) {
                tracing::warn!(?error, "the index of vectors could not be coded anew");
            }
            model.end_recentring(index);
        });
    }
}

fn recentre(path: &Path, model: &Model, index: Index) -> Result<()> {
    let Some(vectors) = model.index(index) else { return Ok(()) };
    let connection = schema::open_reader(path)?;
    let text = format!("SELECT vector FROM {} WHERE key = ? AND model = ?", index.vectors());
    let vector = |id: &u64| -> Result<Vec<f32>> {
        let mut statement = connection.prepare_cached(&text)?;
        let values = (id.cast_signed(), model.key);
        let found = statement.query_row(values, |row| from_column(row, 0)).optional()?;
        Ok(found.unwrap_or_default())
    };
    let rows = vectors.recentre(|_, ids| ids.iter().map(|id| vector(id).unwrap_or_default()).collect());
    tracing::debug!(rows, ?index, "coded vectors anew");
    Ok(())
}
