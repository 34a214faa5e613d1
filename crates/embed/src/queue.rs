//! A bounded queue before an embedder: searches overtake backfill, and backfill waits for room.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};

use crate::embedder::{Embedder, Priority};
use crate::error::{Error, Result};

/// How much runs and how much waits.
#[derive(Debug, Clone, Copy)]
pub struct QueueOptions {
    /// Calls that run at the same time, searches before backfill.
    pub workers: usize,
    /// Further calls that only serve searches, so that one never waits for a batch of backfill to end.
    pub query_workers: usize,
    /// Texts per call.
    pub batch: usize,
    /// Searches that may wait; the next one is refused.
    pub waiting_queries: usize,
    /// Batches of backfill that may wait; whoever brings the next one waits outside.
    pub waiting_batches: usize,
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self { workers: 1, query_workers: 1, batch: 16, waiting_queries: 1_000, waiting_batches: 64 }
    }
}

/// The queue; dropping it fails what waits with [`Error::Closed`].
pub struct Queue {
    inner: Arc<dyn Embedder>,
    shared: Arc<Shared>,
}

struct Shared {
    options: QueueOptions,
    state: Mutex<State>,
    arrived: Notify,
    room: Arc<Semaphore>,
}

#[derive(Default)]
struct State {
    queries: VecDeque<Job>,
    backfill: VecDeque<Job>,
    closed: bool,
}

struct Job {
    texts: Vec<String>,
    done: oneshot::Sender<Result<Vec<Vec<f32>>>>,
    /// Held while the job waits.
    _room: Option<OwnedSemaphorePermit>,
}

impl Queue {
    /// Starts the workers on the current Tokio runtime.
    pub fn start(inner: Arc<dyn Embedder>, options: QueueOptions) -> Self {
        let options = QueueOptions {
            workers: options.workers.max(1),
            batch: options.batch.max(1),
            waiting_batches: options.waiting_batches.max(1),
            ..options
        };
        let room = Arc::new(Semaphore::new(options.waiting_batches));
        let shared = Arc::new(Shared { options, state: Mutex::default(), arrived: Notify::new(), room });
        for worker in 0..options.workers + options.query_workers {
            let takes = if worker < options.workers { Takes::Everything } else { Takes::Queries };
            tokio::spawn(work(Arc::clone(&shared), Arc::clone(&inner), takes));
        }
        Self { inner, shared }
    }

    /// Texts that wait, searches and backfill.
    pub fn waiting(&self) -> (usize, usize) {
        let state = self.shared.state();
        let count = |jobs: &VecDeque<Job>| jobs.iter().map(|job| job.texts.len()).sum();
        (count(&state.queries), count(&state.backfill))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.closed = true;
        state.queries.clear();
        state.backfill.clear();
        self.shared.room.close();
        self.shared.arrived.notify_waiters();
    }
}

#[async_trait]
impl Embedder for Queue {
    fn id(&self) -> &str {
        self.inner.id()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    async fn embed(&self, texts: &[String], priority: Priority) -> Result<Vec<Vec<f32>>> {
        let mut answers = Vec::new();
        for part in texts.chunks(self.shared.options.batch) {
            let room = match priority {
                Priority::Query => None,
                Priority::Backfill => {
                    let room = Arc::clone(&self.shared.room).acquire_owned();
                    Some(room.await.map_err(|_| Error::Closed)?)
                }
            };
            let (done, answer) = oneshot::channel();
            self.shared.push(priority, Job { texts: part.to_vec(), done, _room: room })?;
            answers.push(answer);
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for answer in answers {
            vectors.extend(answer.await.map_err(|_| Error::Closed)??);
        }
        Ok(vectors)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Everything,
    Queries,
}

async fn work(shared: Arc<Shared>, inner: Arc<dyn Embedder>, takes: Takes) {
    loop {
        let mut arrived = std::pin::pin!(shared.arrived.notified());
        // From here on no arrival is missed.
        arrived.as_mut().enable();
        match shared.take(takes) {
            Next::Batch(priority, jobs) => run(&inner, priority, jobs).await,
            Next::Nothing => arrived.await,
            Next::Closed => return,
        }
    }
}

/// One call for all jobs. It runs as its own task: a panic inside is an error of these jobs and the worker lives on.
async fn run(inner: &Arc<dyn Embedder>, priority: Priority, jobs: Vec<Job>) {
    let (mut texts, mut counts, mut callers) = (Vec::new(), Vec::new(), Vec::new());
    for job in jobs {
        counts.push(job.texts.len());
        texts.extend(job.texts);
        callers.push(job.done);
    }
    let embedder = Arc::clone(inner);
    let call = tokio::spawn(async move { embedder.embed(&texts, priority).await });
    let made = call.await.unwrap_or_else(|_| Err(Error::broken(inner.id(), "it panicked")));
    match made {
        Ok(mut vectors) if vectors.len() == counts.iter().sum::<usize>() => {
            for (done, count) in callers.into_iter().zip(counts) {
                let rest = vectors.split_off(count);
                // Whoever went away needs no answer.
                let _ = done.send(Ok(vectors));
                vectors = rest;
            }
        }
        other => {
            let error = other.err().unwrap_or_else(|| Error::broken(inner.id(), "vectors are missing"));
            for done in callers {
                let _ = done.send(Err(error.clone()));
            }
        }
    }
}

enum Next {
    Batch(Priority, Vec<Job>),
    Nothing,
    Closed,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn push(&self, priority: Priority, job: Job) -> Result<()> {
        let mut state = self.state();
        if state.closed {
            return Err(Error::Closed);
        }
        match priority {
            Priority::Query if state.queries.len() >= self.options.waiting_queries => {
                return Err(Error::QueueFull(state.queries.len()));
            }
            Priority::Query => state.queries.push_back(job),
            Priority::Backfill => state.backfill.push_back(job),
        }
        drop(state);
        self.arrived.notify_waiters();
        Ok(())
    }

    /// All searches that fit into one call, or else one batch of backfill. What nobody waits for is dropped.
    fn take(&self, takes: Takes) -> Next {
        let mut state = self.state();
        state.queries.retain(|job| !job.done.is_closed());
        let (mut jobs, mut texts) = (Vec::new(), 0);
        while let Some(job) = state.queries.front()
            && (jobs.is_empty() || texts + job.texts.len() <= self.options.batch)
        {
            texts += job.texts.len();
            jobs.extend(state.queries.pop_front());
        }
        if !jobs.is_empty() {
            return Next::Batch(Priority::Query, jobs);
        }
        if takes == Takes::Everything {
            state.backfill.retain(|job| !job.done.is_closed());
            if let Some(job) = state.backfill.pop_front() {
                return Next::Batch(Priority::Backfill, vec![job]);
            }
        }
        if state.closed { Next::Closed } else { Next::Nothing }
    }
}
