//! How a value looks in a description: nothing for `None`, JSON for lists and dicts, Python's `str` for the rest.

use std::fmt::Write;

use monty_types::MontyObject;

/// Longer JSON stands on lines of its own.
const ONE_LINE: usize = 100;

pub(super) fn shown(object: &MontyObject) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is `str()`")]
    match object {
        MontyObject::None => String::new(),
        MontyObject::List(_) | MontyObject::Dict(_) => {
            let mut line = String::new();
            json(object, None, &mut line);
            if line.chars().count() <= ONE_LINE {
                return line;
            }
            let mut lines = String::from("\n");
            json(object, Some(0), &mut lines);
            lines.push('\n');
            lines
        }
        MontyObject::Set(items) if items.iter().all(|item| matches!(item, MontyObject::Int(_))) => {
            MontyObject::Set(in_order(items)).to_string()
        }
        // A function or another thing without a value of its own.
        MontyObject::Repr(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Small numbers stand in order in the sets of CPython, and people have come to expect it.
fn in_order(items: &[MontyObject]) -> Vec<MontyObject> {
    let mut items = items.to_vec();
    items.sort_by_key(|item| if let MontyObject::Int(int) = item { *int } else { i64::MAX });
    items
}

/// Whether only Python's own `str` shows a value as people know it.
pub(super) fn needs_python(object: &MontyObject) -> bool {
    matches!(
        object,
        MontyObject::Date(_)
            | MontyObject::DateTime(_)
            | MontyObject::Time(_)
            | MontyObject::TimeDelta(_)
            | MontyObject::TimeZone(_)
            | MontyObject::Exception { .. }
            | MontyObject::Path(_)
            | MontyObject::Tuple(_)
    )
}

/// Python's `json.dumps`: blanks after separators, or two blanks of indentation a level.
fn json(object: &MontyObject, indent: Option<usize>, out: &mut String) {
    #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is a text, as with `default=str`")]
    match object {
        MontyObject::None => out.push_str("null"),
        MontyObject::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        MontyObject::Int(_) | MontyObject::BigInt(_) => {
            let _ = write!(out, "{object}");
        }
        MontyObject::Float(float) => out.push_str(&number(*float, object)),
        MontyObject::List(items) | MontyObject::Tuple(items) => {
            sequence(('[', ']'), items.iter(), indent, out, json);
        }
        MontyObject::Dict(pairs) => {
            sequence(('{', '}'), pairs.into_iter(), indent, out, |(key, value), indent, out| {
                text(&key_text(key), out);
                out.push_str(": ");
                json(value, indent, out);
            });
        }
        other => text(&shown(other), out),
    }
}

fn number(float: f64, object: &MontyObject) -> String {
    if float.is_nan() {
        "NaN".to_owned()
    } else if float.is_infinite() {
        if float > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else {
        object.to_string()
    }
}

fn key_text(key: &MontyObject) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other keys are their text")]
    match key {
        MontyObject::None => "null".to_owned(),
        MontyObject::Bool(value) => value.to_string(),
        other => other.to_string(),
    }
}

fn sequence<T>(
    (open, close): (char, char),
    items: impl ExactSizeIterator<Item = T>,
    indent: Option<usize>,
    out: &mut String,
    mut item: impl FnMut(T, Option<usize>, &mut String),
) {
    out.push(open);
    let is_empty = items.len() == 0;
    for (index, value) in items.enumerate() {
        match indent {
            Some(level) => {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.extend(std::iter::repeat_n("  ", level + 1));
            }
            None if index > 0 => out.push_str(", "),
            None => {}
        }
        item(value, indent.map(|level| level + 1), out);
    }
    if let (Some(level), false) = (indent, is_empty) {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    }
    out.push(close);
}

fn text(value: &str, out: &mut String) {
    match serde_json::to_string(value) {
        Ok(quoted) => out.push_str(&quoted),
        Err(_) => out.push_str("\"\""),
    }
}
