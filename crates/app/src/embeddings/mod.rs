//! Giving rows their vectors, in the background.

mod rows;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use reflexio_embed::{Embedder, Error as EmbedError};
use reflexio_store::{Embedded, VectorCounts, VectorIndex, VectorModel};
use reflexio_types::{Caller, Scope};
use tokio::sync::Notify;

use crate::access::Access;
use crate::{App, Result};

/// So many rows are embedded between two looks at what is newest.
const ROWS_AT_ONCE: usize = 256;
/// How patiently an embedder is asked again.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// After a failure; each further pause is twice as long.
    pub first_pause: Duration,
    pub longest_pause: Duration,
    /// Rows that other processes wrote are found this late.
    pub look_every: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        let [first_pause, longest_pause, look_every] = [1, 60, 2].map(Duration::from_secs);
        Self { first_pause, longest_pause, look_every }
    }
}

/// How to come by an embedder: it may be a file to read, or a server that is down when we start.
#[async_trait]
pub trait Connect: Send + Sync {
    async fn connect(&self) -> Result<Arc<dyn Embedder>, EmbedError>;

    fn pace(&self) -> Pace {
        Pace::default()
    }
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
    /// The store searches among the vectors of this embedder, all of them.
    in_place: AtomicBool,
    /// Why the embedder has to be connected to again, if a search found out.
    outdated: Mutex<Option<String>>,
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
        Self {
            choice,
            embedder: RwLock::default(),
            in_place: AtomicBool::new(false),
            outdated: Mutex::default(),
            trouble: Mutex::new(trouble),
            written: Notify::new(),
        }
    }

    pub(crate) fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.embedder.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Rows were written that wait for vectors.
    pub(crate) fn wake(&self) {
        self.written.notify_one();
    }

    /// Whether searches find by meaning all that has a vector.
    pub(crate) fn is_in_place(&self) -> bool {
        self.in_place.load(Ordering::Acquire)
    }

    /// The embedder makes other vectors now than it did when it was connected to.
    pub(crate) fn report_outdated(&self, reason: String) {
        *self.outdated.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
        self.wake();
    }

    fn take_outdated(&self) -> Option<String> {
        self.outdated.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set_embedder(&self, embedder: Option<Arc<dyn Embedder>>) {
        self.in_place.store(false, Ordering::Release);
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
            let pace = connect.pace();
            let embedder = self.connected(connect.as_ref(), pace).await;
            let reason = self.embed_while_possible(embedder.as_ref(), pace).await;
            tracing::warn!(reason, "connecting to the embedder again");
            self.embeddings.set_embedder(None);
            self.embeddings.set_trouble(Some(reason));
        }
    }

    /// An embedder whose index is loaded; tries until there is one.
    async fn connected(&self, connect: &dyn Connect, pace: Pace) -> Arc<dyn Embedder> {
        let mut pause = pace.first_pause;
        loop {
            let reason = match connect.connect().await {
                Err(error) => error.to_string(),
                Ok(embedder) => {
                    // Searches may use it while the index is still being read.
                    self.embeddings.set_embedder(Some(Arc::clone(&embedder)));
                    match self.store.use_model(Some(&model_of(embedder.as_ref()))).await {
                        Ok(()) => {
                            self.embeddings.in_place.store(true, Ordering::Release);
                            return embedder;
                        }
                        Err(error) => {
                            self.embeddings.set_embedder(None);
                            error.to_string()
                        }
                    }
                }
            };
            tracing::warn!(reason, seconds = pause.as_secs(), "searching by words only");
            self.embeddings.set_trouble(Some(reason));
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(pace.longest_pause);
        }
    }

    /// Says why it ended.
    async fn embed_while_possible(&self, embedder: &dyn Embedder, pace: Pace) -> String {
        let mut pause = pace.first_pause;
        // What a search found out about the embedder before this one.
        self.embeddings.take_outdated();
        loop {
            if let Some(reason) = self.embeddings.take_outdated() {
                return reason;
            }
            match self.embed_some(embedder).await {
                Step::Embedded(0) => {
                    pause = pace.first_pause;
                    self.embeddings.set_trouble(None);
                    let _ = tokio::time::timeout(pace.look_every, self.embeddings.written.notified()).await;
                }
                Step::Embedded(_) => {
                    pause = pace.first_pause;
                    self.embeddings.set_trouble(None);
                }
                Step::Wait(reason) => {
                    tracing::warn!(reason, seconds = pause.as_secs(), "rows wait for their vectors");
                    self.embeddings.set_trouble(Some(reason));
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(pace.longest_pause);
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
            let embedded = match rows::embed(embedder, &rows).await {
                Ok(embedded) => embedded,
                Err(error @ EmbedError::DimensionChanged { .. }) => {
                    return Step::ConnectAgain(error.to_string());
                }
                Err(error) => return Step::Wait(error.to_string()),
            };
            let refused = embedded.iter().filter(|(_, embedded)| matches!(embedded, Embedded::Refused(_)));
            let refused = refused.count();
            let taken = match self.store.put_vectors(&org, &model, embedded).await {
                Ok(taken) => taken,
                Err(error) => return Step::Wait(error.to_string()),
            };
            // Rows that changed meanwhile do not count: whoever changed them wakes us.
            count += usize::try_from(taken).unwrap_or(usize::MAX).saturating_add(refused);
            metrics::counter!("reflexio_embedded_rows_total").increment(taken);
        }
        Step::Embedded(count)
    }

    pub async fn embedding_status(&self, caller: &Caller) -> Result<EmbeddingStatus> {
        caller.needs(Scope::Read)?;
        let embedder = self.embeddings.embedder();
        // An embedder that is not in place yet has an index of another one before it, or none.
        let index = match &embedder {
            Some(_) if !self.embeddings.is_in_place() => VectorIndex::Loading { done: 0, total: 0 },
            Some(_) | None => self.store.vector_index(),
        };
        Ok(EmbeddingStatus {
            model: embedder.map(|embedder| model_of(embedder.as_ref())),
            index,
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
