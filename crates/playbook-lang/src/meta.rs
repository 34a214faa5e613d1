//! Metadata: the `key: value` lines of agents and playbooks.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::span::Span;

/// Keys that mean something, with where they may stand.
pub(crate) const KNOWN: &[&str] = &[
    "author",
    "auth",
    "buffer_messages",
    "buffer_timeout",
    "cli_entry",
    "delivery_channel",
    "delivery_handler",
    "description",
    "execution_mode",
    "export",
    "hidden",
    "learn",
    "meeting",
    "meeting_notifications",
    "model",
    "name",
    "on_fail",
    "optional_attendees",
    "public",
    "pure",
    "remote",
    "repeat",
    "required_attendees",
    "startup_mode",
    "streaming_chunk_size",
    "streaming_enabled",
    "title",
];

/// Keys that are metadata wherever they begin a line of a description; others are words there.
const ANYWHERE: &[&str] = &[
    "cli_entry",
    "execution_mode",
    "export",
    "hidden",
    "meeting",
    "optional_attendees",
    "public",
    "remote",
    "required_attendees",
    "startup_mode",
];

/// One key with its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    pub key: String,
    pub value: Value,
    #[serde(skip)]
    pub span: Span,
}

/// The metadata of an agent or a playbook, in the order it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Meta {
    pub entries: Vec<Entry>,
}

impl Meta {
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.value)
    }

    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Whether a key says `true`.
    #[must_use]
    pub fn is_set(&self, key: &str) -> bool {
        self.get(key).and_then(truth).unwrap_or(false)
    }
}

/// `true` and `false`, and the words older YAML has for them.
pub(crate) fn truth(value: &Value) -> Option<bool> {
    match value.as_str().map(str::to_lowercase).as_deref() {
        Some("yes" | "on") => Some(true),
        Some("no" | "off") => Some(false),
        Some(_) => None,
        None => value.as_bool(),
    }
}

/// A run of lines that is metadata: which lines, and what they hold or why they cannot be read.
pub(crate) struct Found {
    pub(crate) lines: std::ops::Range<usize>,
    pub(crate) entries: Result<Map<String, Value>, String>,
}

/// Finds the metadata among the lines of a description area. A line that may not be looked at (code, for example)
/// is given as `None`.
pub(crate) fn find(lines: &[Option<&str>]) -> Vec<Found> {
    let mut found = Vec::new();
    let first =
        lines.iter().position(|line| line.is_none_or(|line| !line.trim().is_empty())).unwrap_or(lines.len());
    let mut at = first;
    if lines.get(first).copied().flatten().is_some_and(|line| line.trim_end() == "metadata:") {
        let block = canonical(lines, first);
        at = block.lines.end;
        found.push(block);
    } else if let Some(block) = prefix(lines, first) {
        at = block.lines.end;
        found.push(block);
    }
    while at < lines.len() {
        match key_of(lines[at]) {
            Some(key) if ANYWHERE.contains(&key) => {
                let end = entry_end(lines, at);
                match parse_yaml(&joined(&lines[at..end])) {
                    // Prose may begin with such a word; then it is prose.
                    Ok(entries) if entries.values().all(|value| !value.is_null() && !is_sentence(value)) => {
                        found.push(Found { lines: at..end, entries: Ok(entries) });
                    }
                    _ => {}
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    found
}

fn is_sentence(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.split_whitespace().count() > 3)
}

/// `metadata:` with indented lines, up to `---` or to where the indentation ends.
fn canonical(lines: &[Option<&str>], first: usize) -> Found {
    let is_rule = |line: &Option<&str>| line.is_some_and(|line| line.trim() == "---");
    let is_inner = |line: &Option<&str>| {
        line.is_some_and(|line| {
            line.trim().is_empty() || line.starts_with([' ', '\t']) || line.starts_with("- ")
        })
    };
    let inner = lines[first + 1..].iter().take_while(|line| is_inner(line) && !is_rule(line)).count();
    let mut end = first + 1 + inner;
    let yaml = joined(&lines[first..end]);
    if lines.get(end).is_some_and(is_rule) {
        end += 1;
    }
    let entries = match parse_yaml(&yaml) {
        Ok(mut map) => match map.remove("metadata") {
            Some(Value::Object(entries)) => Ok(entries),
            Some(Value::Null) | None => Ok(Map::new()),
            Some(_) => Err("`metadata` must hold keys with values".to_owned()),
        },
        Err(reason) => Err(reason),
    };
    Found { lines: first..end, entries }
}

/// Loose `key: value` lines right under a heading.
fn prefix(lines: &[Option<&str>], first: usize) -> Option<Found> {
    let mut end = first;
    while end < lines.len() && key_of(lines[end]).is_some() {
        end = entry_end(lines, end);
    }
    if end == first {
        return None;
    }
    let entries = parse_yaml(&joined(&lines[first..end])).ok()?;
    let is_data = |(key, value): (&String, &Value)| {
        KNOWN.contains(&key.as_str()) || (!value.is_null() && !is_sentence(value) && !is_placeholder(value))
    };
    if !entries.iter().all(is_data) {
        return None;
    }
    if lines.get(end).copied().flatten().is_some_and(|line| line.trim() == "---") {
        end += 1;
    }
    Some(Found { lines: first..end, entries: Ok(entries) })
}

/// `{x}` is a YAML mapping with a null in it; in a description it is a placeholder.
fn is_placeholder(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.values().any(Value::is_null),
        Value::String(text) => text.contains('{'),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

/// The key of a line like `public: true`.
fn key_of(line: Option<&str>) -> Option<&str> {
    let (key, rest) = line?.split_once(':')?;
    let is_key = key.starts_with(|first: char| first.is_ascii_lowercase())
        && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    (is_key && (rest.trim().is_empty() || rest.starts_with([' ', '\t']))).then_some(key)
}

/// Where an entry ends: its indented lines and list items belong to it.
fn entry_end(lines: &[Option<&str>], at: usize) -> usize {
    let is_open = lines[at].is_some_and(|line| line.trim_end().ends_with(':'));
    let belongs = |line: &Option<&str>| {
        line.is_some_and(|line| {
            !line.trim().is_empty() && (line.starts_with([' ', '\t']) || (is_open && line.starts_with("- ")))
        })
    };
    at + 1 + lines[at + 1..].iter().take_while(|line| belongs(line)).count()
}

fn joined(lines: &[Option<&str>]) -> String {
    lines
        .iter()
        .map(|line| line.unwrap_or_default().trim_end_matches(['\n', '\r']))
        .collect::<Vec<_>>()
        .join("\n")
}

/// `public: true`, which is what most metadata is and needs no parser.
fn plain_entry(text: &str) -> Option<(&str, bool)> {
    let (key, value) = text.split_once(": ")?;
    key_of(Some(text)).filter(|found| *found == key)?;
    match value.trim() {
        "true" => Some((key, true)),
        "false" => Some((key, false)),
        _ => None,
    }
}

/// A YAML mapping as JSON. Empty text is an empty mapping.
pub(crate) fn parse_yaml(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    if let Some((key, value)) = plain_entry(text) {
        return Ok(std::iter::once((key.to_owned(), Value::Bool(value))).collect());
    }
    // A list item `y` is a letter, not a truth.
    let options = serde_saphyr::options! { strict_booleans: true };
    match serde_saphyr::from_str_with_options::<Value>(text, options) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err("it is not a mapping of keys to values".to_owned()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
}
