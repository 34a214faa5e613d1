//! What must not be possible, and what a run does at its limits.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use playbook_engine::{
    Budget, Event, Limit, Outcome, Playbooks, Refusal, Run, Script, Settings, Start, Tool, Used, Value,
};
use playbook_lang::{Library, Program, SourceFile};
use serde_json::json;
use std::sync::Arc;
use support::{NOON, assert_done, compile, drive, failure, run, script, start, steps, trace};

fn limited(code: &Arc<Playbooks>, budget: Budget, script: &mut Script) -> playbook_engine::Drive {
    let settings = Settings { budget, ..Settings::default() };
    drive(code, Start { settings, ..start() }, script)
}

#[test]
fn expressions_cannot_leave_the_sandbox() {
    let cases = [
        "__import__('os').system('id')",
        "().__class__.__bases__",
        "open('/etc/passwd').read()",
        "eval('1')",
        "getattr($n, 'real')",
        "'x' * 10_000_000_000",
        "[0] * 10_000_000_000",
        "9 ** 9 ** 9 ** 9",
        "sum(range(10 ** 12))",
        "float('inf')",
        "[2 ** 64]",
        "9223372036854775807 + $n",
    ];
    let mut shown = String::new();
    for source in cases {
        let text = support::main_of(&format!("- $n = 1\n- $x = {source}\n- Say \"escaped\""));
        let program = Program::parse(vec![SourceFile::new("test.md", text)]);
        let code = match Playbooks::compile(program, Vec::new()) {
            Ok(code) => code,
            Err(error) => {
                shown.push_str(&format!("{source}: does not load: {}\n", error.problems.join(", ")));
                continue;
            }
        };
        let drive = run(&code, &mut Script::default());
        assert_eq!(drive.run.state().variable("x"), None, "{source}");
        assert_eq!(drive.run.state().variable("n"), Some(&Value::Int(1)), "state stays");
        shown.push_str(&format!("{source}: {}\n", failure(&drive)));
    }
    insta::assert_snapshot!("expression_limits", shown);
}

#[test]
fn a_value_that_doubles_forever_is_stopped_before_it_is_large() {
    let drive = run(&steps("- $x = \"ab\"\n- While True\n  - $x = $x + $x"), &mut Script::default());
    assert!(failure(&drive).contains("larger than"), "{}", failure(&drive));
    assert!(matches!(drive.run.state().variable("x"), Some(Value::Text(text)) if text.len() <= 1 << 20));
}

#[test]
fn endless_loops_and_recursion_end_with_a_partial_result_that_says_so() {
    let code = steps("- $n = 0\n- While True\n  - $n += 1");
    let drive = limited(&code, Budget { loop_turns: 50, ..Budget::default() }, &mut Script::default());
    let partial = Outcome::Partial { limit: Limit::LoopTurns, most: 50, at: "Desk.Main step 02".to_owned() };
    assert_eq!(drive.run.state().outcome(), Some(&partial));
    assert_eq!(drive.run.state().variable("n"), Some(&Value::Int(50)), "what was done stays");

    let code = compile("# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Main()\n");
    let drive = run(&code, &mut Script::default());
    assert!(matches!(
        drive.run.state().outcome(),
        Some(Outcome::Partial { limit: Limit::Depth, most: 64, .. })
    ));
    assert_eq!(drive.run.state().depth(), 64);

    let code = steps("- $n = 0\n- While True\n  - $n += 1\n  - $n -= 1");
    let drive = limited(&code, Budget { steps: 100, ..Budget::default() }, &mut Script::default());
    assert!(matches!(drive.run.state().outcome(), Some(Outcome::Partial { limit: Limit::Steps, .. })));
}

#[test]
fn model_calls_tokens_and_time_are_limited_and_a_run_can_go_on_with_more() {
    let code = steps("- Greet the user\n- $n = 1\n- Thank the user");
    let say = |id: &str| json!({ "steps": [{ "id": id, "status": "done", "say": [{ "text": id }] }] });
    let budget = Budget { model_calls: 1, ..Budget::default() };
    let mut script = script(&[], &[say("01"), say("03")]);
    let mut drive = limited(&code, budget, &mut script);
    let at = "Desk.Main step 03".to_owned();
    assert_eq!(
        drive.run.state().outcome(),
        Some(&Outcome::Partial { limit: Limit::ModelCalls, most: 1, at })
    );
    assert_eq!(drive.tell(Event::Tick), Err(Refusal::Over));
    drive.tell(Event::Continue { budget: Budget::default() }).unwrap();
    drive.until_quiet(&mut script).unwrap();
    assert_done(&drive);
    assert_eq!(drive.said().collect::<Vec<_>>(), ["01", "03"]);

    let mut run = Run::new(steps("- Greet the user\n- $n = 1\n- Thank the user"));
    let settings = Settings { budget: Budget { tokens: 10, ..Budget::default() }, ..Settings::default() };
    run.advance(NOON, Event::Start(Box::new(Start { settings, ..start() }))).unwrap();
    run.advance(NOON, Event::Answer { request: 1, answer: say("01"), used: Used::tokens(11) }).unwrap();
    assert!(matches!(run.state().outcome(), Some(Outcome::Partial { limit: Limit::Tokens, .. })));

    let mut run = Run::new(steps("- Wait for user\n- Say \"late\""));
    let settings = Settings { budget: Budget { wall_ms: 1_000, ..Budget::default() }, ..Settings::default() };
    run.advance(NOON, Event::Start(Box::new(Start { settings, ..start() }))).unwrap();
    run.advance(NOON + 2_000, Event::Message { text: "hi".to_owned() }).unwrap();
    assert!(matches!(run.state().outcome(), Some(Outcome::Partial { limit: Limit::WallTime, .. })));
    assert_eq!(run.state().transcript().len(), 0);
}

#[test]
fn money_is_limited_before_and_after_a_call_and_a_run_can_go_on_with_more() {
    let say = |id: &str| json!({ "steps": [{ "id": id, "status": "done", "say": [{ "text": id }] }] });
    let mut run = Run::new(steps("- Greet the user\n- $n = 1\n- Thank the user"));
    let budget = Budget { cost_micros: 300, ..Budget::default() };
    let settings = Settings { budget, ..Settings::default() };
    run.advance(NOON, Event::Start(Box::new(Start { settings, ..start() }))).unwrap();
    let used = Used { cost_micros: 300, tokens: 7, more_calls: 1 };
    run.advance(NOON, Event::Answer { request: 1, answer: say("01"), used }).unwrap();
    let outcome = run.state().outcome().unwrap();
    assert!(matches!(outcome, Outcome::Partial { limit: Limit::Money, most: 300, .. }), "{outcome:?}");
    assert_eq!(run.state().spent().model_calls, 2, "the one that was refused on the way counts");

    run.advance(NOON, Event::Continue { budget: Budget::default() }).unwrap();
    let reason = "the day's budget is spent".to_owned();
    run.advance(NOON, Event::Unaffordable { request: 2, reason }).unwrap();
    let Some(Outcome::Partial { limit: Limit::Money, at, .. }) = run.state().outcome() else {
        panic!("{:?}", run.state().outcome());
    };
    assert_eq!(at, "Desk.Main step 03 (the day's budget is spent)");
    let asked = run.advance(NOON, Event::Continue { budget: Budget::default() }).unwrap();
    assert_eq!(asked.effects.len(), 1, "it is asked again");
    run.advance(NOON, Event::Answer { request: 3, answer: say("03"), used: Used::default() }).unwrap();
    assert!(matches!(run.state().outcome(), Some(Outcome::Done { .. })));
}

#[test]
fn a_description_that_needs_itself_is_refused() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- Loop()\n\n## Loop\nIt is {Other()}.\n### Steps\n- Return 1\n\n## Other\nIt is {Loop()}.\n### Steps\n- Return 2\n";
    let drive = run(&compile(text), &mut Script::default());
    assert!(failure(&drive).contains("whose description is being filled in"), "{}", failure(&drive));
}

#[test]
fn placeholders_are_filled_in_once_left_to_right_when_a_playbook_begins() {
    let text = "# A\n## Main\n### Triggers\n- At the beginning\n### Steps\n- $n = 0\n- Tell()\n- Tell()\n\n## Tell\nFirst {Count()}, then {Count()}, {agent.klass}, {current_playbook_call}.\n### Steps\n- $n = 100\n- Greet the user\n\n## Count\n### Steps\n- $n += 1\n- Return $n\n";
    let say = json!({ "steps": [{ "id": "02", "status": "done", "say": [{ "text": "x" }] }] });
    let mut script = script(&[], &[say.clone(), say]);
    let drive = run(&compile(text), &mut script);
    assert_done(&drive);
    let description = |at: usize| script.asked[at].context.playbook.as_ref().unwrap().description.clone();
    assert_eq!(description(0), "First 1, then 2, A, Tell().");
    assert_eq!(description(1), "First 101, then 102, A, Tell().");
}

#[test]
fn a_program_with_errors_does_not_load_and_says_where() {
    let parse = |text: &str| Program::parse(vec![SourceFile::new("test.md", text)]);
    let wrong = parse(
        "# A\n## Main\n### Steps\n- $x = Nowhere(1)\n- B.Hidden()\n\n# B\n## Hidden\n### Steps\n- Return 1\n",
    );
    let error = Playbooks::compile(wrong, Vec::new()).unwrap_err();
    insta::assert_snapshot!(error.problems.join("\n"));
    let library = Library(vec![
        SourceFile::new("b.md", "!import a.md\n"),
        SourceFile::new("a.md", "# A\n!import b.md\n"),
    ]);
    let circle = Program::parse_with(vec![SourceFile::new("a.md", "# A\n!import b.md\n")], &library);
    let error = Playbooks::compile(circle, Vec::new()).unwrap_err().to_string();
    assert!(error.contains("E012") || error.contains("imports itself"), "{error}");
}

#[test]
fn events_that_do_not_fit_change_nothing() {
    let code = steps("- Wait for user\n- Say \"heard\"");
    let mut run = Run::new(Arc::clone(&code));
    assert_eq!(run.advance(NOON, Event::Tick), Err(Refusal::NotStarted));
    let nobody = Start { playbook: Some("Nobody".to_owned()), ..start() };
    assert_eq!(
        run.advance(NOON, Event::Start(Box::new(nobody))),
        Err(Refusal::NoPlaybook("Nobody".to_owned()))
    );
    run.advance(NOON, Event::Start(Box::default())).unwrap();
    let before = run.state().clone();
    let stray = [
        Event::Start(Box::default()),
        Event::Answer { request: 4, answer: json!({}), used: Used::default() },
        Event::ToolResult { call: 1, value: Value::None },
        Event::Timer { timer: 9 },
        Event::Approval { approval: 1, is_granted: true, by: "me".to_owned() },
        Event::Recalled { recall: 1, notes: Vec::new() },
        Event::Continue { budget: Budget::default() },
    ];
    for event in stray {
        let shown = format!("{event:?}");
        if matches!(event, Event::Continue { .. }) {
            continue;
        }
        assert!(run.advance(NOON, event).is_err(), "{shown}");
        assert_eq!(*run.state(), before, "{shown}");
    }
    let twice = run.advance(NOON, Event::Message { text: "hi".to_owned() }).unwrap();
    assert!(!twice.effects.is_empty());
    assert!(matches!(run.state().outcome(), Some(Outcome::Done { .. })), "{}", trace(&twice.entries));
}

#[test]
fn what_json_cannot_keep_never_reaches_the_journal() {
    let code = support::compile_with(
        &support::main_of("- $x = Measure()\n- Greet the user"),
        vec![Tool::new("Measure", &[])],
    );
    let mut run = Run::new(Arc::clone(&code));
    let infinite = Start { variables: [("y".to_owned(), Value::Float(f64::INFINITY))].into(), ..start() };
    assert!(matches!(run.advance(NOON, Event::Start(Box::new(infinite))), Err(Refusal::Arguments(..))));
    let mut journal = run.advance(NOON, Event::Start(Box::default())).unwrap().entries;
    let measured = Event::ToolResult { call: 1, value: Value::Float(f64::NAN) };
    journal.extend(run.advance(NOON, measured).unwrap().entries);
    assert!(matches!(run.state().outcome(), Some(Outcome::Failed { .. })));
    let stored: Vec<playbook_engine::Entry> =
        serde_json::from_str(&serde_json::to_string(&journal).unwrap()).unwrap();
    assert_eq!(Run::resume(Arc::clone(&code), &stored).unwrap().run.state(), run.state());

    let mut run = Run::new(steps("- Greet the user"));
    let mut journal = run.advance(NOON, Event::Start(Box::default())).unwrap().entries;
    let deep = (0..120).fold(json!(1), |inner, _| json!([inner]));
    journal.extend(
        run.advance(NOON, Event::Answer { request: 1, answer: deep, used: Used::default() }).unwrap().entries,
    );
    let text = serde_json::to_string(&journal).unwrap();
    assert!(serde_json::from_str::<Vec<playbook_engine::Entry>>(&text).is_ok());
    assert!(text.contains("nested too deeply"));
}

#[test]
fn a_user_cannot_read_variables_by_writing_braces() {
    let answers = [
        json!({ "steps": [{ "id": "01", "status": "waiting", "say": [{ "text": "Your name?" }] }] }),
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "name": "{token}" }, "evidence": "m2" },
                          { "id": "02", "status": "done", "say": [{ "text": "Hello {token}!", "fill": true }] }] }),
        json!({ "steps": [{ "id": "01", "status": "done", "set": { "name": "{token}" }, "evidence": "m2" },
                          { "id": "02", "status": "done", "say": [{ "text": "Hello {token}!" }] }] }),
    ];
    let code = steps("- Ask the user for $name\n- Greet the user by name\n- Say \"Bye, $name\"");
    let mut script = script(&["I am {token}"], &answers);
    let drive = drive(&code, support::with_variables(&[("token", "s3cret".into())]), &mut script);
    let said: Vec<&str> = drive.said().collect();
    assert_eq!(said, ["Your name?", "Hello {token}!", "Bye, {token}"], "{}", trace(&drive.journal));
}
