use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::request::Finish;

fn schema() -> Schema {
    let item = json!({
        "type": "object",
        "properties": {
            "content": {"type": "string", "minLength": 1},
            "kind": {"enum": ["fact", "wish"]},
            "turns": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["content"],
        "additionalProperties": false,
    });
    let root = json!({
        "type": "object",
        "properties": {"profiles": {"type": "array", "items": {"$ref": "#/$defs/item"}}, "note": {"type": "string"}},
        "required": ["profiles"],
        "additionalProperties": false,
        "$defs": {"item": item},
    });
    Schema::new("profiles", root).expect("a schema")
}

fn answer(text: &str, finish: Finish) -> Answer {
    Answer { text: text.to_owned(), finish, usage: None }
}

fn read_as(text: &str, finish: Finish, truncation: Truncation) -> Result<Read<Value>, Problem> {
    read(&answer(text, finish), &schema(), truncation, &|_| Vec::new())
}

#[track_caller]
fn check(text: &str, expected: &Value) {
    let read = read_as(text, Finish::Complete, Truncation::Refuse)
        .unwrap_or_else(|problem| panic!("{text}: {problem}"));
    assert_eq!(&read.value, expected, "{text}");
    assert!(read.whole);
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    let problem = read_as(text, Finish::Complete, Truncation::Refuse).expect_err(text);
    assert_eq!(problem.to_string(), expected, "{text}");
}

#[test]
fn the_answer_is_found_however_it_is_wrapped() {
    let expected = json!({"profiles": [{"content": "likes tea"}]});
    for text in [
        r#"{"profiles":[{"content":"likes tea"}]}"#,
        "Sure!\n```json\n{\"profiles\": [{\"content\": \"likes tea\"}]}\n```\nAnything else?",
        "\u{feff} {'profiles': [{'content': 'likes tea'}]}",
        "{profiles: [{content: \"likes tea\",},],}",
        "{\"profiles\": [ // one\n {\"content\": \"likes tea\"} /* done */ ]}",
        "<think>maybe {\"profiles\": []}?</think>{\"profiles\":[{\"content\":\"likes tea\"}]}",
        r#""{\"profiles\":[{\"content\":\"likes tea\"}]}""#,
        r#"{"result": {"profiles": [{"content": "likes tea"}]}}"#,
        r#"I use {placeholders} and [1]. {"profiles":[{"content":"likes tea"}]} See [2]."#,
        r#"{"profiles":[{"content":"likes tea"}]} {"profiles":[]}"#,
        r#"{"wrong": 1} {"profiles":[{"content":"likes tea"}]}"#,
    ] {
        check(text, &expected);
    }
}

#[test]
fn nulls_extra_fields_and_bare_lists_are_tidied() {
    check(
        r#"{"profiles":[{"content":"a","kind":null,"turns":null,"invented":1}],"note":null,"more":true}"#,
        &json!({"profiles": [{"content": "a"}]}),
    );
    let root = json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}},
        "required": ["items"]});
    let schema = Schema::new("list", root).expect("a schema");
    let read: Read<Value> =
        read(&answer("[1, 2]", Finish::Complete), &schema, Truncation::Refuse, &|_| Vec::new())
            .expect("a list");
    assert_eq!(read.value, json!({"items": [1, 2]}));
}

#[test]
fn what_is_wrong_is_named_by_field() {
    check_refused(
        r#"{"profiles": [{"kind": "guess", "turns": [1, 2.5]}]}"#,
        concat!(
            "`profiles[0].content`: is required; `profiles[0].kind`: must be one of \"fact\", \"wish\"; ",
            "`profiles[0].turns[1]`: must be integer, not number"
        ),
    );
    check_refused(
        r#"{"profiles": [{"content": ""}]}"#,
        "`profiles[0].content`: must be at least 1 characters, not 0",
    );
    check_refused(r#"{"profiles": {"content": "a"}}"#, "`profiles`: must be array, not object");
    check_refused(r#"{"other": 1}"#, "`profiles`: is required; `other`: is not a known field");
    check_refused("I do not know.", "it holds no JSON object");
    check_refused(" \n", "it is empty");
}

#[test]
fn the_schema_said_back_is_not_an_answer() {
    let lax = Schema::new("lax", json!({"type": "object", "properties": {"note": {"type": "string"}}}))
        .expect("a schema");
    for echo in [
        lax.as_value().clone(),
        for_servers(&lax),
        json!({"name": "lax", "schema": lax.as_value()}),
        json!({"type": "object", "properties": {"note": {"type": "string", "description": "x"}}}),
    ] {
        let text = echo.to_string();
        let read = read::<Value>(&answer(&text, Finish::Complete), &lax, Truncation::Refuse, &|_| Vec::new());
        assert_eq!(read, Err(Problem::Echo), "{text}");
    }
}

#[test]
fn an_answer_that_breaks_off_is_refused_or_gives_its_complete_items() {
    let cut =
        r#"{"note": "two", "profiles": [{"content": "a"}, {"content": "b", "turns": [1]}, {"content": "c"#;
    for finish in [Finish::Truncated, Finish::Complete] {
        assert_eq!(read_as(cut, finish, Truncation::Refuse), Err(Problem::Truncated));
        let kept = read_as(cut, finish, Truncation::KeepCompleteItems).expect("two items");
        assert!(!kept.whole);
        assert_eq!(kept.value["profiles"], json!([{"content": "a"}, {"content": "b", "turns": [1]}]));
    }
    let nothing = read_as(r#"{"profiles": [{"con"#, Finish::Truncated, Truncation::KeepCompleteItems);
    assert_eq!(nothing.expect("no items").value, json!({"profiles": []}));
}

#[test]
fn a_piece_of_a_cut_answer_does_not_pass_for_the_answer() {
    let root =
        json!({"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]});
    let schema = Schema::new("one", root).expect("a schema");
    let cut = answer(r#"{"parts": [{"content": "inner"}], "content": "#, Finish::Truncated);
    assert_eq!(read::<Value>(&cut, &schema, Truncation::Refuse, &|_| Vec::new()), Err(Problem::Truncated));
}

#[test]
fn the_type_and_the_callers_rules_count_too() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Item {
        content: String,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Profiles {
        profiles: Vec<Item>,
    }
    let rule = |all: &Profiles| {
        let short = all.profiles.iter().enumerate().filter(|(_, item)| item.content.len() < 3);
        let violation =
            |index| Violation { path: format!("profiles[{index}].content"), message: "too short".to_owned() };
        short.map(|(index, _)| violation(index)).collect()
    };
    let text = answer(r#"{"profiles":[{"content":"long"},{"content":"a"}]}"#, Finish::Complete);
    let problem = read::<Profiles>(&text, &schema(), Truncation::Refuse, &rule).expect_err("the rule");
    assert_eq!(problem.to_string(), "`profiles[1].content`: too short");
}

#[test]
fn servers_hold_a_model_to_choices_and_another_value_is_no_violation() {
    let root = json!({
        "type": "object",
        "properties": {"turns": {"type": "array", "items": {"type": "string", "x-choices": ["T1", "T2"]}}},
        "required": ["turns"],
        "additionalProperties": false,
    });
    let schema = Schema::new("s", root).expect("a schema");
    let items = json!({"type": "string", "enum": ["T1", "T2"]});
    assert_eq!(for_servers(&schema)["properties"]["turns"]["items"], items);
    assert_eq!(schema.violations(&json!({"turns": ["T9"]})), []);
}

#[test]
fn servers_get_a_closed_schema_with_bounds_in_words() {
    insta::assert_json_snapshot!(for_servers(&schema()));
}

#[test]
fn schemas_that_would_not_be_checked_are_refused() {
    let error = |root: Value| Schema::new("s", root).expect_err("refused").to_string();
    let nested = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "x"}}});
    assert_eq!(error(nested), "schema keyword `pattern` at `/properties/a` is not supported");
    assert_eq!(error(json!({"$ref": "#/$defs/nobody"})), "schema reference `#/$defs/nobody` leads nowhere");
    assert!(Schema::new("no spaces", json!({})).is_err());
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    let root = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}});
    let schema = Schema::new("loop", root).expect("a schema");
    assert_eq!(schema.violations(&json!({})).len(), 1);
}

/// Any JSON, small.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..4).prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

/// Text with more brackets and quotes than prose has.
fn prose() -> impl Strategy<Value = String> {
    prop_oneof![".*", r#"[a-z \n\[\]{}"'`:,\\/0-9.]{0,80}"#]
}

fn marked() -> Schema {
    let root =
        json!({"type": "object", "properties": {"the_marker_field": {}}, "required": ["the_marker_field"]});
    Schema::new("marked", root).expect("a schema")
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in prose(), cut in any::<bool>(), keep in any::<bool>()) {
        let finish = if cut { Finish::Truncated } else { Finish::Complete };
        let truncation = if keep { Truncation::KeepCompleteItems } else { Truncation::Refuse };
        let _ = read_as(&text, finish, truncation);
    }

    #[test]
    fn json_in_any_prose_is_found(before in prose(), after in prose(), inner in any_json()) {
        let value = json!({"the_marker_field": inner});
        let text = format!("{before}{value}{after}");
        let read: Result<Read<Value>, _> = read(&answer(&text, Finish::Complete), &marked(), Truncation::Refuse, &|_| Vec::new());
        prop_assert_eq!(read.map(|read| read.value), Ok(value));
    }

    #[test]
    fn every_beginning_of_an_answer_is_read_or_refused(items in prop::collection::vec(".{0,12}", 1..6), share in 0.0..1.0_f64) {
        let all: Vec<Value> = items.iter().map(|text| json!({"content": format!("x{text}")})).collect();
        let text = json!({"profiles": all}).to_string();
        let cut = &text[..text.floor_char_boundary((text.len() as f64 * share) as usize)];
        if let Ok(read) = read_as(cut, Finish::Truncated, Truncation::KeepCompleteItems) {
            let kept = read.value["profiles"].as_array().expect("a list").clone();
            prop_assert_eq!(&kept[..], &all[..kept.len()]);
        }
    }

    #[test]
    fn lenient_reading_agrees_with_strict_reading(value in any_json()) {
        let wrapped = json!([value]).to_string();
        let parsed = lenient::parse(&wrapped, 0).expect("JSON");
        prop_assert!(parsed.complete && parsed.end == wrapped.len());
        prop_assert_eq!(parsed.value, json!([value]));
    }
}
