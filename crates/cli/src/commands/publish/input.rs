//! Reading what is to be published: one request, many of them, or bare turns.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::failure::Failure;

/// The key that tells a request from a turn.
const TURNS: &str = "interaction_data_list";

/// A request of a larger input, with its place in it.
pub(super) struct Item {
    /// Counted from 1.
    pub(super) number: usize,
    pub(super) body: Result<Value, String>,
}

/// What an input holds.
pub(super) enum Input {
    One(Value),
    Many(Many),
}

/// Several requests.
pub(super) struct Many {
    /// What [`Item::number`] counts: `line` or `entry`.
    pub(super) unit: &'static str,
    pub(super) total: Option<u64>,
    pub(super) items: Box<dyn Iterator<Item = io::Result<Item>>>,
}

impl Input {
    pub(super) fn file(path: &Path) -> anyhow::Result<Self> {
        let open = || File::open(path).with_context(|| format!("cannot read {}", path.display()));
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if matches!(ending, "jsonl" | "ndjson") {
            let total = BufReader::new(open()?).split(b'\n').count() as u64;
            return Ok(Input::Many(lines(Box::new(BufReader::new(open()?)), Some(total))));
        }
        Self::read(open()?).with_context(|| format!("cannot use {}", path.display()))
    }

    pub(super) fn stdin() -> anyhow::Result<Self> {
        Self::read(io::stdin()).context("cannot use the standard input")
    }

    /// Text whose first value ends before the text does holds one value per line.
    fn read(mut input: impl Read) -> anyhow::Result<Self> {
        let mut text = String::new();
        input.read_to_string(&mut text)?;
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let first = values.next();
        let rest = text.get(values.byte_offset()..).unwrap_or_default();
        match first {
            None => Err(Failure::bad_input("there is nothing in it").into()),
            Some(Ok(value)) if rest.trim().is_empty() => Self::of(value),
            Some(Ok(_)) => {
                let total = text.lines().count() as u64;
                Ok(Input::Many(lines(Box::new(io::Cursor::new(text)), Some(total))))
            }
            Some(Err(error)) => {
                Err(Failure::bad_input("it is not JSON").details(vec![error.to_string()]).into())
            }
        }
    }

    pub(super) fn json(text: &str) -> anyhow::Result<Self> {
        let value = serde_json::from_str(text)
            .map_err(|error| Failure::bad_input("--data is not JSON").details(vec![error.to_string()]))?;
        Self::of(value)
    }

    fn of(value: Value) -> anyhow::Result<Self> {
        let requests = value.as_array().filter(|items| items.iter().any(|item| item.get(TURNS).is_some()));
        let Some(requests) = requests else { return Ok(Input::One(request_of(value))) };
        let total = Some(requests.len() as u64);
        let items = requests.clone().into_iter().enumerate();
        let items = items.map(|(index, value)| Ok(Item { number: index + 1, body: Ok(value) }));
        Ok(Input::Many(Many { unit: "entry", total, items: Box::new(items) }))
    }
}

/// A bare list is a list of turns.
pub(super) fn request_of(value: Value) -> Value {
    if value.is_array() { json!({ TURNS: value }) } else { value }
}

fn lines(input: Box<dyn BufRead>, total: Option<u64>) -> Many {
    let numbered = input.lines().enumerate().filter_map(|(index, line)| match line {
        Ok(line) if line.trim().is_empty() => None,
        Ok(line) => {
            let body = serde_json::from_str(&line).map_err(|error| format!("not JSON: {error}"));
            Some(Ok(Item { number: index + 1, body }))
        }
        Err(error) => Some(Err(error)),
    });
    Many { unit: "line", total, items: Box::new(numbered) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shape = match Input::read(text.as_bytes()) {
            Ok(Input::One(value)) => format!("one {value}"),
            Ok(Input::Many(many)) => {
                let numbers = many.items.map(|item| item.map(|item| (item.number, item.body.is_ok())));
                format!("{} {:?}", many.unit, numbers.collect::<io::Result<Vec<_>>>().unwrap())
            }
            Err(error) => format!("{error:#}"),
        };
        assert_eq!(shape, expected);
    }

    #[test]
    fn the_shape_of_an_input_is_told_by_its_content() {
        check(r#"{"user_id": "u"}"#, r#"one {"user_id":"u"}"#);
        check(r#"[{"role": "User"}]"#, r#"one {"interaction_data_list":[{"role":"User"}]}"#);
        check(r#"[{"interaction_data_list": []}, 5]"#, "entry [(1, true), (2, true)]");
        check("{\"a\": 1}\n\n{broken\n{\"a\": 2}\n", "line [(1, true), (3, false), (4, true)]");
        check("\n \n", "there is nothing in it");
        check("{broken", "it is not JSON");
    }
}
