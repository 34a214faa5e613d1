use reflexio_embed::{Embedder, Error as EmbedError, Priority};
use reflexio_store::{Embedded, RowRef, Unembedded};

use crate::Result;

/// An embedder that does not take this takes nothing.
const HARMLESS: &str = "hello";

/// A vector per row. When the embedder has no vectors for all of them, each is tried alone, so that one bad text
/// does not keep the others waiting.
pub(super) async fn embed(
    embedder: &dyn Embedder,
    rows: &[Unembedded],
) -> Result<Vec<(RowRef, Embedded)>, EmbedError> {
    let texts: Vec<String> = rows.iter().map(|row| row.text.clone()).collect();
    match embedder.embed(&texts, Priority::Backfill).await {
        Ok(vectors) => {
            Ok(rows.iter().map(|row| row.row).zip(vectors.into_iter().map(Embedded::Vector)).collect())
        }
        Err(error) if may_be_the_text(&error) => one_by_one(embedder, rows).await,
        Err(error) => Err(error),
    }
}

/// Not the key, the address or the pace.
fn may_be_the_text(error: &EmbedError) -> bool {
    matches!(error, EmbedError::Refused { status: 400 | 413 | 422, .. } | EmbedError::InvalidAnswer { .. })
}

async fn one_by_one(
    embedder: &dyn Embedder,
    rows: &[Unembedded],
) -> Result<Vec<(RowRef, Embedded)>, EmbedError> {
    let mut embedded = Vec::with_capacity(rows.len());
    let mut takes_others = false;
    for row in rows {
        match embedder.embed(std::slice::from_ref(&row.text), Priority::Backfill).await {
            Ok(vectors) => {
                embedded.extend(vectors.into_iter().map(|vector| (row.row, Embedded::Vector(vector))))
            }
            Err(error) if may_be_the_text(&error) => {
                if !takes_others {
                    // If this fails too, the embedder is to blame or its configuration, and rows keep waiting.
                    embedder.embed(&[HARMLESS.to_owned()], Priority::Backfill).await?;
                    takes_others = true;
                }
                embedded.push((row.row, Embedded::Refused(error.to_string())));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(embedded)
}
