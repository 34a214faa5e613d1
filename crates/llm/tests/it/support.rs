use std::sync::{Arc, Mutex};

use reflexio_llm::endpoint::{Reply, TestEndpoint};
use reflexio_llm::{CallRecord, Ledger, Model, Models, Outcome, Role, Schema, Services, Settings};
use serde::Deserialize;
use serde_json::json;

/// Keeps all records.
#[derive(Default)]
pub(crate) struct Records(Mutex<Vec<CallRecord>>);

impl Records {
    pub(crate) fn all(&self) -> Vec<CallRecord> {
        self.0.lock().expect("records").clone()
    }

    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        self.all().into_iter().map(|record| record.outcome).collect()
    }
}

impl Ledger for Records {
    fn record(&self, call: CallRecord) {
        self.0.lock().expect("records").push(call);
    }
}

pub(crate) async fn endpoint(replies: impl IntoIterator<Item = Reply>) -> TestEndpoint {
    TestEndpoint::scripted(replies).await.expect("a port")
}

pub(crate) fn models(settings: Settings) -> (Models, Arc<Records>) {
    let records = Arc::new(Records::default());
    let ledger = Arc::clone(&records) as Arc<dyn Ledger>;
    (Models::new(settings, Services { ledger, ..Services::default() }).expect("models"), records)
}

/// The extraction model of an endpoint with a script, and what it recorded.
pub(crate) async fn scripted(
    replies: impl IntoIterator<Item = Reply>,
) -> (TestEndpoint, Model, Arc<Records>) {
    let endpoint = endpoint(replies).await;
    let (models, records) = models(endpoint.settings());
    let model = models.for_role(Role::Extraction).expect("a model");
    (endpoint, model, records)
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Facts {
    pub(crate) facts: Vec<String>,
    pub(crate) note: Option<String>,
}

pub(crate) fn facts_schema() -> Schema {
    let root = json!({
        "type": "object",
        "properties": {
            "facts": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
            "note": {"type": "string"},
        },
        "required": ["facts"],
        "additionalProperties": false,
    });
    Schema::new("facts", root).expect("a schema")
}
