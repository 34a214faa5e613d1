//! Triggers that really fire, and those that are held back.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use playbook_engine::{Drive, Entry, Event, Outcome, Refusal, Run, Script, Value};
use serde_json::json;
use std::sync::Arc;
use support::{NOON, assert_done, compile, drive, failure, run, script, start, trace};

fn fired(drive: &Drive) -> Vec<String> {
    drive
        .journal
        .iter()
        .filter_map(|entry| match entry {
            Entry::Fired { trigger, because } => Some(format!("{trigger} because {because}")),
            Entry::HeldBack { trigger, because } => Some(format!("{trigger} held back: {because}")),
            _ => None,
        })
        .collect()
}

#[test]
fn what_begins_with_the_run_begins_one_after_the_other_in_the_order_of_the_file() {
    let begin = |name: &str, steps: &str| {
        format!("## {name}\n### Triggers\n- At the beginning\n### Steps\n{steps}\n")
    };
    let first = begin("One", "- Say \"1\"\n- $n = 5\n- Wait for user\n- Say \"2\"");
    let watch = "## Watch\n### Triggers\n- When $n exceeds 3\n### Steps\n- Say \"watched\"\n";
    let text =
        format!("# A\n{first}{}{watch}# B\n{}", begin("Two", "- Say \"3\""), begin("Three", "- Say \"4\""));
    let drive = run(&compile(&text), &mut script(&["go on"], &[]));
    assert_done(&drive);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["1", "watched", "2", "3", "4"]);
}

#[test]
fn state_triggers_fire_when_their_condition_turns_true_and_not_again() {
    let text = include_str!("../../../examples/playbooks/watchman.md");
    let mut script = Script { timers: 3, ..Script::default() };
    let mut run = Drive::start(Run::new(compile(text)), NOON, start()).unwrap();
    run.until_quiet(&mut script).unwrap();
    let said: Vec<&str> = run.said().collect();
    assert_eq!(
        said,
        [
            "Your balance is -10.",
            "Do not forget the report.",
            "The day is over.",
            "Do not forget the report."
        ],
        "{}",
        trace(&run.journal)
    );
    insta::assert_snapshot!("watchman_firings", fired(&run).join("\n"));
}

#[test]
fn words_for_comparisons_are_conditions() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- For each $cart_total in [50, 150, 160, 20, 101]\n  - $attempts = $cart_total // 50\n\n## Big\n### Triggers\n- When $cart_total exceeds 100\n### Steps\n- Say \"big $cart_total\"\n\n## Many\n### Triggers\n- When $attempts is greater than 2\n### Steps\n- Say \"many $attempts\"\n";
    let drive = run(&compile(text), &mut Script::default());
    assert_eq!(drive.said().collect::<Vec<_>>(), ["big 150", "many 3", "big 101"]);
}

#[test]
fn hooks_run_before_and_after_calls_and_can_forbid_them() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- VerifyIdentity()\n- ProcessPayment(5)\n- Say \"end\"\n- ProcessPayment(5000)\n\n## VerifyIdentity\n### Steps\n- Say \"verify\"\n\n## ProcessPayment($amount)\n### Steps\n- Say \"pay $amount\"\n\n## Log\n### Triggers\n- After calling VerifyIdentity\n### Steps\n- Say \"verified\"\n\n## Guard\n### Triggers\n- Before calling ProcessPayment\n### Steps\n- If $amount > 1000\n  - Return False\n- Say \"guard\"\n";
    let drive = run(&compile(text), &mut Script::default());
    assert_eq!(drive.said().collect::<Vec<_>>(), ["verify", "verified", "guard", "pay 5", "end"]);
    insta::assert_snapshot!(failure(&drive), @"A.Main step 04: `ProcessPayment` failed: `Guard` did not allow it");
}

#[test]
fn a_failure_can_be_caught_by_a_trigger_and_its_result_takes_the_place() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $x = CheckoutProcess()\n- Say \"$x\"\n\n## CheckoutProcess\n### Steps\n- $y = 1 / 0\n\n## Rescue\n### Triggers\n- When CheckoutProcess fails\n### Steps\n- Return \"rescued\"\n";
    let drive = run(&compile(text), &mut Script::default());
    assert_eq!(drive.said().collect::<Vec<_>>(), ["rescued"], "{}", trace(&drive.journal));
    let reasons = fired(&drive);
    assert!(reasons[1].contains("ZeroDivisionError"), "{reasons:?}");
}

#[test]
fn a_trigger_does_not_fire_inside_its_own_playbook() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $n = 1\n\n## Grow\n### Triggers\n- When $n is greater than 0\n### Steps\n- $n = 0\n- $n = $n + 5\n- Say \"grown\"\n";
    let drive = run(&compile(text), &mut Script::default());
    assert_done(&drive);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["grown"]);
    assert!(fired(&drive).iter().any(|line| line.contains("already running")));
}

#[test]
fn two_triggers_that_call_each_other_come_to_an_end() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $a = 1\n\n## One\n### Triggers\n- When $a is greater than 0\n### Steps\n- $a = 0\n- $b = 1\n\n## Two\n### Triggers\n- When $b is greater than 0\n### Steps\n- $b = 0\n- $a = 1\n";
    let drive = run(&compile(text), &mut Script::default());
    assert_done(&drive);
}

const CHAT: &str = "# Desk\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Ask the user for $order_id\n- Say \"Order $order_id\"\n- Wait for user\n- Say \"bye\"\n\n## Human\n### Triggers\n- When user wants to speak to a human\n### Steps\n- Say \"calling a colleague\"\n\n## Price($product)\n### Triggers\n- When user asks about pricing\n### Steps\n- Say \"$product costs 5\"\n";

#[test]
fn a_message_is_judged_once_together_with_the_step_that_waited_for_it() {
    let answers = [
        json!({ "steps": [{ "id": "01", "status": "waiting", "say": [{ "text": "Which order?" }] }] }),
        json!({ "triggers": [{ "id": "Desk.Human:T1", "why": "asks for a person" }],
                "steps": [{ "id": "01", "status": "waiting", "say": [{ "text": "And the order?" }] }] }),
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "order_id": 7 }, "evidence": "m5" }] }),
        json!({ "triggers": [{ "id": "Desk.Price:T1", "why": "price", "args": { "product": "tea" } }] }),
    ];
    let mut script = script(&["a human please", "7", "what is tea?"], &answers);
    let drive = run(&compile(CHAT), &mut script);
    let said: Vec<&str> = drive.said().collect();
    assert_eq!(
        said,
        ["Which order?", "calling a colleague", "And the order?", "Order 7", "tea costs 5", "bye"],
        "{}",
        trace(&drive.journal)
    );
    assert_eq!(
        drive.run.state().spent().model_calls,
        4,
        "one request for each message and one for the question"
    );
    insta::assert_snapshot!(fired(&drive).join("\n"), @r"
    Desk.Main:T1 because the program starts
    Desk.Human:T1 because m2: asks for a person
    Desk.Price:T1 because m7: price
    ");
}

#[test]
fn a_trigger_that_was_not_offered_cannot_fire() {
    let answer = json!({ "triggers": [{ "id": "Desk.Main:T1", "why": "again" }] });
    let answers = [
        json!({ "steps": [{ "id": "01", "status": "waiting", "say": [{ "text": "Which order?" }] }] }),
        answer.clone(),
        answer,
    ];
    let drive = run(&compile(CHAT), &mut script(&["start again"], &answers));
    assert!(failure(&drive).contains("there is no trigger `Desk.Main:T1`"));
}

#[test]
fn a_message_nobody_wants_is_answered_or_said_to_be_unhandled() {
    let text = "# Desk\n## Human\n### Triggers\n- When user wants a human\n### Steps\n- Say \"calling\"\n";
    let answers = [
        json!({ "reply": "I can call a colleague." }),
        json!({}),
        json!({ "triggers": [{ "id": "Desk.Human:T1", "why": "w" }] }),
    ];
    let drive = run(&compile(text), &mut script(&["hello", "hm", "human!"], &answers));
    assert_eq!(drive.said().collect::<Vec<_>>(), ["I can call a colleague.", "calling"]);
    assert_eq!(drive.journal.iter().filter(|entry| matches!(entry, Entry::Unhandled { .. })).count(), 1);
}

#[test]
fn timers_interrupt_waiting_and_the_waiting_goes_on() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Wait for user\n- Say \"heard\"\n\n## Tick\n### Triggers\n- Every 10 minutes\n### Steps\n- Say \"tick\"\n";
    let code = compile(text);
    let mut drive = Drive::start(Run::new(Arc::clone(&code)), NOON, start()).unwrap();
    let mut script = Script { timers: 2, ..Script::default() };
    drive.until_quiet(&mut script).unwrap();
    assert_eq!(drive.said().collect::<Vec<_>>(), ["tick", "tick"]);
    drive.tell(Event::Message { text: "hi".to_owned() }).unwrap();
    assert_eq!(drive.said().last(), Some("heard"));
}

#[test]
fn a_clock_time_is_the_next_one_in_the_users_zone() {
    let text = "# A\n## Main\n### Triggers\n- At 17:00\n### Steps\n- Say \"five\"\n";
    let due = |offset: i32| {
        let settings = playbook_engine::Settings { utc_offset_minutes: offset, ..Default::default() };
        let start = playbook_engine::Start { settings, ..start() };
        let run = drive(&compile(text), start, &mut Script::default());
        (run.run.state().timers().next().unwrap().1 - NOON) / 60_000
    };
    assert_eq!(due(0), 5 * 60);
    assert_eq!(due(120), 3 * 60);
    assert_eq!(due(330), 23 * 60 + 30, "17:30 there: tomorrow");
}

#[test]
fn a_timer_fires_when_it_is_due_and_only_once() {
    let text = "# A\n## Main\n### Triggers\n- After 5 minutes\n### Steps\n- Say \"now\"\n- Return 3\n";
    let mut drive = Drive::start(Run::new(compile(text)), NOON, start()).unwrap();
    let refusal = drive.tell(Event::Timer { timer: 1 }).unwrap_err();
    assert!(matches!(refusal, Refusal::TooEarly { .. }), "{refusal}");
    drive.now += 300_000;
    drive.tell(Event::Timer { timer: 1 }).unwrap();
    assert_eq!(drive.said().collect::<Vec<_>>(), ["now"]);
    assert_eq!(drive.run.state().outcome(), Some(&Outcome::Done { result: Value::None }));
    assert_eq!(drive.tell(Event::Timer { timer: 1 }).unwrap_err(), Refusal::Over);
}

#[test]
fn hooks_get_the_arguments_the_result_and_the_error() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $paid = Pay(7)\n- Say \"paid $paid\"\n- $broken = Break()\n- Say \"$broken\"\n\n## Pay(amount)\n### Steps\n- Return amount * 2\n\n## Break\n### Steps\n- Return 1 / 0\n\n## Before(amount)\n### Triggers\n- Before calling Pay\n### Steps\n- Say \"about to pay {amount}\"\n\n## Log(result)\n### Triggers\n- After calling Pay\n### Steps\n- Say \"it gave {result}, kept as $paid\"\n\n## Mend(error)\n### Triggers\n- When Break fails\n### Steps\n- Return \"division\" in error\n";
    let drive = run(&compile(text), &mut Script::default());
    let said: Vec<&str> = drive.said().collect();
    assert_eq!(
        said,
        ["about to pay 7", "it gave 14, kept as 14", "paid 14", "True"],
        "{}",
        trace(&drive.journal)
    );
}
