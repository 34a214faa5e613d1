//! The JSON schema of an answer: only these steps, these variables, these tools.

use serde_json::{Map, Value, json};

use super::request::{Candidate, Context, OfferedStep};

pub(crate) fn schema(context: &Context) -> Value {
    let mut properties = Map::new();
    if !context.steps.is_empty() {
        properties.insert("steps".to_owned(), list(&steps(&context.steps, context)));
    }
    if !context.questions.is_empty() {
        let ids: Vec<&str> = context.questions.iter().map(|question| &*question.id).collect();
        properties.insert("decisions".to_owned(), list(&decisions(&ids)));
    }
    if !context.triggers.is_empty() {
        let any = context.triggers.iter().map(|candidate| trigger(candidate, context)).collect::<Vec<_>>();
        properties.insert("triggers".to_owned(), list(&json!({ "anyOf": any })));
    }
    if context.wants_reply {
        properties.insert("reply".to_owned(), json!({ "type": ["string", "null"] }));
    }
    let labels = labels(context);
    if !labels.is_empty() {
        properties.insert("applied".to_owned(), list(&json!({ "type": "string", "enum": labels })));
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn labels(context: &Context) -> Vec<&str> {
    let openings = context.triggers.iter().filter_map(|candidate| candidate.playbook.as_ref());
    let playbooks = context.playbook.iter().chain(openings);
    let mut labels: Vec<&str> = playbooks
        .flat_map(|playbook| {
            let notes = playbook.notes.iter().map(|note| note.label.as_str());
            notes.chain(playbook.learned.iter().map(|note| note.label.as_str()))
        })
        .collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

fn steps(offered: &[OfferedStep], context: &Context) -> Value {
    let mut ids: Vec<&str> = offered.iter().map(|step| &*step.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut writes = Map::new();
    for write in offered.iter().flat_map(|step| &step.writes) {
        let (name, ty) = write.split_once(": ").map_or((write.as_str(), None), |(name, ty)| (name, Some(ty)));
        writes.entry(name).or_insert_with(|| of_type(ty));
    }
    let names: Vec<&String> = writes.keys().collect();
    let has = |kind: &str| offered.iter().any(|step| step.kind == kind);
    let mut properties = Map::new();
    let mut property = |name: &str, schema: Value| properties.insert(name.to_owned(), schema);
    property("id", json!({ "type": "string", "enum": ids }));
    property("status", json!({ "type": "string", "enum": ["done", "waiting", "continue", "impossible"] }));
    property(
        "say",
        list(&json!({
            "type": "object",
            "properties": {
                "to": { "type": "string" },
                "text": { "type": "string" },
                "fill": { "type": "boolean" },
            },
            "required": ["text"],
            "additionalProperties": false,
        })),
    );
    property("why", json!({ "type": ["string", "null"] }));
    if !names.is_empty() {
        let texts: Map<String, Value> =
            names.iter().map(|name| ((*name).clone(), json!({ "type": "string" }))).collect();
        property("compute", json!({ "type": "object", "properties": texts, "additionalProperties": false }));
        property("evidence", json!({ "type": ["string", "null"] }));
    }
    if !context.tools.is_empty() {
        let tools: Vec<&str> = context.tools.iter().map(|tool| tool.name.as_str()).collect();
        property("call", list(&call(&tools, &names)));
    }
    if has("return") || has("playbook") {
        property("return", json!({}));
    }
    if has("list") {
        property("items", json!({ "type": "array" }));
    }
    if !writes.is_empty() {
        property("set", json!({ "type": "object", "properties": writes, "additionalProperties": false }));
    }
    json!({ "type": "object", "properties": properties, "required": ["id", "status"], "additionalProperties": false })
}

fn call(tools: &[&str], into: &[&String]) -> Value {
    let mut properties = Map::new();
    properties.insert("name".to_owned(), json!({ "type": "string", "enum": tools }));
    properties.insert("args".to_owned(), json!({ "type": "object" }));
    let expressions = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    properties.insert("compute".to_owned(), expressions);
    if !into.is_empty() {
        let names: Vec<Option<&String>> = into.iter().map(|name| Some(*name)).chain([None]).collect();
        properties.insert("into".to_owned(), json!({ "enum": names }));
    }
    json!({ "type": "object", "properties": properties, "required": ["name"], "additionalProperties": false })
}

fn decisions(ids: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "enum": ids },
            "value": { "type": "boolean" },
            "why": { "type": "string" },
            "evidence": { "type": ["string", "null"] },
        },
        "required": ["id", "value", "why"],
        "additionalProperties": false,
    })
}

fn trigger(candidate: &Candidate, context: &Context) -> Value {
    let mut properties = Map::new();
    properties.insert("id".to_owned(), json!({ "type": "string", "const": candidate.id }));
    properties.insert("why".to_owned(), json!({ "type": "string" }));
    properties.insert("args".to_owned(), json!({ "type": "object" }));
    if !candidate.opening.is_empty() {
        properties.insert("steps".to_owned(), list(&steps(&candidate.opening, context)));
    }
    json!({ "type": "object", "properties": properties, "required": ["id", "why"], "additionalProperties": false })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn of_type(ty: Option<&str>) -> Value {
    match ty.and_then(|ty| ty.split('[').next()) {
        Some("int") => json!({ "type": "integer" }),
        Some("float") => json!({ "type": "number" }),
        Some("str") => json!({ "type": "string" }),
        Some("bool") => json!({ "type": "boolean" }),
        Some("list" | "List") => json!({ "type": "array" }),
        Some("dict" | "Dict") => json!({ "type": "object" }),
        _ => json!({}),
    }
}
