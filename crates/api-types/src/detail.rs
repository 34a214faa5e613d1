use reflexio_types::config::{PathPart, Violation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// Enough of a wrong value to recognise it, never so much that it floods a log.
const PREVIEW_CHARS: usize = 120;

/// One step on the way to the field that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum LocPart {
    Index(u64),
    Key(String),
}

impl From<&str> for LocPart {
    fn from(key: &str) -> Self {
        LocPart::Key(key.to_owned())
    }
}

impl From<&PathPart> for LocPart {
    fn from(part: &PathPart) -> Self {
        match part {
            PathPart::Key(key) => LocPart::Key(key.clone()),
            PathPart::Index(index) => LocPart::Index(*index as u64),
        }
    }
}

/// One thing that is wrong with a request.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Detail {
    /// A stable word for the kind of error.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it is: `["body", "interaction_data_list", 0, "user_action"]`.
    pub loc: Vec<LocPart>,
    /// What is wrong and what to do.
    pub msg: String,
    /// The beginning of what was sent.
    #[schema(value_type = Value, required = false)]
    pub input: Option<Value>,
}

/// The body of a 422.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ValidationErrors {
    pub detail: Vec<Detail>,
}

/// The body of a 422 to a partial configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PartialConfigErrors {
    pub detail: PartialConfigDetail,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PartialConfigDetail {
    pub error: String,
    pub hint: String,
    pub validation_errors: Vec<Detail>,
}

/// A 422 to a partial configuration: a body that is no JSON is answered as everywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum UpdateConfigErrors {
    Partial(PartialConfigErrors),
    Body(ValidationErrors),
}

impl Detail {
    pub fn new(kind: &str, loc: Vec<LocPart>, msg: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), loc, msg: msg.into(), input: None }
    }

    /// An error about the body as a whole or a named field of it.
    pub fn body(kind: &str, fields: &[&str], msg: impl Into<String>) -> Self {
        let loc = std::iter::once("body").chain(fields.iter().copied()).map(LocPart::from).collect();
        Self::new(kind, loc, msg)
    }

    pub fn with_input(mut self, input: Option<&Value>) -> Self {
        self.input = input.map(preview);
        self
    }
}

impl From<&Violation> for Detail {
    fn from(violation: &Violation) -> Self {
        let loc = violation.path.iter().map(LocPart::from).collect();
        Self::new(&violation.kind, loc, violation.message.clone())
    }
}

fn preview(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > PREVIEW_CHARS => {
            let start: String = text.chars().take(PREVIEW_CHARS).collect();
            Value::String(format!("{start}… ({} characters)", text.chars().count()))
        }
        Value::Array(items) => Value::String(format!("list of {}", items.len())),
        Value::Object(fields) => {
            let names: Vec<&str> = fields.keys().map(String::as_str).take(8).collect();
            let more = if fields.len() > names.len() { ", …" } else { "" };
            let text = format!("object with {}{more}", names.join(", "));
            Value::String(text.chars().take(PREVIEW_CHARS).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
