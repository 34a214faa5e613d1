use reflexio_llm::{Schema, SchemaError};
use reflexio_types::ProfileTimeToLive;
use serde_json::{Map, Value, json};

use super::item::Item;
use super::meeting::{Meeting, forget_label, known_label, new_label};

/// The form of the answer: only labels of this meeting, and only the fields that it needs.
pub(super) fn schema(meeting: &Meeting) -> Result<Schema, SchemaError> {
    let known: Vec<String> = (0..meeting.known.len()).map(known_label).collect();
    let kept = list(&json!({"type": "string", "enum": known}));
    let mut properties = Map::new();
    if !meeting.new.is_empty() {
        properties.insert("decisions".to_owned(), list(&decision(meeting, &kept)));
    }
    if !meeting.forget.is_empty() {
        let requests: Vec<String> = (0..meeting.forget.len()).map(forget_label).collect();
        let request = json!({"type": "string", "enum": requests});
        let forget = object(&json!({"request": request, "kept": kept}), &["request", "kept"]);
        properties.insert("forget".to_owned(), list(&forget));
    }
    let required: Vec<String> = properties.keys().cloned().collect();
    let required: Vec<&str> = required.iter().map(String::as_str).collect();
    Schema::new("consolidated", object(&Value::Object(properties), &required))
}

fn decision(meeting: &Meeting, kept: &Value) -> Value {
    let labels: Vec<String> = (0..meeting.new.len()).map(new_label).collect();
    let rules = meeting.new.iter().any(|new| matches!(new.item, Item::Playbook(_)));
    let facts = meeting.new.iter().any(|new| matches!(new.item, Item::Profile(_)));
    let text = json!({"type": "string"});
    let mut words = vec!["independent", "reject", "unify"];
    let mut properties = json!({"new": {"type": "string", "enum": labels}, "kept": kept});
    if facts {
        let lifetimes: Vec<&str> =
            ProfileTimeToLive::ALL.into_iter().map(ProfileTimeToLive::as_str).collect();
        properties["content"] = text.clone();
        properties["time_to_live"] = json!({"type": "string", "enum": lifetimes});
    }
    if rules {
        words.push("differentiate");
        for field in ["trigger", "instruction", "pitfall", "rationale", "kept_trigger"] {
            properties[field] = text.clone();
        }
    }
    properties["decision"] = json!({"type": "string", "enum": words});
    object(&properties, &["new", "decision", "kept"])
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}
