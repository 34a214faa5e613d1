use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reflexio_embed::{Embedder, Priority};
use reflexio_learn::engine::Meaning;

use crate::App;

/// Learning is in no hurry, but it must not wait for an embedder that is gone.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Vectors for the comparison of new rows with stored ones. Without an embedder, words alone tell what is similar.
pub(crate) struct EmbeddedMeaning(Option<Arc<dyn Embedder>>);

#[async_trait]
impl Meaning for EmbeddedMeaning {
    async fn vectors(&self, texts: &[String]) -> Option<Vec<Vec<f32>>> {
        let embedder = self.0.as_ref()?;
        match tokio::time::timeout(LONGEST_WAIT, embedder.embed(texts, Priority::Backfill)).await {
            Ok(Ok(vectors)) => Some(vectors),
            Ok(Err(error)) => {
                tracing::warn!(%error, "new rows are compared by words only");
                None
            }
            Err(_) => None,
        }
    }
}

impl App {
    pub(crate) fn meaning(&self) -> EmbeddedMeaning {
        EmbeddedMeaning(self.embeddings.embedder().filter(|_| self.embeddings.is_in_place()))
    }
}
