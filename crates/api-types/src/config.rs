//! The configuration document on the wire.
//!
//! Our document has a list, `playbook_configs`; the public client knows only one object,
//! `user_playbook_extractor_config`. Both are shown, the object being the first of the list, and both are
//! understood, so that a client that cannot express the list never erases it.

use reflexio_types::Config;
use reflexio_types::config::{PathPart, PlaybookConfig, Violation};
use serde_json::{Map, Value, json};

use crate::body::{detail_of, loc_of};
use crate::detail::LocPart;

const LIST: &str = "playbook_configs";
const ALIAS: &str = "user_playbook_extractor_config";
/// The name of the list in clients of an age between ours and the public one's.
const OLD_LIST: &str = "user_playbook_extractor_configs";
/// Fields whose null means "the default", not "nothing".
const NEVER_NULL: [&str; 3] =
    ["eval_sample_n_per_stratum", "eval_concurrency_limit", "shadow_comparison_judge_prompt_version"];

/// Fields that the public client does not know: whoever does not send them does not mean to erase them.
const OURS: [&str; 2] = ["budget_config", "review_config"];

/// The document as it is sent: every field, nulls included, under both names.
pub fn render(config: &Config) -> Value {
    let mut document = json!(config);
    let (window, stride) = config.window_and_stride();
    document["window_size"] = json!(window);
    document["stride_size"] = json!(stride);
    document[ALIAS] = config.playbook_configs.first().map_or(Value::Null, alias_of);
    document
}

/// Reads a whole document that shall replace `current`.
pub fn parse_full(sent: &Value, current: &Config) -> Result<Config, Vec<Violation>> {
    let sent = object(sent)?;
    if !sent.contains_key("storage_config") {
        return Err(vec![Violation::new(vec!["storage_config".into()], "missing", "Field required")]);
    }
    let mut document = sent.clone();
    resolve_playbooks(&mut document, current);
    keep_unspoken(&mut document, current);
    forget_rendered_windows(&mut document, current);
    read(document)
}

/// Reads a document whose fields replace those of `current`, one by one.
pub fn parse_partial(sent: &Value, current: &Config) -> Result<Config, Vec<Violation>> {
    let mut sent = object(sent)?.clone();
    resolve_playbooks(&mut sent, current);
    let mut document = match json!(current) {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    let preset_chosen = sent.get("extraction_preset").is_some_and(|preset| !preset.is_null());
    if preset_chosen {
        document.remove("window_size");
        document.remove("stride_size");
    }
    document.extend(sent);
    read(document)
}

fn object(sent: &Value) -> Result<&Map<String, Value>, Vec<Violation>> {
    sent.as_object().ok_or_else(|| {
        vec![Violation::new(
            Vec::new(),
            "model_attributes_type",
            "Input should be an object: the configuration",
        )]
    })
}

/// Leaves exactly one spelling of the playbooks in the document: ours.
///
/// Whoever changed something wins: the list if it differs from what is stored, else the object if it
/// differs from what we showed for the first of the list, else nothing changes.
fn resolve_playbooks(document: &mut Map<String, Value>, current: &Config) {
    let alias = document.remove(ALIAS).filter(|alias| !alias.is_null());
    let old_list = document.remove(OLD_LIST).filter(|list| !list.is_null());
    if let Some(list) = old_list {
        document.entry(LIST).or_insert(list);
    }
    let stored = json!(current.playbook_configs);
    let list = document.remove(LIST).filter(|list| !list.is_null());
    let list_changed = list.as_ref().is_some_and(|list| *list != stored);
    let shown = current.playbook_configs.first().map(alias_of);
    let resolved = match (list, alias) {
        (Some(list), _) if list_changed => list,
        (_, Some(alias)) if Some(&alias) != shown.as_ref() => with_first(stored, &alias),
        _ => stored,
    };
    document.insert(LIST.to_owned(), resolved);
}

fn keep_unspoken(document: &mut Map<String, Value>, current: &Config) {
    let stored = json!(current);
    for field in OURS {
        document.entry(field).or_insert_with(|| stored[field].clone());
    }
}

/// Puts the fields of the public client's object into the first of the list; what it cannot express stays.
fn with_first(mut list: Value, alias: &Value) -> Value {
    let Some(alias) = alias.as_object() else { return json!([alias]) };
    let mut first = list.get(0).cloned().unwrap_or_else(|| json!(PlaybookConfig::general()));
    for (key, value) in alias {
        let (key, keep_if_null) = match key.as_str() {
            "extractor_name" | "feedback_name" => ("playbook_name", true),
            "extraction_definition_prompt" | "feedback_definition_prompt" => {
                ("playbook_definition_prompt", true)
            }
            "aggregation_config" => ("playbook_aggregator_config", true),
            other => (other, false),
        };
        if !(keep_if_null && value.is_null()) {
            first[key] = value.clone();
        }
    }
    match list.as_array_mut() {
        Some(entries) if !entries.is_empty() => entries[0] = first,
        _ => list = json!([first]),
    }
    list
}

fn alias_of(playbook: &PlaybookConfig) -> Value {
    json!({
        "extractor_name": playbook.playbook_name,
        "extraction_definition_prompt": playbook.playbook_definition_prompt,
        "context_prompt": playbook.context_prompt,
        "tagging_definition_prompt": playbook.tagging_definition_prompt,
        "aggregation_config": playbook.playbook_aggregator_config,
        "deduplication_config": playbook.deduplication_config,
        "request_sources_enabled": playbook.request_sources_enabled,
        "window_size_override": playbook.window_size_override,
        "stride_size_override": playbook.stride_size_override,
    })
}

/// We show the window that a preset stands for. A client that changes only the preset sends that number
/// back, and does not mean it.
fn forget_rendered_windows(document: &mut Map<String, Value>, current: &Config) {
    let preset = document.get("extraction_preset").cloned().unwrap_or(Value::Null);
    if preset.is_null() || preset == json!(current.extraction_preset) {
        return;
    }
    let (window, stride) = current.window_and_stride();
    for (field, shown) in [("window_size", window), ("stride_size", stride)] {
        if document.get(field) == Some(&json!(shown)) {
            document.remove(field);
        }
    }
}

fn read(mut document: Map<String, Value>) -> Result<Config, Vec<Violation>> {
    for field in NEVER_NULL {
        if document.get(field).is_some_and(Value::is_null) {
            document.remove(field);
        }
    }
    let mut unknown = Vec::new();
    let document = Value::Object(document);
    let mut note = |path: serde_ignored::Path<'_>| unknown.push(path.to_string());
    let noting = serde_ignored::Deserializer::new(&document, &mut note);
    let config: Config = serde_path_to_error::deserialize(noting).map_err(|error| {
        let detail = detail_of(&error.inner().to_string(), loc_of(error.path()));
        vec![Violation::new(detail.loc.into_iter().map(path_part).collect(), detail.kind, detail.msg)]
    })?;
    let violations: Vec<Violation> = unknown.iter().map(|path| extra_forbidden(path)).collect();
    if violations.is_empty() { Ok(config) } else { Err(violations) }
}

fn path_part(part: LocPart) -> PathPart {
    match part {
        LocPart::Key(key) => PathPart::Key(key),
        LocPart::Index(index) => PathPart::Index(usize::try_from(index).unwrap_or(usize::MAX)),
    }
}

/// serde_ignored writes `playbook_configs.0.?.name`; a `?` stands for an optional value on the way.
fn extra_forbidden(path: &str) -> Violation {
    let parts: Vec<&str> = path.split('.').filter(|part| *part != "?").collect();
    let last = parts.last().copied().unwrap_or_default();
    let hint = nearest(last).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    let path =
        parts.iter().map(|part| part.parse::<usize>().map_or_else(|_| (*part).into(), PathPart::Index));
    Violation::new(path.collect(), "extra_forbidden", format!("Extra inputs are not permitted{hint}"))
}

fn nearest(unknown: &str) -> Option<String> {
    let mut names = Vec::new();
    collect_names(&render(&Config::default()), &mut names);
    let scored = names.into_iter().map(|name| (strsim::jaro_winkler(unknown, &name), name));
    scored.filter(|(score, _)| *score > 0.87).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

fn collect_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, child) in fields {
                names.push(name.clone());
                collect_names(child, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|child| collect_names(child, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
