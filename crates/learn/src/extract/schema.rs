use reflexio_llm::{Schema, SchemaError};
use reflexio_types::ProfileTimeToLive;
use serde_json::{Map, Value, json};

use super::pairs::Pair;
use crate::findings::Scene;

/// The form of the answer, with as many fields as this window needs.
pub(super) fn schema(scene: &Scene<'_>, pairs: &[Pair]) -> Result<Schema, SchemaError> {
    let mut properties = Map::new();
    if let Some(config) = scene.profile {
        let asks =
            config.metadata_definition_prompt.as_deref().is_some_and(|prompt| !prompt.trim().is_empty());
        properties.insert("profiles".to_owned(), list(&profile(scene, asks)));
        properties.insert(FORGET.to_owned(), list(&forget(scene)));
    }
    if !scene.playbooks.is_empty() {
        properties.insert("playbooks".to_owned(), list(&playbook(scene)));
    }
    if !pairs.is_empty() {
        properties.insert("expert_gaps".to_owned(), list(&expert_gap(scene)));
    }
    let required: Vec<Value> =
        properties.keys().filter(|key| *key != FORGET).map(|key| key.as_str().into()).collect();
    let root = json!({"type": "object", "properties": properties, "required": required,
                      "additionalProperties": false});
    Schema::new("learned", root)
}

/// Hardly any window has it, so an answer need not mention it.
const FORGET: &str = "forget";

fn forget(scene: &Scene<'_>) -> Value {
    json!({"type": "object", "properties": {"what": {"type": "string"}, "evidence": evidence(scene)},
           "required": ["what", "evidence"], "additionalProperties": false})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// A server that holds its model to the schema leaves no room for turns that are not there; an item that names one
/// all the same is left out alone.
fn evidence(scene: &Scene<'_>) -> Value {
    let labels: Vec<&str> = scene.turns.iter().map(|turn| turn.label.as_str()).collect();
    list(&json!({"type": "string", "x-choices": labels}))
}

/// Names and values in a list: the only form of an open object that every server accepts.
fn fields() -> Value {
    let pair = json!({"name": {"type": "string"}, "value": {"type": "string"}});
    list(
        &json!({"type": "object", "properties": pair, "required": ["name", "value"], "additionalProperties": false}),
    )
}

fn profile(scene: &Scene<'_>, asks_for_features: bool) -> Value {
    let lifetimes: Vec<&str> = ProfileTimeToLive::ALL.into_iter().map(ProfileTimeToLive::as_str).collect();
    let mut properties = json!({
        "content": {"type": "string"},
        "time_to_live": {"type": "string", "enum": lifetimes},
        "evidence": evidence(scene),
    });
    if asks_for_features {
        properties["custom_features"] = fields();
    }
    json!({"type": "object", "properties": properties, "required": ["content", "time_to_live", "evidence"],
           "additionalProperties": false})
}

fn playbook(scene: &Scene<'_>) -> Value {
    let mut properties = rule(scene);
    properties["rationale"] = text();
    properties["evidence"] = evidence(scene);
    json!({"type": "object", "properties": properties,
           "required": ["playbook_name", "trigger", "instruction", "evidence"], "additionalProperties": false})
}

/// A label that names no pair costs its gap and not the whole answer, so the labels are not in the schema.
fn expert_gap(scene: &Scene<'_>) -> Value {
    let mut properties = rule(scene);
    properties["pair"] = text();
    json!({"type": "object", "properties": properties,
           "required": ["pair", "playbook_name", "trigger", "instruction", "pitfall"], "additionalProperties": false})
}

fn text() -> Value {
    json!({"type": "string"})
}

/// What every rule has.
fn rule(scene: &Scene<'_>) -> Value {
    let names: Vec<&str> = scene.playbooks.iter().map(|config| config.playbook_name.as_str()).collect();
    let mut properties = json!({
        "playbook_name": {"type": "string", "enum": names},
        "trigger": text(), "instruction": text(), "pitfall": text(),
    });
    let asks = |prompt: &Option<String>| prompt.as_deref().is_some_and(|prompt| !prompt.trim().is_empty());
    if scene.playbooks.iter().any(|config| asks(&config.metadata_definition_prompt)) {
        properties["metadata"] = fields();
    }
    properties
}
