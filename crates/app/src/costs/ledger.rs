use std::sync::Arc;

use async_trait::async_trait;
use reflexio_llm::{CallRecord, Ledger, Outcome, Turn};
use reflexio_store::SharedStore;
use reflexio_types::{CallOutcome, ModelCall, OrgId};

use crate::journal::{Journal, Line};

#[async_trait]
impl Line for ModelCall {
    const NAME: &'static str = "calls of models";
    const LOST: &'static str = "reflexio_ledger_lost_total";

    async fn record(store: &SharedStore, org: &OrgId, calls: Vec<Self>) -> reflexio_store::Result<()> {
        store.record_calls(org, calls).await
    }
}

/// The books of one org, and the counters of the metrics page.
pub(super) struct OrgLedger {
    pub(super) org: OrgId,
    pub(super) journal: Arc<Journal<ModelCall>>,
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
