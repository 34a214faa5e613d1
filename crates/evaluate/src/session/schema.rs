use reflexio_llm::{Schema, SchemaError};
use reflexio_types::{FailureType, Impact};
use serde_json::{Map, Value, json};

use super::Session;

/// The failure type of a success.
pub(super) const NO_FAILURE: &str = "none";

/// The form of the answer, with as many fields as are asked for.
pub(super) fn schema(session: &Session<'_>) -> Result<Schema, SchemaError> {
    let mut properties = Map::new();
    if session.asked.success {
        properties.extend(success(session.tags().is_some()));
    }
    let labels: Vec<&str> = session.told().map(|served| served.label.as_str()).collect();
    if !labels.is_empty() {
        properties.insert("learnings".to_owned(), json!({"type": "array", "items": learning(&labels)}));
    }
    let required: Vec<Value> = properties.keys().map(|key| key.as_str().into()).collect();
    let root = json!({"type": "object", "properties": properties, "required": required,
                      "additionalProperties": false});
    Schema::new("judgement", root)
}

fn success(asks_for_tags: bool) -> Map<String, Value> {
    let failures: Vec<&str> =
        FailureType::ALL.into_iter().map(FailureType::as_str).chain([NO_FAILURE]).collect();
    let (text, flag) = (json!({"type": "string"}), json!({"type": "boolean"}));
    let texts = json!({"type": "array", "items": text});
    let mut fields = vec![
        ("is_success", flag.clone()),
        ("failure_type", json!({"type": "string", "enum": failures})),
        ("failure_reason", text.clone()),
        ("is_escalated", flag),
        ("corrections", texts.clone()),
        ("resolved_in", text),
    ];
    if asks_for_tags {
        fields.push(("tags", texts));
    }
    fields.into_iter().map(|(name, field)| (name.to_owned(), field)).collect()
}

fn learning(labels: &[&str]) -> Value {
    let impacts: Vec<&str> = Impact::ALL.into_iter().map(Impact::as_str).collect();
    let properties = json!({
        "learning": {"type": "string", "enum": labels},
        "is_relevant": {"type": "boolean"},
        "relevance_reason": {"type": "string"},
        "impact": {"type": "string", "enum": impacts},
        "impact_reason": {"type": "string"},
    });
    json!({"type": "object", "properties": properties, "additionalProperties": false,
           "required": ["learning", "is_relevant", "relevance_reason", "impact", "impact_reason"]})
}
