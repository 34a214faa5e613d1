//! Whatever a model writes: what is found in it fits the schema, and finding it is bounded.
#![no_main]

use std::cell::Cell;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

#[path = "../../crates/llm/src/structured/lenient.rs"]
mod lenient;
#[path = "../../crates/llm/src/structured/recover.rs"]
mod recover;
#[path = "../../crates/llm/src/structured/schema.rs"]
#[allow(dead_code)]
mod schema;
#[path = "../../crates/llm/src/structured/shape.rs"]
#[allow(dead_code)]
mod shape;

use recover::{Found, Truncation, find};
use schema::Schema;

thread_local! {
    static SCHEMA: Schema = schema();
}

/// Lists, choices, references, bounds: what the prompts use.
#[allow(clippy::expect_used)]
fn schema() -> Schema {
    let item = json!({ "type": "object", "additionalProperties": false, "required": ["text"], "properties": {
        "text": { "type": "string", "minLength": 1, "maxLength": 40 },
        "kind": { "enum": ["fact", "rule", null] },
        "score": { "type": ["number", "null"], "minimum": 0, "maximum": 1 },
        "parts": { "type": "array", "items": { "$ref": "#/$defs/item" }, "maxItems": 5 },
        "other": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/item" }] }
    }});
    let root = json!({ "type": "object", "additionalProperties": false, "required": ["items"],
        "properties": { "items": { "type": "array", "items": { "$ref": "#/$defs/item" } } },
        "$defs": { "item": item } });
    Schema::new("answer", root).expect("a schema")
}

fuzz_target!(|text: &str| {
    SCHEMA.with(|schema| {
        for truncation in [Truncation::Refuse, Truncation::KeepCompleteItems] {
            for cut in [false, true] {
                look(schema, text, cut, truncation);
            }
        }
    });
});

fn look(schema: &Schema, text: &str, cut: bool, truncation: Truncation) {
    let tried = Cell::new(0);
    let fit = |value: Value| {
        tried.set(tried.get() + 1);
        let value = shape::tidy(schema, value);
        let violations = schema.violations(&value);
        if violations.is_empty() { Ok(value) } else { Err(violations) }
    };
    match find(text, cut, truncation, fit, || schema.requires_a_field()) {
        Found::Fits { value, whole } => {
            assert!(whole || truncation == Truncation::KeepCompleteItems);
            assert!(schema.violations(&value).is_empty());
            assert_eq!(shape::tidy(schema, value.clone()), value, "what is tidy stays as it is");
        }
        Found::Misfit(violations) => assert!(!violations.is_empty()),
        Found::Truncated | Found::Nothing => {}
    }
    // One for each opener and pass, and the whole text.
    let openers = text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    assert!(tried.get() <= 4 * openers + 9, "{} values in {openers} openers", tried.get());
}
