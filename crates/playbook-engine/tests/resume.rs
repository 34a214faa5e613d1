//! A journal is enough: a run killed anywhere goes on as if nothing had happened.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use std::sync::Arc;

use playbook_engine::{Drive, Entry, Event, Playbooks, ResumeError, Run, Script, Start, State, Tool, Value};
use serde_json::json;
use support::{NOON, compile, compile_with, drive, script, steps, trace};

struct Example {
    name: &'static str,
    code: Arc<Playbooks>,
    start: Start,
    script: Script,
}

fn examples() -> Vec<Example> {
    let mut all = vec![order_status(), refund(), onboarding(), tax(), watchman(), research()];
    all.push(Example {
        name: "native",
        code: steps(
            "- $n = 0\n- While $n < 5\n  - $n += 1\n  - If $n % 2 == 0\n    - Say \"$n {round($n / 3, 2)}\"",
        ),
        start: Start::default(),
        script: Script::default(),
    });
    all
}

fn order_status() -> Example {
    let order = Value::from(json!({ "order_id": "A-17", "expected_delivery_date": "2026-01-09" }));
    let answers = [
        json!({ "triggers": [{ "id": "OrderDesk.CheckOrder_statusFlow:T1", "why": "order" }] }),
        json!({ "steps": [{ "id": "01", "status": "waiting", "say": [{ "text": "Which one?" }] }] }),
        json!({ "applied": ["N2"], "steps": [
            { "id": "01", "status": "done", "set": { "order_id": "A-17" }, "evidence": "m3" },
            { "id": "02", "status": "done", "call": [{ "name": "GetOrderStatus", "compute": { "order_id": "order_id" }, "into": "order_status" }] },
            { "id": "03", "status": "done", "compute": { "expected_delivery_date": "$order_status.expected_delivery_date" } },
            { "id": "04", "status": "done", "say": [{ "text": "On {expected_delivery_date}.", "fill": true }] }
        ]}),
    ];
    let mut script = script(&["Where is my order?", "A-17"], &answers);
    script.tools.insert("FindOrder".to_owned(), [Ok(order)].into());
    Example {
        name: "order_status",
        code: compile_with(
            include_str!("../../../examples/playbooks/order_status.md"),
            vec![Tool::new("FindOrder", &["id", "token"])],
        ),
        start: support::with_variables(&[("authToken", "t".into())]),
        script,
    }
}

fn refund() -> Example {
    let answers = [
        json!({ "triggers": [{ "id": "RefundDesk.Refund:T1", "why": "money", "steps": [
            { "id": "01", "status": "waiting", "say": [{ "text": "Which order, and why?" }] }] }] }),
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "order_id": "B-2", "reason": "broken" }, "evidence": "m3" }] }),
        json!({ "decisions": [{ "id": "07", "value": true, "why": "capital letters", "evidence": "m3" }],
                "steps": [{ "id": "07.01", "status": "done", "say": [{ "text": "I am sorry. Here is a voucher." }] }], "applied": ["N1"] }),
    ];
    let mut script = script(&["I want my money back", "B-2, it is BROKEN"], &answers);
    let order = Value::from(json!({ "days_since_delivery": 3, "total": 250 }));
    script.tools.insert("FindOrder".to_owned(), [Ok(order)].into());
    script.tools.insert("PayBack".to_owned(), [Ok(Value::Bool(true))].into());
    script.approves = Some(true);
    Example {
        name: "refund",
        code: compile_with(
            include_str!("../../../examples/playbooks/refund.md"),
            vec![Tool::new("FindOrder", &["id"]), Tool::new("PayBack", &["order", "amount"])],
        ),
        start: Start::default(),
        script,
    }
}

fn onboarding() -> Example {
    let answers = [
        json!({ "steps": [{ "id": "01", "status": "waiting", "say": [{ "text": "Hello! Your name?" }] }] }),
        json!({ "steps": [{ "id": "02", "status": "done", "set": { "name": "Ada" }, "evidence": "m2" }] }),
        json!({ "steps": [{ "id": "03.01", "status": "waiting", "say": [{ "text": "Your address?" }] }] }),
        json!({ "steps": [{ "id": "03.01", "status": "done", "set": { "email": "nonsense" }, "evidence": "m4" }] }),
        json!({ "steps": [{ "id": "03.01", "status": "waiting", "say": [{ "text": "Again, please?" }] }] }),
        json!({ "triggers": [{ "id": "OnboardingGuide.Speak to a human:T1", "why": "fed up" }],
                "steps": [{ "id": "03.01", "status": "done", "set": { "email": "ada@example.org" }, "evidence": "m7" }] }),
        json!({ "steps": [{ "id": "05.01", "status": "done", "say": [{ "text": "Bills come monthly." }] }] }),
        json!({ "steps": [{ "id": "05.01", "status": "done", "say": [{ "text": "Help is here." }] }] }),
    ];
    let topics = Value::List(vec!["bills".into(), "help".into()]);
    Example {
        name: "onboarding",
        code: compile(include_str!("../../../examples/playbooks/onboarding.md")),
        start: support::with_variables(&[("topics", topics), ("company", "Acme".into())]),
        script: script(&["Ada", "nonsense", "a human! ada@example.org"], &answers),
    }
}

fn tax() -> Example {
    let answer = json!({ "steps": [{ "id": "02", "status": "done", "call": [
        { "name": "Accountant.CalculateTax", "args": { "amount": 50.0 } },
        { "name": "Accountant.CalculateTax", "args": { "amount": 50.0, "rate": 0.07 } },
        { "name": "Accountant.CalculateTax", "args": { "amount": 50.0 }, "into": "tax" }] }] });
    Example {
        name: "tax",
        code: compile(include_str!("../../../examples/playbooks/tax.md")),
        start: Start {
            args: [("order_total".to_owned(), Value::Float(50.0))].into(),
            ..support::with_variables(&[("count", Value::Int(0))])
        },
        script: script(&[], &[answer]),
    }
}

fn watchman() -> Example {
    Example {
        name: "watchman",
        code: compile(include_str!("../../../examples/playbooks/watchman.md")),
        start: Start::default(),
        script: Script { timers: 3, ..Script::default() },
    }
}

fn research() -> Example {
    let answers = [
        json!({ "triggers": [{ "id": "Researcher.Answer:T1", "why": "asks", "args": { "question": "tides" } }] }),
        json!("The moon pulls."),
        json!("The sun helps."),
        json!({ "steps": [
            { "id": "03", "status": "done", "set": { "summary": "Moon and sun." } },
            { "id": "04", "status": "done", "say": [{ "text": "Moon and sun." }] }
        ]}),
    ];
    let mut script = script(&["Why are there tides?"], &answers);
    let titles = Value::List(vec!["Tides I".into(), "Tides II".into()]);
    script.tools.insert("Search".to_owned(), [Ok(titles)].into());
    Example {
        name: "research",
        code: compile_with(
            include_str!("../../../examples/playbooks/research.md"),
            vec![Tool::new("Search", &["query"])],
        ),
        start: Start::default(),
        script,
    }
}

fn whole(example: &Example) -> Drive {
    drive(&example.code, example.start.clone(), &mut example.script.clone())
}

#[test]
fn examples_run_as_written() {
    for example in examples() {
        let drive = whole(&example);
        let conversation: Vec<String> = drive
            .run
            .state()
            .transcript()
            .iter()
            .map(|message| format!("{:?}: {}", message.from, message.text))
            .collect();
        let outcome = format!("{:?}", drive.run.state().outcome());
        let calls = drive.run.state().spent().model_calls;
        insta::assert_snapshot!(
            format!("example_{}", example.name),
            format!("{}\n{outcome}, {calls} model calls", conversation.join("\n"))
        );
    }
}

/// After every entry the process dies. The rest of the run must come out the same, and nothing is said twice.
#[test]
fn a_run_killed_after_any_entry_ends_the_same() {
    for example in examples() {
        let whole = whole(&example);
        for end in 1..=whole.journal.len() {
            let stored: Vec<Entry> = through_json(&whole.journal[..end]);
            let resumed = Run::resume(Arc::clone(&example.code), &stored)
                .unwrap_or_else(|error| panic!("{} at {end}: {error}", example.name));
            let mut script = example.script.clone().after(&stored);
            let now = stored.iter().rev().find_map(|entry| match entry {
                Entry::Input { at, .. } => Some(*at),
                _ => None,
            });
            let mut drive = Drive::resumed(resumed, stored, now.unwrap());
            drive.until_quiet(&mut script).unwrap();
            assert_eq!(trace(&drive.journal), trace(&whole.journal), "{} killed at {end}", example.name);
            assert_eq!(drive.run.state(), whole.run.state(), "{} killed at {end}", example.name);
        }
    }
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &[T]) -> Vec<T> {
    value.iter().map(|entry| serde_json::from_str(&serde_json::to_string(entry).unwrap()).unwrap()).collect()
}

#[test]
fn a_resumed_run_asks_again_for_what_it_waits_for_and_says_nothing_again() {
    let example = order_status();
    let whole = whole(&example);
    let asked = whole.journal.iter().rposition(|entry| matches!(entry, Entry::Asked { .. })).unwrap();
    let resumed = Run::resume(Arc::clone(&example.code), &whole.journal[..=asked]).unwrap();
    let effects: Vec<String> = resumed
        .effects
        .iter()
        .map(|effect| serde_json::to_value(effect).unwrap()["effect"].to_string())
        .collect();
    assert_eq!(effects, ["\"ask_model\""]);
    assert_eq!(resumed.entries, []);
}

#[test]
fn every_state_of_the_past_can_be_looked_at() {
    let example = order_status();
    let whole = whole(&example);
    let mut seen = Vec::new();
    for end in 1..=whole.journal.len() {
        let state: State = Run::look_back(Arc::clone(&example.code), &whole.journal[..end]).unwrap();
        let set = state.variable("order_id").cloned();
        if seen.last() != Some(&set) {
            seen.push(set);
        }
        if let Entry::Set { variable, .. } = &whole.journal[end - 1]
            && &**variable == "order_id"
        {
            assert!(state.variable("order_id").is_some());
        }
    }
    assert_eq!(seen, [None, Some(Value::from("A-17"))]);
    let last = Run::look_back(Arc::clone(&example.code), &whole.journal).unwrap();
    assert_eq!(last, *whole.run.state());
}

#[test]
fn a_stored_state_is_as_good_as_the_journal() {
    let example = onboarding();
    let mut drive = Drive::start(Run::new(Arc::clone(&example.code)), NOON, example.start.clone()).unwrap();
    let mut script = Script { messages: ["Ada".to_owned()].into(), ..example.script.clone() };
    drive.until_quiet(&mut script).unwrap();
    let stored: State = serde_json::from_str(&serde_json::to_string(drive.run.state()).unwrap()).unwrap();
    assert_eq!(stored, *drive.run.state());
    let mut again = Run::restore(Arc::clone(&example.code), stored, drive.run.position());
    let event = || Event::Message { text: "x@example.org".to_owned() };
    let (one, two) = (drive.run.advance(NOON, event()).unwrap(), again.advance(NOON, event()).unwrap());
    assert_eq!(one, two);
    assert_eq!(drive.run.state(), again.state());
}

#[test]
fn a_journal_of_another_program_or_a_changed_one_is_refused() {
    let example = order_status();
    let whole = whole(&example);
    let other = Run::resume(steps("- Say \"x\""), &whole.journal).unwrap_err();
    assert!(matches!(other, ResumeError::OtherProgram { .. }), "{other}");
    let mut forged = whole.journal.clone();
    for entry in &mut forged {
        if let Entry::Set { value, .. } = entry {
            *value = Value::from("B-99");
        }
    }
    let error = Run::resume(Arc::clone(&example.code), &forged).unwrap_err();
    assert!(matches!(error, ResumeError::Diverged { .. }), "{error}");
    assert!(matches!(Run::resume(Arc::clone(&example.code), &[]), Err(ResumeError::Empty)));
    let missing = [whole.journal[0].clone(), whole.journal[5].clone()];
    assert!(Run::resume(Arc::clone(&example.code), &missing).is_err());
}
