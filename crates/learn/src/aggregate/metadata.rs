use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// So many different items of a list are kept, the most common first.
const MOST_ITEMS: usize = 10;

/// The metadata of many rows as one: the median of numbers, the most common word, the most common items of lists. JSON text; empty if
/// no row has any.
pub fn merged<'a>(rows: impl Iterator<Item = &'a str>) -> String {
    let mut fields: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in rows {
        let Ok(Value::Object(row)) = serde_json::from_str(row) else { continue };
        for (name, value) in row {
            fields.entry(name).or_default().push(value);
        }
    }
    if fields.is_empty() {
        return String::new();
    }
    let merged: Map<String, Value> =
        fields.into_iter().map(|(name, values)| (name, one_of(values))).collect();
    Value::Object(merged).to_string()
}

fn one_of(values: Vec<Value>) -> Value {
    let mut numbers: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
    if numbers.len() * 2 > values.len() {
        numbers.sort_by(f64::total_cmp);
        let median = numbers.get((numbers.len() - 1) / 2).copied().unwrap_or_default();
        let whole = median.fract() == 0.0 && median.abs() < 9e15;
        return if whole { json!(median as i64) } else { json!(median) };
    }
    if values.iter().filter(|value| value.is_array()).count() * 2 > values.len() {
        let items = values.into_iter().flat_map(|value| match value {
            Value::Array(items) => items,
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_)) => {
                vec![other]
            }
        });
        return by_count(items).into_iter().take(MOST_ITEMS).collect();
    }
    by_count(values.into_iter()).into_iter().next().unwrap_or_default()
}

/// The most common first; of equally common ones, the first by text.
fn by_count(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut counts: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    for value in values {
        counts.entry(value.to_string()).or_insert((0, value)).0 += 1;
    }
    let mut counted: Vec<(usize, Value)> = counts.into_values().collect();
    counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counted.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_words_and_lists_have_a_middle() {
        let rows = [
            r#"{"score": 1, "mood": "bad", "issues": ["slow", "rude"], "done": false}"#,
            r#"{"score": 5, "mood": "good", "issues": ["slow"], "done": false}"#,
            r#"{"score": 4, "mood": "good", "issues": [], "done": true}"#,
            "not json",
        ];
        let one = merged(rows.into_iter());
        assert_eq!(one, r#"{"done":false,"issues":["slow","rude"],"mood":"good","score":4}"#);
        assert_eq!(merged(["", "[]"].into_iter()), "");
    }
}
