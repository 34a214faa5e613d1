//! Parts of the server on their own.

use serde_json::{Value, json};

use crate::support::{folder, reflexio, write};

const PASSWORDS_AND_PARCELS: [&str; 7] = [
    "I want to reset my password",
    "please reset my password",
    "do you sell gift cards",
    "reset password does not work",
    "where is my parcel",
    "my parcel is late",
    "where is the late parcel",
];

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

fn read(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect()
}

#[test]
fn texts_are_put_with_their_like_in_the_order_they_came() {
    let folder = folder();
    let file = write(
        folder.path(),
        "texts.jsonl",
        &lines(PASSWORDS_AND_PARCELS.map(|text| json!({ "text": text }))),
    );
    let output = reflexio("dev cluster --words-only --min-cluster-size 3").arg(file).ok();
    let found: Vec<i64> = read(&output.stdout).iter().filter_map(|line| line["cluster"].as_i64()).collect();
    assert_eq!((found, output.stderr), (vec![0, 0, -1, 0, 1, 1, 1], String::new()));
}

#[test]
fn without_a_model_words_are_compared_and_that_is_said() {
    let input = lines(PASSWORDS_AND_PARCELS.map(|text| json!({ "text": text })));
    let output = reflexio("dev cluster -").stdin(input).ok();
    assert_eq!(read(&output.stdout), vec![json!({ "cluster": -1 }); 7]);
    assert!(output.stderr.contains("warning: comparing words only: model file"), "{output}");
}

#[test]
fn groups_are_counted_and_contradictions_set_apart_on_request() {
    let row = |at: usize| {
        let instruction = if at < 4 { "Offer a refund" } else { "Never offer a refund" };
        json!({ "text": "refund late parcels", "group": format!("user {}", at / 2), "instruction": instruction })
    };
    let input = lines((0..8).map(row));
    let clusters = |arguments: &str| read(&reflexio(arguments).stdin(input.clone()).ok().stdout);
    let rows = clusters("dev cluster - --words-only --min-cluster-size 3");
    assert!(rows.iter().take(4).all(|line| line == &rows[0]) && rows[0] != rows[4], "{rows:?}");
    let groups = clusters("dev cluster - --words-only --min-cluster-size 3 --count groups");
    assert!(groups.iter().all(|line| line["cluster"] == -1), "{groups:?}");
}

#[test]
fn pairs_are_judged_with_a_reason() {
    let input = lines([
        json!({ "a": "Ask for the order number first.", "b": "ask for the order number first" }),
        json!({ "a": "Offer a refund first.", "b": "Do not offer a refund first." }),
    ]);
    let found = read(&reflexio("dev duplicates - --words-only").stdin(input).ok().stdout);
    assert_eq!(
        found,
        [json!({ "same": true, "score": 1.0 }), json!({ "same": false, "score": 0.0, "veto": "negation" })]
    );
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_nothing_is_printed() {
    let output =
        reflexio("dev cluster - --words-only").stdin("{\"text\": \"a\"}\n\n{\"txt\": \"b\"}\n").run();
    assert_eq!((output.code, output.stdout.as_str()), (Some(6), ""));
    assert!(output.stderr.contains("line 3: missing field `text`"), "{output}");
    assert_eq!(reflexio("dev cluster no-such-file").run().stdout, "");
    assert_eq!(reflexio("dev cluster - --min-cluster-size 0").run().code, Some(2));
}

#[test]
fn no_lines_make_no_lines() {
    assert_eq!(reflexio("dev cluster - --words-only").stdin("").ok().stdout, "");
    assert_eq!(reflexio("dev duplicates - --words-only").stdin("").ok().stdout, "");
}
