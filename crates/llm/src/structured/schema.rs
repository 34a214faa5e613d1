//! The part of JSON Schema that our prompts use, with messages that a model can act on.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

/// How far references and nesting are followed.
const DEEPEST: usize = 64;
/// Enough for a model to correct itself; the rest would only make the prompt longer.
const MOST_VIOLATIONS: usize = 20;

const CHECKED: [&str; 15] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
];
/// Values that a server holds the model to if it can. Another value is no violation: the caller judges it, so that
/// one wrong item does not cost the whole answer.
pub(super) const CHOICES: &str = "x-choices";
const NOTES: [&str; 7] = ["$schema", "$defs", "title", "description", "default", "examples", CHOICES];

/// A schema with the name that servers ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    name: String,
    root: Value,
}

/// The schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("schema name `{0}` must consist of letters, digits, `_` and `-`")]
    Name(String),
    /// A keyword that is not checked would be a promise that is not kept.
    #[error("schema keyword `{keyword}` at `{path}` is not supported")]
    Keyword { keyword: String, path: String },
    #[error("schema reference `{0}` leads nowhere")]
    Reference(String),
}

/// What is wrong with an answer, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub path: String,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}`: {}",
            if self.path.is_empty() { "(the whole answer)" } else { &self.path },
            self.message
        )
    }
}

impl Schema {
    /// Takes a schema of an object, and refuses what would not be checked.
    pub fn new(name: impl Into<String>, root: Value) -> Result<Self, SchemaError> {
        let name = name.into();
        let sendable = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > 64 || !name.chars().all(sendable) {
            return Err(SchemaError::Name(name));
        }
        supported(&root, &root, "")?;
        Ok(Self { name, root })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn as_value(&self) -> &Value {
        &self.root
    }

    /// Everything that is wrong with `value`; empty means it fits.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        let mut check = Check { root: &self.root, found: Vec::new() };
        check.value(&self.root, value, "", 0);
        check.found
    }

    pub(crate) fn requires_a_field(&self) -> bool {
        self.root["required"].as_array().is_some_and(|keys| !keys.is_empty())
    }

    /// Whether `value` is the schema said back instead of an answer.
    pub(crate) fn is_echo(&self, value: &Value) -> bool {
        let Some(fields) = value.as_object() else { return false };
        let own = |key: &str| self.root["properties"].get(key).is_some();
        let inner = fields.get("schema").or_else(|| fields.get("json_schema"));
        let nested = |inner: &Value| !own("schema") && !own("json_schema") && self.is_echo(inner);
        let shaped = fields.get("properties").is_some_and(Value::is_object) && !own("properties");
        value == &self.root
            || inner.is_some_and(nested)
            || (shaped && (fields.contains_key("type") || fields.contains_key("required")))
    }
}

fn supported(root: &Value, schema: &Value, path: &str) -> Result<(), SchemaError> {
    let Some(fields) = schema.as_object() else { return Ok(()) };
    let known = |keyword: &str| CHECKED.contains(&keyword) || NOTES.contains(&keyword);
    if let Some(keyword) = fields.keys().find(|keyword| !known(keyword)) {
        return Err(SchemaError::Keyword { keyword: keyword.clone(), path: path.to_owned() });
    }
    if let Some(reference) = fields.get("$ref").and_then(Value::as_str)
        && resolve(root, reference).is_none()
    {
        return Err(SchemaError::Reference(reference.to_owned()));
    }
    for group in ["properties", "$defs"] {
        for (key, child) in fields.get(group).and_then(Value::as_object).into_iter().flatten() {
            supported(root, child, &format!("{path}/{group}/{key}"))?;
        }
    }
    for (index, child) in fields.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate() {
        supported(root, child, &format!("{path}/anyOf/{index}"))?;
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(child) = fields.get(keyword) {
            supported(root, child, &format!("{path}/{keyword}"))?;
        }
    }
    Ok(())
}

/// What `#/$defs/name` stands for.
pub(super) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}

struct Check<'a> {
    root: &'a Value,
    found: Vec<Violation>,
}

impl Check<'_> {
    fn add(&mut self, path: &str, message: impl Into<String>) {
        if self.found.len() < MOST_VIOLATIONS {
            self.found.push(Violation { path: path.to_owned(), message: message.into() });
        }
    }

    fn value(&mut self, schema: &Value, value: &Value, path: &str, depth: usize) {
        let Some(rules) = schema.as_object() else { return };
        if depth > DEEPEST {
            return self.add(path, "is nested too deeply");
        }
        if let Some(target) =
            rules.get("$ref").and_then(Value::as_str).and_then(|name| resolve(self.root, name))
        {
            return self.value(target, value, path, depth + 1);
        }
        if let Some(choices) = rules.get("anyOf").and_then(Value::as_array) {
            self.any_of(choices, value, path, depth);
        }
        if let Some(allowed) = rules.get("type")
            && !is_of_type(value, allowed)
        {
            return self.add(path, format!("must be {}, not {}", type_names(allowed), kind(value)));
        }
        if let Some(allowed) = rules.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
            self.add(path, format!("must be one of {}", allowed.join(", ")));
        }
        if let Some(constant) = rules.get("const")
            && constant != value
        {
            self.add(path, format!("must be {constant}"));
        }
        self.bounds(rules, value, path);
        match value {
            Value::Object(fields) => self.object(rules, fields, path, depth),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let rule = rules.get("items").unwrap_or(&Value::Null);
                    self.value(rule, item, &format!("{path}[{index}]"), depth + 1);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The messages of the choice that comes nearest, so that a model learns what to change.
    fn any_of(&mut self, choices: &[Value], value: &Value, path: &str, depth: usize) {
        let mut best: Option<Vec<Violation>> = None;
        for choice in choices {
            let mut check = Check { root: self.root, found: Vec::new() };
            check.value(choice, value, path, depth + 1);
            if check.found.is_empty() {
                return;
            }
            if best.as_ref().is_none_or(|best| check.found.len() < best.len()) {
                best = Some(check.found);
            }
        }
        for violation in best.into_iter().flatten() {
            self.add(&violation.path, violation.message);
        }
    }

    fn object(&mut self, rules: &Map<String, Value>, fields: &Map<String, Value>, path: &str, depth: usize) {
        let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let properties = rules.get("properties").and_then(Value::as_object);
        for key in
            rules.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
        {
            if !fields.contains_key(key) {
                self.add(&at(key), "is required");
            }
        }
        for (key, child) in fields {
            if let Some(rule) = properties.and_then(|properties| properties.get(key)) {
                self.value(rule, child, &at(key), depth + 1);
                continue;
            }
            match rules.get("additionalProperties") {
                Some(Value::Bool(false)) => self.add(&at(key), "is not a known field"),
                Some(rule) => self.value(rule, child, &at(key), depth + 1),
                None => {}
            }
        }
    }

    fn bounds(&mut self, rules: &Map<String, Value>, value: &Value, path: &str) {
        let (size, least, most, unit) = match value {
            Value::Array(items) => (Some(items.len() as f64), "minItems", "maxItems", " items"),
            Value::String(text) => {
                (Some(text.chars().count() as f64), "minLength", "maxLength", " characters")
            }
            Value::Number(number) => (number.as_f64(), "minimum", "maximum", ""),
            Value::Null | Value::Bool(_) | Value::Object(_) => return,
        };
        let Some(size) = size else { return };
        let bound = |keyword: &str| rules.get(keyword).and_then(Value::as_f64);
        if let Some(bound) = bound(least).filter(|bound| size < *bound) {
            self.add(path, format!("must be at least {bound}{unit}, not {size}"));
        }
        if let Some(bound) = bound(most).filter(|bound| size > *bound) {
            self.add(path, format!("must be at most {bound}{unit}, not {size}"));
        }
    }
}

pub(super) fn is_of_type(value: &Value, allowed: &Value) -> bool {
    let one = |name: &Value| match name.as_str() {
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Some(name) => kind(value) == name,
        None => true,
    };
    allowed.as_array().map_or_else(|| one(allowed), |names| names.iter().any(one))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn type_names(allowed: &Value) -> String {
    let several = allowed.as_array().into_iter().flatten().filter_map(Value::as_str);
    let names: BTreeSet<&str> = several.chain(allowed.as_str()).collect();
    names.into_iter().collect::<Vec<_>>().join(" or ")
}
