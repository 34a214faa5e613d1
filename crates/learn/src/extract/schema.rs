use reflexio_llm::{Schema, SchemaError};
use reflexio_types::ProfileTimeToLive;
use serde_json::{Map, Value, json};

use crate::findings::Scene;

/// The form of the answer, with as many fields as this window needs.
pub(super) fn schema(scene: &Scene<'_>) -> Result<Schema, SchemaError> {
    let mut properties = Map::new();
    if let Some(config) = scene.profile {
        let asks =
            config.metadata_definition_prompt.as_deref().is_some_and(|prompt| !prompt.trim().is_empty());
        properties.insert("profiles".to_owned(), list(&profile(scene, asks)));
    }
    if !scene.playbooks.is_empty() {
        properties.insert("playbooks".to_owned(), list(&playbook(scene)));
    }
    let required: Vec<Value> = properties.keys().map(|key| key.as_str().into()).collect();
    let root = json!({"type": "object", "properties": properties, "required": required,
                      "additionalProperties": false});
    Schema::new("learned", root)
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
    let names: Vec<&str> = scene.playbooks.iter().map(|config| config.playbook_name.as_str()).collect();
    let text = json!({"type": "string"});
    let mut properties = json!({
        "playbook_name": {"type": "string", "enum": names},
        "trigger": text, "instruction": text, "pitfall": text, "rationale": text,
        "evidence": evidence(scene),
    });
    let asks = |prompt: &Option<String>| prompt.as_deref().is_some_and(|prompt| !prompt.trim().is_empty());
    if scene.playbooks.iter().any(|config| asks(&config.metadata_definition_prompt)) {
        properties["metadata"] = fields();
    }
    json!({"type": "object", "properties": properties,
           "required": ["playbook_name", "trigger", "instruction", "evidence"], "additionalProperties": false})
}
