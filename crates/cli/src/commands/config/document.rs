//! Paths into a JSON document.

use serde_json::{Map, Value};

/// JSON if it is JSON, a text otherwise.
pub(super) fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Puts a value at a dotted path; objects on the way are made, lists must be long enough.
pub(super) fn put(document: &mut Value, path: &str, value: Value) -> Result<(), String> {
    let mut place = document;
    for part in path.split('.') {
        if part.is_empty() {
            return Err(format!("`{path}` is not a path: a part of it is empty"));
        }
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place = match place {
            Value::Object(fields) => fields.entry(part).or_insert(Value::Null),
            Value::Array(items) => {
                let length = items.len();
                let index = part.parse::<usize>().map_err(|_| {
                    format!("`{path}`: there is a list, so `{part}` must be a number from 0 on")
                })?;
                if index == length {
                    items.push(Value::Null);
                }
                items.get_mut(index).ok_or_else(|| format!("`{path}`: the list has only {length} entries"))?
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(format!("`{path}`: what is before `{part}` is a plain value"));
            }
        };
    }
    *place = value;
    Ok(())
}

/// Every plain value that is set, by its path.
pub(super) fn flatten(value: &Value, path: &mut String, rows: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, child) in fields {
                within(path, key, |path| flatten(child, path, rows));
            }
        }
        Value::Array(items) => {
            for (index, child) in items.iter().enumerate() {
                within(path, &index.to_string(), |path| flatten(child, path, rows));
            }
        }
        Value::Null => {}
        Value::String(text) => rows.push((path.clone(), text.clone())),
        Value::Bool(_) | Value::Number(_) => rows.push((path.clone(), value.to_string())),
    }
}

fn within(path: &mut String, part: &str, visit: impl FnOnce(&mut String)) {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(part);
    visit(path);
    path.truncate(length);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(path: &str, value: Value, expected: Result<Value, &str>) {
        let mut document = json!({"window_size": 10, "list": [{"name": "a"}], "llm_config": null});
        let done = put(&mut document, path, value).map(|()| document);
        match expected {
            Ok(expected) => assert_eq!(done, Ok(expected)),
            Err(part) => assert!(done.as_ref().is_err_and(|error| error.contains(part)), "{done:?}"),
        }
    }

    #[test]
    fn values_are_put_where_their_path_says() {
        check(
            "window_size",
            json!(20),
            Ok(json!({"window_size": 20, "list": [{"name": "a"}], "llm_config": null})),
        );
        check(
            "list.0.name",
            json!("b"),
            Ok(json!({"window_size": 10, "list": [{"name": "b"}], "llm_config": null})),
        );
        check(
            "list.1.name",
            json!("b"),
            Ok(json!({"window_size": 10, "list": [{"name": "a"}, {"name": "b"}], "llm_config": null})),
        );
        check(
            "llm_config.model",
            json!("x"),
            Ok(json!({"window_size": 10, "list": [{"name": "a"}], "llm_config": {"model": "x"}})),
        );
    }

    #[test]
    fn a_path_that_leads_nowhere_is_explained() {
        check("list.5.name", json!(1), Err("only 1 entries"));
        check("list.first", json!(1), Err("must be a number"));
        check("window_size.inner", json!(1), Err("plain value"));
        check("a..b", json!(1), Err("empty"));
    }

    #[test]
    fn only_what_is_set_is_listed() {
        let mut rows = Vec::new();
        flatten(&json!({"a": {"b": [true, {"c": "text"}]}, "d": null}), &mut String::new(), &mut rows);
        assert_eq!(
            rows,
            [("a.b.0".to_owned(), "true".to_owned()), ("a.b.1.c".to_owned(), "text".to_owned())]
        );
    }
}
