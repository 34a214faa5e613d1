//! Giving rows their vectors, in the background.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use reflexio_embed::{Embedder, Error as EmbedError, Priority};
use reflexio_store::{Embedded, RowRef, Unembedded, VectorCounts, VectorIndex, VectorModel};
use reflexio_types::{Caller, Scope};
use tokio::sync::Notify;

use crate::access::Access;
use crate::{App, Result};

/// So many rows are embedded between two looks at what is newest.
const ROWS_AT_ONCE: usize = 256;
/// Rows that other processes wrote are found this late.
const LOOK_EVERY: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How to come by an embedder: it may be a file to read, or a server that is down when we start.
#[async_trait]
pub trait Connect: Send + Sync {
    async fn connect(&self) -> Result<Arc<dyn Embedder>, EmbedError>;
}

/// What turns texts into vectors, for searching by meaning.
#[derive(Clone)]
pub enum EmbedderChoice {
    Connect(Arc<dyn Connect>),
    /// Only words are searched; says why, and what to do about it.
    None(String),
}

/// The embedder, and how its work goes.
pub(crate) struct Embeddings {
    choice: EmbedderChoice,
    embedder: RwLock<Option<Arc<dyn Embedder>>>,
    /// Why there is no embedder, or why the last call of it failed.
    trouble: Mutex<Option<String>>,
    written: Notify,
}

/// How far rows are on their way to be found by meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingStatus {
    /// None means that only words are searched.
    pub model: Option<VectorModel>,
    pub index: VectorIndex,
    pub counts: Vec<VectorCounts>,
    pub trouble: Option<String>,
}

impl Embeddings {
    pub(crate) fn new(choice: EmbedderChoice) -> Self {
        let trouble = match &choice {
            EmbedderChoice::None(reason) => Some(reason.clone()),
            EmbedderChoice::Connect(_) => None,
        };
        Self { choice, embedder: RwLock::default(), trouble: Mutex::new(trouble), written: Notify::new() }
    }

    pub(crate) fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.embedder.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Rows were written that wait for vectors.
    pub(crate) fn wake(&self) {
        self.written.notify_one();
    }

    fn set_embedder(&self, embedder: Option<Arc<dyn Embedder>>) {
        *self.embedder.write().unwrap_or_else(PoisonError::into_inner) = embedder;
    }

    fn set_trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn model_of(embedder: &dyn Embedder) -> VectorModel {
    VectorModel { id: embedder.id().to_owned(), dimension: embedder.dimension() }
}

/// What to do after some rows were embedded, or could not be.
enum Step {
    Embedded(usize),
    Wait(String),
    /// The embedder makes other vectors now.
    ConnectAgain(String),
}

impl App {
    /// Reads the words of all rows into memory, where searches find them fast.
    pub async fn warm_words(&self) {
        if let Err(error) = self.store.warm_words().await {
            tracing::warn!(%error, "words are searched in the database, which takes longer");
        }
    }

    pub fn has_warm_words(&self) -> bool {
        self.store.has_warm_words()
    }

    /// Loads the index and then embeds what waits, for as long as it is polled. What it does not finish is on a
    /// durable list, so it may be dropped at any moment.
    pub async fn keep_embedding(&self) {
        let EmbedderChoice::Connect(connect) = &self.embeddings.choice else { return };
        loop {
            let embedder = self.connected(connect.as_ref()).await;
            let reason = self.embed_while_possible(embedder.as_ref()).await;
            tracing::warn!(reason, "connecting to the embedder again");
            self.embeddings.set_embedder(None);
            self.embeddings.set_trouble(Some(reason));
        }
    }

    /// An embedder whose index is loaded; tries until there is one.
    async fn connected(&self, connect: &dyn Connect) -> Arc<dyn Embedder> {
        let mut pause = FIRST_PAUSE;
        loop {
            let reason = match connect.connect().await {
                Err(error) => error.to_string(),
                Ok(embedder) => {
                    // Searches may use it while the index is still being read.
                    self.embeddings.set_embedder(Some(Arc::clone(&embedder)));
                    match self.store.use_model(Some(&model_of(embedder.as_ref()))).await {
                        Ok(()) => return embedder,
                        Err(error) => error.to_string(),
                    }
                }
            };
            tracing::warn!(reason, seconds = pause.as_secs(), "searching by words only");
            self.embeddings.set_trouble(Some(reason));
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Says why it ended.
    async fn embed_while_possible(&self, embedder: &dyn Embedder) -> String {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.embed_some(embedder).await {
                Step::Embedded(0) => {
                    pause = FIRST_PAUSE;
                    self.embeddings.set_trouble(None);
                    let _ = tokio::time::timeout(LOOK_EVERY, self.embeddings.written.notified()).await;
                }
                Step::Embedded(_) => {
                    pause = FIRST_PAUSE;
                    self.embeddings.set_trouble(None);
                }
                Step::Wait(reason) => {
                    tracing::warn!(reason, seconds = pause.as_secs(), "rows wait for their vectors");
                    self.embeddings.set_trouble(Some(reason));
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Step::ConnectAgain(reason) => return reason,
            }
        }
    }

    /// Embeds up to [`ROWS_AT_ONCE`] rows.
    async fn embed_some(&self, embedder: &dyn Embedder) -> Step {
        let model = model_of(embedder);
        let waiting = match self.store.unembedded(ROWS_AT_ONCE).await {
            Ok(waiting) => waiting,
            Err(error) => return Step::Wait(error.to_string()),
        };
        let mut count = 0;
        for (org, rows) in waiting {
            let embedded = match embed(embedder, &rows).await {
                Ok(embedded) => embedded,
                Err(error @ EmbedError::DimensionChanged { .. }) => {
                    return Step::ConnectAgain(error.to_string());
                }
                Err(error) => return Step::Wait(error.to_string()),
            };
            if let Err(error) = self.store.put_vectors(&org, &model, embedded).await {
                return Step::Wait(error.to_string());
            }
            count += rows.len();
            metrics::counter!("reflexio_embedded_rows_total").increment(rows.len() as u64);
        }
        Step::Embedded(count)
    }

    pub async fn embedding_status(&self, caller: &Caller) -> Result<EmbeddingStatus> {
        caller.needs(Scope::Read)?;
        Ok(EmbeddingStatus {
            model: self.embeddings.embedder().map(|embedder| model_of(embedder.as_ref())),
            index: self.store.vector_index(),
            counts: self.store.vector_counts(&caller.org).await?,
            trouble: self.embeddings.trouble(),
        })
    }

    /// Makes all vectors of the org anew; says how many rows that concerns.
    pub async fn rebuild_embeddings(&self, caller: &Caller) -> Result<u64> {
        caller.needs(Scope::Admin)?;
        let rows = self.store.rebuild_vectors(&caller.org).await?;
        self.embeddings.wake();
        Ok(rows)
    }

    /// How far the index of vectors is.
    pub fn vector_index(&self) -> VectorIndex {
        self.store.vector_index()
    }
}

/// A vector per row. When the embedder refuses them together, each is tried alone, so that one bad text does not
/// keep the others waiting.
async fn embed(embedder: &dyn Embedder, rows: &[Unembedded]) -> Result<Vec<(RowRef, Embedded)>, EmbedError> {
    let texts: Vec<String> = rows.iter().map(|row| row.text.clone()).collect();
    match embedder.embed(&texts, Priority::Backfill).await {
        Ok(vectors) => {
            Ok(rows.iter().map(|row| row.row).zip(vectors.into_iter().map(Embedded::Vector)).collect())
        }
        Err(EmbedError::Refused { status, .. }) if is_about_the_text(status) => {
            one_by_one(embedder, rows).await
        }
        Err(error) => Err(error),
    }
}

/// Not about the key, the address or the pace.
fn is_about_the_text(status: u16) -> bool {
    matches!(status, 400 | 413 | 422)
}

async fn one_by_one(
    embedder: &dyn Embedder,
    rows: &[Unembedded],
) -> Result<Vec<(RowRef, Embedded)>, EmbedError> {
    let mut embedded = Vec::with_capacity(rows.len());
    let mut refusal = None;
    for row in rows {
        match embedder.embed(std::slice::from_ref(&row.text), Priority::Backfill).await {
            Ok(vectors) => {
                embedded.extend(vectors.into_iter().map(|vector| (row.row, Embedded::Vector(vector))))
            }
            Err(error @ EmbedError::Refused { status, .. }) if is_about_the_text(status) => {
                embedded.push((row.row, Embedded::Refused(error.to_string())));
                refusal = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    let all_refused = embedded.iter().all(|(_, embedded)| matches!(embedded, Embedded::Refused(_)));
    match refusal {
        // A whole batch of bad texts is a bad request: the configuration is to blame, and rows keep waiting.
        Some(error) if all_refused && rows.len() > 1 => Err(error),
        Some(_) | None => Ok(embedded),
    }
}
