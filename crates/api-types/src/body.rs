//! Reading a body or a query string so that a mistake is answered with the field and the reason.

use memchr::memmem;
use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::detail::{Detail, LocPart};
use crate::field::FieldError;
use crate::object::OnlyObject;

/// A request of the contract. Fields check themselves while they are read; what concerns several fields
/// is checked here.
pub trait WireRequest: DeserializeOwned {
    /// `unknown` are the keys that were ignored: one of them may be the misspelled cause.
    fn check(&self, unknown: &[String]) -> Vec<Detail> {
        let _ = unknown;
        Vec::new()
    }
}

/// A document that is read further elsewhere, such as the configuration.
impl WireRequest for Value {}

/// A well-formed request, and the keys in it that mean nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed<T> {
    pub value: T,
    /// As `interaction_data_list.0.Content`.
    pub ignored: Vec<String>,
}

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected(pub Vec<Detail>);

/// Reads a JSON body.
pub fn parse_body<T: WireRequest>(bytes: &[u8]) -> Result<Parsed<T>, Rejected> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Rejected(vec![Detail::body("missing", &[], "Field required: send a JSON body")]));
    }
    refuse_nul(bytes)?;
    let mut ignored = Vec::new();
    let value = {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let mut note = |path: serde_ignored::Path<'_>| ignored.push(path.to_string());
        let noting = serde_ignored::Deserializer::new(&mut json, &mut note);
        let mut track = serde_path_to_error::Track::new();
        let tracked = serde_path_to_error::Deserializer::new(noting, &mut track);
        let read = OnlyObject::new().deserialize(tracked);
        let value: T = read.map_err(|error| rejected(bytes, &track.path(), &error))?;
        json.end().map_err(|error| Rejected(vec![json_invalid(bytes, &error, "")]))?;
        value
    };
    let problems = value.check(&ignored);
    if problems.is_empty() { Ok(Parsed { value, ignored }) } else { Err(Rejected(problems)) }
}

/// Reads a query string.
pub fn parse_query<T: WireRequest>(query: &str) -> Result<T, Rejected> {
    if let Some((name, _)) = form_pairs(query).find(|(_, value)| value.contains('\0')) {
        return Err(nul(vec![LocPart::from("query"), LocPart::from(name.as_ref())]));
    }
    let pairs = serde_urlencoded::Deserializer::new(form_pairs(query));
    let value: T = serde_path_to_error::deserialize(pairs).map_err(|error| {
        let mut loc = vec![LocPart::from("query")];
        loc.extend(loc_of(error.path()));
        Rejected(vec![detail_of(&error.inner().to_string(), loc)])
    })?;
    let problems = value.check(&[]);
    if problems.is_empty() { Ok(value) } else { Err(Rejected(problems)) }
}

fn form_pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}

/// No database keeps U+0000 in a text faithfully, so it is refused by name.
fn refuse_nul(bytes: &[u8]) -> Result<(), Rejected> {
    if memmem::find(bytes, b"\\u0000").is_none() {
        return Ok(());
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return Ok(()) };
    let mut loc = vec![LocPart::from("body")];
    match find_nul(&value, &mut loc) {
        true => Err(nul(loc)),
        false => Ok(()),
    }
}

fn nul(loc: Vec<LocPart>) -> Rejected {
    let message = "Value error, the character U+0000 (NUL) cannot be stored; remove it";
    Rejected(vec![Detail::new("value_error", loc, message)])
}

fn find_nul(value: &Value, loc: &mut Vec<LocPart>) -> bool {
    let mut inside = |part: LocPart, child: &Value| {
        loc.push(part);
        let found = find_nul(child, loc);
        if !found {
            loc.pop();
        }
        found
    };
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => {
            items.iter().enumerate().any(|(index, child)| inside(LocPart::Index(index as u64), child))
        }
        Value::Object(fields) => {
            // A question is not stored, and any text is a question.
            let stored = fields.iter().filter(|(key, child)| *key != "query" || !child.is_string());
            stored
                .into_iter()
                .any(|(key, child)| key.contains('\0') || inside(LocPart::from(key.as_str()), child))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn rejected(bytes: &[u8], path: &Path, error: &serde_json::Error) -> Rejected {
    if error.is_syntax() || error.is_eof() {
        return Rejected(vec![json_invalid(bytes, error, &path.to_string())]);
    }
    let mut loc = vec![LocPart::from("body")];
    loc.extend(loc_of(path));
    match serde_json::from_slice::<Value>(bytes) {
        Ok(input) => {
            Rejected(vec![detail_of(&error.to_string(), loc.clone()).with_input(lookup(&input, &loc[1..]))])
        }
        // The text is broken further on; that is the better news.
        Err(syntax) => Rejected(vec![json_invalid(bytes, &syntax, "")]),
    }
}

/// Says at which byte reading stopped, and in which field if that is known.
fn json_invalid(bytes: &[u8], error: &serde_json::Error, field: &str) -> Detail {
    let before: usize = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    let position = (before + error.column()).saturating_sub(1) as u64;
    let place = if matches!(field, "" | ".") { String::new() } else { format!(" in `{field}`") };
    let loc = vec![LocPart::from("body"), LocPart::Index(position)];
    Detail::new("json_invalid", loc, format!("JSON decode error{place}: {error}"))
}

fn lookup<'a>(value: &'a Value, loc: &[LocPart]) -> Option<&'a Value> {
    loc.iter().try_fold(value, |value, part| match part {
        LocPart::Key(key) => value.get(key.as_str()),
        LocPart::Index(index) => value.get(usize::try_from(*index).ok()?),
    })
}

pub(crate) fn loc_of(path: &Path) -> Vec<LocPart> {
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(LocPart::Index(*index as u64)),
            Segment::Map { key } => Some(LocPart::from(key.as_str())),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}

/// Turns serde's words into an error type that clients know and a sentence for people.
pub(crate) fn detail_of(message: &str, mut loc: Vec<LocPart>) -> Detail {
    let message = message.rsplit_once(" at line ").map_or(message, |(text, _)| text);
    if let Some(field) = between(message, "missing field `", "`") {
        loc.push(LocPart::from(field));
        return Detail::new("missing", loc, "Field required");
    }
    if let Some(error) = FieldError::decode(message) {
        return Detail::new(&error.kind, loc, error.message);
    }
    if let Some((_, expected)) = message.split_once(", expected ")
        && message.starts_with("unknown variant")
    {
        let expected = expected.trim_start_matches("one of ").replace('`', "'");
        return Detail::new("enum", loc, format!("Input should be one of {expected}"));
    }
    if let Some(field) = between(message, "duplicate field `", "`") {
        loc.push(LocPart::from(field));
        return Detail::new("value_error", loc, "Value error, the field is given twice");
    }
    Detail::new(type_error(message), loc, sentence(message))
}

fn type_error(message: &str) -> &'static str {
    let expected = message.rsplit_once("expected ").map_or("", |(_, expected)| expected);
    match expected {
        _ if expected.contains("string") => "string_type",
        "a boolean" | "bool" => "bool_type",
        "f64" | "f32" => "float_type",
        _ if ["i64", "u64", "u32", "i32", "u8", "usize"].contains(&expected) => "int_type",
        _ if expected.starts_with("a sequence") => "list_type",
        _ if expected.starts_with("struct") || expected.contains("map") => "model_attributes_type",
        _ => "value_error",
    }
}

fn sentence(message: &str) -> String {
    let message =
        message.replace("a map", "an object").replace("a sequence", "a list").replace("sequence", "list");
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).take(300).collect())
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    text.split_once(start)?.1.split_once(end).map(|(inner, _)| inner)
}
