//! Steps that are answered before the program has come to them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use playbook_engine::{Script, Tool, Value};
use serde_json::json;
use support::{compile, compile_with, drive, main_of, run, script, start, steps, trace};

const AGE: &str = "- Ask the user for $age\n- If $age > 17\n  - Greet the user\n- Otherwise\n  - Tell the user when to come back\n- Thank the user";

fn waits(id: &str) -> serde_json::Value {
    json!({ "steps": [{ "id": id, "status": "waiting", "say": [{ "text": "?" }] }] })
}

fn said(id: &str) -> serde_json::Value {
    json!({ "id": id, "status": "done", "say": [{ "text": id }] })
}

fn age(age: u64) -> serde_json::Value {
    json!({ "id": "01", "status": "done", "set": { "age": age }, "evidence": "m2" })
}

/// Two answers at most: the question, and everything after the user's age.
fn of_age(given: u64, expected: &str) -> (Vec<String>, u64) {
    let answers = [waits("01"), json!({ "steps": [age(given), said(expected), said("04")] })];
    // For whoever is asked again.
    let again =
        [json!({ "steps": [said("02.01"), said("04")] }), json!({ "steps": [said("03.01"), said("04")] })];
    let rest = if given > 17 { &again[..1] } else { &again[1..] };
    let answers: Vec<_> = answers.iter().chain(rest).cloned().collect();
    let drive = run(&steps(AGE), &mut script(&["I am that old"], &answers));
    (drive.said().map(str::to_owned).collect(), drive.run.state().spent().model_calls)
}

#[test]
fn a_model_that_expects_what_the_program_decides_is_asked_once() {
    assert_eq!(of_age(20, "02.01"), (["?", "02.01", "04"].map(str::to_owned).to_vec(), 2));
    assert_eq!(of_age(12, "03.01"), (["?", "03.01", "04"].map(str::to_owned).to_vec(), 2));
}

#[test]
fn a_model_that_expects_something_else_is_asked_again_and_nothing_of_it_is_said() {
    assert_eq!(of_age(20, "03.01"), (["?", "02.01", "04"].map(str::to_owned).to_vec(), 3));
    assert_eq!(of_age(12, "02.01"), (["?", "03.01", "04"].map(str::to_owned).to_vec(), 3));
}

#[test]
fn both_ways_are_shown_and_who_decides() {
    let mut script =
        script(&["20"], &[waits("01"), json!({ "steps": [age(20)] }), json!({ "steps": [said("02.01")] })]);
    run(&steps(AGE), &mut script);
    let context = &script.asked[1].context;
    let offered: Vec<String> =
        context.steps.iter().map(|step| format!("{} {}", step.id, step.when.join(", "))).collect();
    assert_eq!(offered, ["01 ", "02.01 02 is true", "04 ", "03.01 02 is false"]);
    assert_eq!(context.forks.len(), 1);
    assert_eq!((&*context.forks[0].id, &*context.forks[0].text), ("02", "If $age > 17"));
    assert!(context.questions.is_empty(), "nothing of it is the model's to decide");
}

#[test]
fn steps_of_both_ways_are_refused() {
    let both = json!({ "steps": [age(20), said("02.01"), said("03.01")] });
    let right = json!({ "steps": [age(20), said("02.01"), said("04")] });
    let mut script = script(&["20"], &[waits("01"), both, right]);
    let drive = run(&steps(AGE), &mut script);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["?", "02.01", "04"], "{}", trace(&drive.journal));
    let problem = &script.asked[2].context.repair.as_ref().unwrap().problem;
    assert_eq!(problem, "step `03.01` was answered where `04` is due");
}

#[test]
fn a_question_is_put_again_in_the_answer_that_failed_the_check() {
    let text = "- $code = \"\"\n- While len($code) < 4\n  - Ask the user for $code\n- Thank the user";
    let set = |code: &str, message: &str| json!({ "id": "02.01", "status": "done", "set": { "code": code }, "evidence": message });
    let again = json!({ "id": "02.01", "status": "waiting", "say": [{ "text": "Longer, please." }] });
    let answers = [
        waits("02.01"),
        json!({ "steps": [set("ab", "m2"), again] }),
        json!({ "steps": [set("abcd", "m4"), said("03")] }),
    ];
    let drive = run(&steps(text), &mut script(&["ab", "abcd"], &answers));
    assert_eq!(drive.said().collect::<Vec<_>>(), ["?", "Longer, please.", "03"], "{}", trace(&drive.journal));
    assert_eq!(drive.run.state().spent().model_calls, 3);
}

#[test]
fn what_is_assigned_on_the_way_is_shown_with_the_step() {
    let text = "- Ask the user for $age\n- $fee = 3 * 4\n- Tell the user the fee\n- $next = $age + 1\n- Tell the user their next age";
    let mut script = script(
        &["20"],
        &[waits("01"), json!({ "steps": [age(20), said("03")] }), json!({ "steps": [said("05")] })],
    );
    let drive = run(&steps(text), &mut script);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["?", "03", "05"], "{}", trace(&drive.journal));
    let offered: Vec<&str> = script.asked[1].context.steps.iter().map(|step| &*step.id).collect();
    assert_eq!(offered, ["01", "03"], "what is computed from an answer is not known yet");
    assert_eq!(script.asked[1].context.steps[1].with, ["fee = 12"]);
}

#[test]
fn a_condition_that_calls_something_is_not_gone_past() {
    let text = format!(
        "{}\n## Known($x)\n### Steps\n- Return True\n",
        main_of("- Ask the user for $age\n- If Known($age) or Registry.Has($age)\n  - Greet the user")
    );
    let mut script =
        script(&["20"], &[waits("01"), json!({ "steps": [age(20)] }), json!({ "steps": [said("02.01")] })]);
    script.tools.insert("Registry.Has".to_owned(), [Ok(Value::Bool(true))].into());
    let drive = drive(&compile_with(&text, vec![Tool::new("Registry.Has", &["x"])]), start(), &mut script);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["?", "02.01"], "{}", trace(&drive.journal));
    assert_eq!(script.asked[1].context.steps.len(), 1);
}

#[test]
fn a_question_in_the_authors_words_needs_the_model_only_for_its_answer() {
    let text = "- Ask the user \"Which day suits you, $name?\" for $day\n- Tell the user \"$day it is.\"\n- Ask the user \"Is that all?\"\n- Tell the user \"Goodbye.\"";
    let set =
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "day": "Monday" }, "evidence": "m2" }] });
    let code = steps(text);
    let mut script = script(&["On Monday", "Yes"], &[set]);
    let drive = drive(&code, support::with_variables(&[("name", "Ada".into())]), &mut script);
    let said: Vec<&str> = drive.said().collect();
    assert_eq!(
        said,
        ["Which day suits you, Ada?", "Monday it is.", "Is that all?", "Goodbye."],
        "{}",
        trace(&drive.journal)
    );
    assert_eq!(drive.run.state().spent().model_calls, 1);
}

#[test]
fn an_answer_that_does_not_help_is_asked_for_again_by_the_model() {
    let text = "- Ask the user for $day: \"Which day suits you?\"\n- Return $day";
    let again =
        json!({ "steps": [{ "id": "01", "status": "waiting", "say": [{ "text": "A day of the week?" }] }] });
    let set =
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "day": "Friday" }, "evidence": "m4" }] });
    let drive = run(&steps(text), &mut script(&["hm", "Friday"], &[again, set]));
    let said: Vec<&str> = drive.said().collect();
    assert_eq!(said, ["Which day suits you?", "A day of the week?"], "{}", trace(&drive.journal));
    assert_eq!(drive.run.state().spent().model_calls, 2);
}

#[test]
fn a_message_is_judged_before_the_author_asks_something_else() {
    let text = format!(
        "{}\n## Human\n### Triggers\n- When the user wants a human\n### Steps\n- Tell the user \"A colleague comes.\"\n",
        main_of("- Wait for user\n- Ask the user \"Anything else?\"\n- Tell the user \"Goodbye.\"")
    );
    let wants = json!({ "triggers": [{ "id": "Desk.Human:T1", "why": "says so" }] });
    let drive = run(&compile(&text), &mut script(&["A human, please", "No"], &[wants, json!({})]));
    let said: Vec<&str> = drive.said().collect();
    assert_eq!(said[..2], ["A colleague comes.", "Anything else?"], "{}", trace(&drive.journal));
}

#[test]
fn a_script_without_answers_stops_where_a_model_is_needed() {
    let drive = run(&steps(AGE), &mut Script::default());
    assert_eq!(drive.said().count(), 0);
}
