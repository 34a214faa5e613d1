//! The schema as servers want it, and answers brought back to the schema as we wrote it.

use serde_json::{Map, Value, json};

use super::schema::{CHOICES, Schema, is_of_type, resolve};

/// Bounds that some servers refuse; they are told in words and checked here.
const BOUNDS: [(&str, &str); 6] = [
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
];

/// The schema in the form that every server with schemas accepts: closed objects, every property required (an
/// optional one may be null), bounds in words.
pub(crate) fn for_servers(schema: &Schema) -> Value {
    strict(schema.as_value())
}

fn strict(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut out = Map::new();
    for (key, value) in fields {
        let value = match key.as_str() {
            "properties" | "$defs" => each(value, strict),
            "items" => strict(value),
            "anyOf" => value.as_array().map_or_else(|| value.clone(), |all| all.iter().map(strict).collect()),
            "default" | "examples" | "$schema" | "required" => continue,
            bound if BOUNDS.iter().any(|(name, _)| *name == bound) => continue,
            _ => value.clone(),
        };
        let key = if key == CHOICES { "enum" } else { key };
        out.insert(key.to_owned(), value);
    }
    if let Some(description) = described(fields) {
        out.insert("description".to_owned(), description.into());
    }
    if let Some(properties) = out.get("properties").and_then(Value::as_object).cloned() {
        close(&mut out, properties, fields.get("required"));
    }
    Value::Object(out)
}

fn each(object: &Value, change: fn(&Value) -> Value) -> Value {
    object.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), change(value))).collect()
}

fn close(out: &mut Map<String, Value>, properties: Map<String, Value>, required: Option<&Value>) {
    let required: Vec<&str> =
        required.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let names: Vec<String> = properties.keys().cloned().collect();
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|(key, rule)| if required.contains(&key.as_str()) { (key, rule) } else { (key, nullable(rule)) })
        .collect();
    out.insert("properties".to_owned(), properties.into());
    out.insert("required".to_owned(), names.into());
    out.insert("additionalProperties".to_owned(), false.into());
}

fn nullable(mut rule: Value) -> Value {
    let plain = rule.get("type").and_then(Value::as_str).map(str::to_owned);
    match plain {
        Some(name) if rule.get("enum").is_none() && rule.get("const").is_none() && name != "null" => {
            rule["type"] = json!([name, "null"]);
            rule
        }
        _ => json!({"anyOf": [rule, {"type": "null"}]}),
    }
}

fn described(fields: &Map<String, Value>) -> Option<String> {
    let bounds = BOUNDS.iter().filter_map(|(name, words)| {
        let bound = fields.get(*name)?;
        Some(words.replace("{}", &bound.to_string()))
    });
    let bounds: Vec<String> = bounds.collect();
    let description = fields.get("description").and_then(Value::as_str).unwrap_or_default();
    match (description, bounds.is_empty()) {
        ("", true) => None,
        (text, true) => Some(text.to_owned()),
        ("", false) => Some(bounds.join(", ")),
        (text, false) => Some(format!("{text} ({})", bounds.join(", "))),
    }
}

/// An answer in the form of the schema as we wrote it: optional fields that came as null are absent, fields nobody
/// asked for are dropped, a bare list stands in the one list the schema has.
pub(crate) fn tidy(schema: &Schema, value: Value) -> Value {
    let root = schema.as_value();
    let value = match (&value, only_list(root)) {
        (Value::Array(_), Some(key)) => json!({ key: value }),
        _ => value,
    };
    clean(root, root, value, 0)
}

/// The name of the only property, when it is a list.
fn only_list(root: &Value) -> Option<&str> {
    let properties = root.get("properties")?.as_object()?;
    let (key, rule) = properties.iter().next()?;
    let list = properties.len() == 1 && rule.get("type").is_some_and(|name| name == "array");
    list.then_some(key)
}

fn clean(root: &Value, rule: &Value, value: Value, depth: usize) -> Value {
    if depth > 64 {
        return value;
    }
    if let Some(target) = rule.get("$ref").and_then(Value::as_str).and_then(|name| resolve(root, name)) {
        return clean(root, target, value, depth + 1);
    }
    if let Some(choices) = rule.get("anyOf").and_then(Value::as_array) {
        let fits = |choice: &&Value| choice.get("type").is_none_or(|allowed| is_of_type(&value, allowed));
        let mut fitting = choices.iter().filter(fits);
        return match (fitting.next(), fitting.next()) {
            (Some(only), None) => clean(root, only, value, depth + 1),
            _ => value,
        };
    }
    match value {
        Value::Object(fields) => clean_object(root, rule, fields, depth),
        Value::Array(items) => {
            let rule = rule.get("items").unwrap_or(&Value::Null);
            items.into_iter().map(|item| clean(root, rule, item, depth + 1)).collect()
        }
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => value,
    }
}

fn clean_object(root: &Value, rule: &Value, fields: Map<String, Value>, depth: usize) -> Value {
    let Some(properties) = rule.get("properties").and_then(Value::as_object) else { return fields.into() };
    let required = |key: &str| {
        rule.get("required").and_then(Value::as_array).is_some_and(|keys| keys.iter().any(|name| name == key))
    };
    let closed = rule.get("additionalProperties") == Some(&Value::Bool(false));
    // An object of which nothing is known is something else: it stays as it is and is refused by the check.
    let foreign = !fields.keys().any(|key| properties.contains_key(key));
    let mut out = Map::new();
    for (key, value) in fields {
        match properties.get(&key) {
            Some(child) if value.is_null() && !required(&key) && !takes_null(child) => {}
            Some(child) => {
                out.insert(key, clean(root, child, value, depth + 1));
            }
            None if closed && !foreign => {}
            None => {
                out.insert(key, value);
            }
        }
    }
    Value::Object(out)
}

fn takes_null(rule: &Value) -> bool {
    let direct = rule.get("type").is_some_and(|allowed| is_of_type(&Value::Null, allowed));
    let choice =
        rule.get("anyOf").and_then(Value::as_array).is_some_and(|choices| choices.iter().any(takes_null));
    direct || choice
}
