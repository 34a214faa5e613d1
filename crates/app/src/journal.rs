use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use reflexio_store::SharedStore;
use reflexio_types::OrgId;
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// So many lines wait for a store that takes nothing; those that come then are only counted.
const MOST_WAITING: usize = 20_000;

/// What a journal takes to the store.
#[async_trait]
pub(crate) trait Line: Clone + Send + Sync + 'static {
    /// What the lines are, for the log.
    const NAME: &'static str;
    /// The counter of those that found no room.
    const LOST: &'static str;

    async fn record(store: &SharedStore, org: &OrgId, lines: Vec<Self>) -> reflexio_store::Result<()>;
}

/// Takes lines to the store without making anybody wait: while one batch is written, the next one gathers. What the
/// store does not take now waits for the next line, or for the next [`Journal::settle`].
pub(crate) struct Journal<L> {
    store: SharedStore,
    waiting: Mutex<Waiting<L>>,
    /// A round of writing ended.
    ended: Notify,
}

struct Waiting<L> {
    lines: HashMap<OrgId, Vec<L>>,
    count: usize,
    writing: bool,
    /// The last round could not be written.
    failed: bool,
}

impl<L> Waiting<L> {
    fn put(&mut self, org: &OrgId, lines: Vec<L>) {
        self.count += lines.len();
        self.lines.entry(org.clone()).or_default().extend(lines);
    }
}

impl<L: Line> Journal<L> {
    pub(crate) fn new(store: SharedStore) -> Self {
        let waiting = Waiting { lines: HashMap::new(), count: 0, writing: false, failed: false };
        Self { store, waiting: Mutex::new(waiting), ended: Notify::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<L>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(self: &Arc<Self>, org: &OrgId, line: L) {
        let mut waiting = self.waiting();
        if waiting.count >= MOST_WAITING {
            metrics::counter!(L::LOST).increment(1);
            return;
        }
        waiting.put(org, vec![line]);
        self.begin(&mut waiting);
    }

    /// Whoever writes something of this org takes its lines along.
    pub(crate) fn take(&self, org: &OrgId) -> Vec<L> {
        let mut waiting = self.waiting();
        let lines = waiting.lines.remove(org).unwrap_or_default();
        waiting.count -= lines.len();
        lines
    }

    pub(crate) fn put_back(&self, org: &OrgId, lines: Vec<L>) {
        self.waiting().put(org, lines);
    }

    /// Returns when everything that came before is durable, or when the store does not take it.
    pub(crate) async fn settle(self: &Arc<Self>) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            {
                let mut waiting = self.waiting();
                if waiting.count == 0 && !waiting.writing {
                    return;
                }
                self.begin(&mut waiting);
                if !waiting.writing {
                    return;
                }
            }
            ended.await;
            if self.waiting().failed {
                return;
            }
        }
    }

    /// Outside of a runtime nobody can write; then lines wait.
    fn begin(self: &Arc<Self>, waiting: &mut Waiting<L>) {
        if !waiting.writing
            && let Ok(runtime) = Handle::try_current()
        {
            waiting.writing = true;
            let journal = Arc::clone(self);
            runtime.spawn(async move { journal.write().await });
        }
    }

    async fn write(&self) {
        loop {
            let next = {
                let mut waiting = self.waiting();
                let org = waiting.lines.keys().next().cloned();
                if org.is_none() {
                    (waiting.writing, waiting.failed) = (false, false);
                }
                org
            };
            let Some(org) = next else { break };
            let lines = self.take(&org);
            if let Err(error) = L::record(&self.store, &org, lines.clone()).await {
                tracing::warn!(%org, %error, lines = lines.len(), "{} wait to be recorded", L::NAME);
                let mut waiting = self.waiting();
                waiting.put(&org, lines);
                (waiting.writing, waiting.failed) = (false, true);
                break;
            }
        }
        self.ended.notify_waiters();
    }
}
