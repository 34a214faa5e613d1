//! What values look like, how large they are, and whether they fit a type.

use playbook_lang::Value;

/// The largest value a variable may hold, in bytes of content.
const MAX_BYTES: usize = 1 << 20;

/// Entries of the journal show no more of a value than this.
const BRIEF: usize = 240;

/// Whether a value can be kept: not too large, and with numbers that JSON knows.
pub(crate) fn is_storable(value: &Value) -> Result<(), String> {
    let mut left = MAX_BYTES;
    weigh(value, &mut left, 0)
}

fn weigh(value: &Value, left: &mut usize, depth: usize) -> Result<(), String> {
    let bytes = match value {
        Value::None | Value::Bool(_) | Value::Int(_) => 8,
        Value::Float(float) if !float.is_finite() => {
            return Err(format!("{float} is not a number that can be kept"));
        }
        Value::Float(_) => 8,
        Value::Text(text) => text.len(),
        Value::List(items) => items.len().saturating_mul(8),
        Value::Dict(pairs) => pairs.iter().map(|(key, _)| key.len() + 8).sum(),
    };
    *left = left
        .checked_sub(bytes)
        .ok_or_else(|| format!("the value is larger than the {MAX_BYTES} bytes a variable may hold"))?;
    if depth > 100 {
        return Err("the value is nested too deeply".to_owned());
    }
    match value {
        Value::List(items) => items.iter().try_for_each(|item| weigh(item, left, depth + 1)),
        Value::Dict(pairs) => pairs.iter().try_for_each(|(_, item)| weigh(item, left, depth + 1)),
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => Ok(()),
    }
}

/// The value itself if it is small, its beginning if not.
pub(crate) fn brief(value: &Value) -> Value {
    match value {
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) => value.clone(),
        Value::Text(text) if text.len() <= BRIEF => value.clone(),
        Value::Text(text) => Value::Text(cut(text)),
        Value::List(items) if items.is_empty() => value.clone(),
        Value::Dict(pairs) if pairs.is_empty() => value.clone(),
        Value::List(_) | Value::Dict(_) => {
            let json = serde_json::to_string(value).unwrap_or_default();
            if json.len() <= BRIEF { value.clone() } else { Value::Text(cut(&json)) }
        }
    }
}

fn cut(text: &str) -> String {
    let end = (0..=BRIEF).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}… ({} bytes)", &text[..end], text.len())
}

/// A value in words that are said: nothing for `None`, JSON for lists and dicts.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::None => String::new(),
        Value::Text(text) => text.clone(),
        Value::Bool(_) | Value::Float(_) | Value::Int(_) | Value::List(_) | Value::Dict(_) => {
            literal_text(value)
        }
    }
}

/// A value as a Python literal, for `Name(args)`.
pub(crate) fn literal_text(value: &Value) -> String {
    match value {
        Value::None => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::List(_) | Value::Dict(_) => {
            serde_json::to_string(value).unwrap_or_default()
        }
    }
}

/// The value as a declared type, converted where nothing is lost: `"42"` is an `int`, `3` a `float`.
pub(crate) fn fitted(value: Value, ty: Option<&str>) -> Result<Value, String> {
    let Some(ty) = ty else { return Ok(value) };
    let base = ty.split('[').next().unwrap_or(ty).trim();
    if ty.contains('|') || matches!(value, Value::None) {
        return Ok(value);
    }
    let refused = |value: &Value| Err(format!("{} is not of type `{ty}`", literal_text(&brief(value))));
    match (base, value) {
        ("int", value @ Value::Int(_))
        | ("float", value @ Value::Float(_))
        | ("str", value @ Value::Text(_))
        | ("bool", value @ Value::Bool(_))
        | ("list" | "List" | "tuple" | "set", value @ Value::List(_))
        | ("dict" | "Dict", value @ Value::Dict(_)) => Ok(value),
        #[expect(clippy::cast_precision_loss, reason = "a whole number is asked to be a float")]
        ("float", Value::Int(int)) => Ok(Value::Float(int as f64)),
        ("int", Value::Text(text)) => match text.trim().parse() {
            Ok(int) => Ok(Value::Int(int)),
            Err(_) => refused(&Value::Text(text)),
        },
        ("float", Value::Text(text)) => match text.trim().parse::<f64>() {
            Ok(float) if float.is_finite() => Ok(Value::Float(float)),
            _ => refused(&Value::Text(text)),
        },
        ("str", value @ (Value::Int(_) | Value::Float(_))) => Ok(Value::Text(literal_text(&value))),
        ("int" | "float" | "str" | "bool" | "list" | "List" | "tuple" | "set" | "dict" | "Dict", value) => {
            refused(&value)
        }
        (_, value) => Ok(value),
    }
}
