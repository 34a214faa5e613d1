use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reflexio_llm::{CallRecord, Ledger, Outcome, Turn};
use reflexio_store::SharedStore;
use reflexio_types::{CallOutcome, ModelCall, OrgId};
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// So many calls wait for a store that takes nothing; those that come then are only counted.
const MOST_WAITING: usize = 20_000;

/// Takes calls to the books without making anybody wait: while one batch is written, the next one gathers. What the
/// store does not take now waits for the next call, or for the next [`Journal::settle`].
pub(crate) struct Journal {
    store: SharedStore,
    waiting: Mutex<Waiting>,
    /// A round of writing ended.
    ended: Notify,
}

#[derive(Default)]
struct Waiting {
    calls: HashMap<OrgId, Vec<ModelCall>>,
    count: usize,
    writing: bool,
    /// The last round could not be written.
    failed: bool,
}

impl Waiting {
    fn put(&mut self, org: &OrgId, calls: Vec<ModelCall>) {
        self.count += calls.len();
        self.calls.entry(org.clone()).or_default().extend(calls);
    }
}

impl Journal {
    pub(super) fn new(store: SharedStore) -> Self {
        Self { store, waiting: Mutex::default(), ended: Notify::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(self: &Arc<Self>, org: &OrgId, call: ModelCall) {
        let mut waiting = self.waiting();
        if waiting.count >= MOST_WAITING {
            metrics::counter!("reflexio_ledger_lost_total").increment(1);
            return;
        }
        waiting.put(org, vec![call]);
        self.begin(&mut waiting);
    }

    /// Whoever writes something of this org takes its calls along.
    pub(super) fn take(&self, org: &OrgId) -> Vec<ModelCall> {
        let mut waiting = self.waiting();
        let calls = waiting.calls.remove(org).unwrap_or_default();
        waiting.count -= calls.len();
        calls
    }

    pub(super) fn put_back(&self, org: &OrgId, calls: Vec<ModelCall>) {
        self.waiting().put(org, calls);
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

    /// Outside of a runtime nobody can write; then calls wait.
    fn begin(self: &Arc<Self>, waiting: &mut Waiting) {
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
                let org = waiting.calls.keys().next().cloned();
                if org.is_none() {
                    (waiting.writing, waiting.failed) = (false, false);
                }
                org
            };
            let Some(org) = next else { break };
            let calls = self.take(&org);
            if let Err(error) = self.store.record_calls(&org, calls.clone()).await {
                tracing::warn!(%org, %error, calls = calls.len(), "calls of models wait to be recorded");
                let mut waiting = self.waiting();
                waiting.put(&org, calls);
                (waiting.writing, waiting.failed) = (false, true);
                break;
            }
        }
        self.ended.notify_waiters();
    }
}

/// The books of one org, and the counters of the metrics page.
pub(super) struct OrgLedger {
    pub(super) org: OrgId,
    pub(super) journal: Arc<Journal>,
}

impl Ledger for OrgLedger {
    fn record(&self, call: CallRecord) {
        let call = model_call(call);
        count(&call);
        self.journal.add(&self.org, call);
    }
}

fn model_call(call: CallRecord) -> ModelCall {
    ModelCall {
        at: call.at,
        role: call.role.as_str().to_owned(),
        model: format!("{}/{}", call.provider, call.model),
        prompt_version: call.prompt_version,
        is_correction: call.turn == Turn::Correction,
        attempt: call.attempt,
        prompt_tokens: call.usage.prompt_tokens,
        output_tokens: call.usage.output_tokens,
        cached_tokens: call.usage.cached_tokens,
        tokens_estimated: call.tokens_estimated,
        cost_micros: call.cost_micros,
        price_known: call.price_known,
        latency_ms: u64::try_from(call.latency.as_millis()).unwrap_or(u64::MAX),
        outcome: match call.outcome {
            Outcome::Answered => CallOutcome::Answered,
            Outcome::Failed(code) => CallOutcome::Failed(code.to_owned()),
            Outcome::Cancelled => CallOutcome::Cancelled,
            Outcome::Saved => CallOutcome::Saved,
        },
        run: call.purpose.run,
        user_id: call.purpose.user,
        config: call.purpose.config,
    }
}

fn count(call: &ModelCall) {
    let (role, model) = (call.role.clone(), call.model.clone());
    let outcome = call.outcome.as_str().to_owned();
    metrics::counter!("reflexio_model_calls_total", "role" => role.clone(), "model" => model.clone(), "outcome" => outcome)
        .increment(1);
    for (kind, tokens) in [("prompt", call.prompt_tokens), ("output", call.output_tokens)] {
        metrics::counter!("reflexio_model_tokens_total", "role" => role.clone(), "model" => model.clone(), "kind" => kind)
            .increment(tokens);
    }
    metrics::counter!("reflexio_model_cost_micros_total", "role" => role, "model" => model)
        .increment(call.cost_micros);
}
