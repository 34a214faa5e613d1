use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reflexio_store::{Lease, SharedStore};
use reflexio_types::{Clock, JobId, JobKind, OrgId, Timestamp};
use tokio::sync::Notify;

use crate::Settings;
use crate::signal::{Signal, Signals};

/// What the parts of one runner share.
pub(crate) struct Shared {
    pub(crate) store: SharedStore,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
    /// There may be something to claim, or room for it.
    pub(crate) wake: Notify,
    running: Mutex<HashMap<JobId, Entry>>,
    waiting: Mutex<HashMap<JobId, Arc<Notify>>>,
    paused: Mutex<HashSet<(OrgId, JobKind)>>,
}

struct Entry {
    kind: JobKind,
    lease: Lease,
    signals: Signals,
}

impl Shared {
    pub(crate) fn new(store: SharedStore, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            store,
            clock,
            settings,
            wake: Notify::new(),
            running: Mutex::default(),
            waiting: Mutex::default(),
            paused: Mutex::default(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn started(&self, kind: JobKind, lease: Lease, signals: Signals) {
        locked(&self.running).insert(lease.job, Entry { kind, lease, signals });
    }

    /// A job that was lost here may run here again: only the entry of this very lease goes.
    pub(crate) fn ended(&self, lease: &Lease) {
        let mut running = locked(&self.running);
        if running.get(&lease.job).is_some_and(|entry| entry.lease == *lease) {
            running.remove(&lease.job);
        }
        drop(running);
        if let Some(waiting) = locked(&self.waiting).remove(&lease.job) {
            waiting.notify_waiters();
        }
        self.wake.notify_one();
    }

    pub(crate) fn leases(&self) -> Vec<Lease> {
        locked(&self.running).values().map(|entry| entry.lease.clone()).collect()
    }

    pub(crate) fn count(&self, kind: JobKind) -> usize {
        locked(&self.running).values().filter(|entry| entry.kind == kind).count()
    }

    pub(crate) fn signal(&self, lease: &Lease, signal: Signal) {
        if let Some(entry) = locked(&self.running).get(&lease.job)
            && entry.lease == *lease
        {
            entry.signals.send(signal);
        }
    }

    pub(crate) fn signal_all(&self, signal: Signal) {
        locked(&self.running).values().for_each(|entry| entry.signals.send(signal));
    }

    /// Is notified when the job's attempt ends in this process.
    pub(crate) fn end_of(&self, job: JobId) -> Arc<Notify> {
        Arc::clone(locked(&self.waiting).entry(job).or_default())
    }

    /// Nobody waits for this job any more, unless somebody else does.
    pub(crate) fn forget(&self, job: JobId, mine: &Arc<Notify>) {
        let mut waiting = locked(&self.waiting);
        if waiting.get(&job).is_some_and(|kept| Arc::ptr_eq(kept, mine) && Arc::strong_count(kept) <= 2) {
            waiting.remove(&job);
        }
    }

    pub(crate) fn paused(&self) -> HashSet<(OrgId, JobKind)> {
        locked(&self.paused).clone()
    }

    pub(crate) fn change_paused(&self, change: impl FnOnce(&mut HashSet<(OrgId, JobKind)>)) {
        change(&mut locked(&self.paused));
        self.wake.notify_one();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
