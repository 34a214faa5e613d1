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

use playbook_engine::{Drive, Entry, Event, ResumeError, Run, Script, State, Value};
use support::examples::{Example, examples, onboarding, order_status};
use support::{NOON, drive, steps, trace};

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

#[test]
fn examples_have_no_errors_and_few_warnings() {
    let mut shown = String::new();
    for example in examples() {
        for found in example.code.program().diagnostics() {
            let at = example.code.program().sources().start(found.span);
            shown.push_str(&format!(
                "{}:{}: {} {}\n",
                example.name,
                at.line,
                found.code.number(),
                found.message
            ));
        }
    }
    insta::assert_snapshot!("example_diagnostics", shown);
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
