//! Whatever is written and whatever happens: no panic, and a journal is enough to go on.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use std::sync::Arc;

use playbook_engine::{
    Advance, Budget, Effect, Entry, Event, Learned, LearnedFrom, Playbooks, Run, Settings, Start, Tool, Used,
    Value,
};
use playbook_lang::{Program, SourceFile};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::json;
use support::{NOON, trace};

/// Steps of every kind, some of them nonsense. The number is how deep they stand.
fn step() -> impl Strategy<Value = String> {
    const LINES: &[&str] = &[
        "$n = 0",
        "$n += 1",
        "$n = $n * 2",
        "$x = Other($n)",
        "$x = Other($n, y=$n) + 1",
        "Tool1($n)",
        "$x = Py(3)",
        "Say \"n is $n\"",
        "Say \"{$n + 1} {Other(1)}\"",
        "If $n > 2",
        "If $n == 1",
        "While $n < 3",
        "Until $n > 2",
        "For each $i in [1, 2]",
        "For each $i in $list",
        "If the user is happy",
        "Greet the user",
        "Ask the user for $name",
        "Extract $x from the text",
        "$name = user's response",
        "Wait for user",
        "Wait 5 minutes",
        "Return $n",
        "Return a summary",
        "End program",
        "While conversation is active",
        "Ask Helper to do it",
        "Get approval from the boss",
        "$x = $missing",
        "$list[0] = 5",
        "$x = 'a' * 10",
        "Think about it",
        "Main()",
        "$d = {\"a\": 1}",
        "$d.a = $n",
        "Wait until the user agrees",
        "For each thing on the table",
    ];
    (0_usize..3, prop::sample::select(LINES))
        .prop_map(|(depth, line)| format!("{}- {line}\n", "  ".repeat(depth)))
}

fn program() -> impl Strategy<Value = String> {
    let trigger = prop::sample::select(
        &[
            "When $n exceeds 1",
            "After 5 minutes",
            "When user asks for help",
            "After calling Other",
            "Before calling Tool1",
            "When Other fails",
            "At 17:00",
        ][..],
    );
    (prop::collection::vec(step(), 1..14), prop::collection::vec(step(), 1..6), trigger, any::<bool>()).prop_map(
        |(main, other, trigger, describes)| {
            let description = if describes { "It is {Other(2)} and {$n}." } else { "Plain." };
            format!(
                "# Desk\n## Main\n{description}\n### Triggers\n- At the beginning\n### Steps\n{}\n### Notes\n- Be kind.\n\n## Other($a, y=1)\n### Steps\n{}- Return $a\n\n## Hook\n### Triggers\n- {trigger}\n### Steps\n- Say \"hook\"\n\n```python\nasync def Py(n):\n    return await Other(n)\n```\n\n# Helper\n## Do it\npublic: true\n### Steps\n- Return 1\n",
                main.concat(),
                other.concat()
            )
        },
    )
}

#[test]
fn most_random_programs_run() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut steps = Vec::new();
    for _ in 0..200 {
        let text = program().new_tree(&mut runner).unwrap().current();
        steps.extend(compiled(&text).map(|code| play(&code, &[2, 4, 6, 7, 9]).run.state().spent().steps));
    }
    let long = steps.iter().filter(|steps| **steps > 5).count();
    assert!(steps.len() > 150 && long > 60, "{} of 200 run, {long} for more than five steps", steps.len());
}

fn compiled(text: &str) -> Option<Arc<Playbooks>> {
    let program = Program::parse(vec![SourceFile::new("random.md", text)]);
    Playbooks::compile(program, vec![Tool::new("Tool1", &["n"])]).ok()
}

/// An answer that is sometimes right: the seed decides.
fn answer(request: &playbook_engine::ModelRequest, seed: u8) -> serde_json::Value {
    let context = &request.context;
    match seed % 8 {
        0 => json!({ "steps": [{ "id": "99", "status": "done" }] }),
        1 => json!("what?"),
        _ => {
            let steps =
                context.steps.iter().filter(|step| step.when.is_empty()).take(usize::from(seed % 4) + 1);
            let steps: Vec<_> = steps
                .map(|step| {
                    let sets: serde_json::Map<String, serde_json::Value> =
                        step.writes.iter().map(|name| (name.clone(), json!(seed))).collect();
                    let user = context.transcript.iter().rev().find(|message| message.from == playbook_engine::Speaker::User);
                    let status = if step.kind == "ask" && (user.is_none() || seed.is_multiple_of(3)) { "waiting" } else { "done" };
                    let sets = if status == "waiting" { serde_json::Map::new() } else { sets };
                    let call = if seed.is_multiple_of(5) { json!([{ "name": "Tool1", "args": { "n": 1 } }]) } else { json!([]) };
                    json!({ "id": step.id, "status": status, "say": [{ "text": format!("words {seed}") }], "set": sets,
                            "evidence": user.map(|message| message.id.clone()), "call": call, "items": [1, "b"], "return": seed })
                })
                .collect();
            let decisions: Vec<_> = context
                .questions
                .iter()
                .map(|question| json!({ "id": question.id, "value": seed.is_multiple_of(2), "why": "w" }))
                .collect();
            let triggers: Vec<_> = context
                .triggers
                .iter()
                .take(usize::from(seed % 2))
                .map(|trigger| json!({ "id": trigger.id, "why": "w" }))
                .collect();
            json!({ "steps": steps, "decisions": decisions, "triggers": triggers })
        }
    }
}

fn event(effects: &[Effect], run: &Run, seed: u8) -> Option<Event> {
    for effect in effects {
        return Some(match effect {
            Effect::AskModel(request) if seed % 11 == 3 => {
                Event::ModelFailed { request: request.id, reason: "down".to_owned() }
            }
            Effect::AskModel(request) => {
                Event::Answer { request: request.id, answer: answer(request, seed), used: Used::tokens(10) }
            }
            Effect::CallTool { call, .. } if seed % 4 == 1 => {
                Event::ToolFailed { call: *call, reason: "broken".to_owned() }
            }
            Effect::CallTool { call, .. } => {
                Event::ToolResult { call: *call, value: Value::Int(seed.into()) }
            }
            Effect::AskApproval { approval, .. } => Event::Approval {
                approval: *approval,
                is_granted: !seed.is_multiple_of(3),
                by: "x".to_owned(),
            },
            Effect::Recall { recall, .. } => Event::Recalled {
                recall: *recall,
                notes: vec![Learned {
                    rule: "r".to_owned(),
                    text: "{x}".to_owned(),
                    from: LearnedFrom::User,
                }],
            },
            _ => continue,
        });
    }
    let timer = run.state().timers().next();
    match timer {
        Some((timer, _)) if seed.is_multiple_of(3) => Some(Event::Timer { timer }),
        _ => Some(Event::Message { text: format!("message {seed}") }),
    }
}

struct Played {
    journal: Vec<Entry>,
    run: Run,
}

fn play(code: &Arc<Playbooks>, seeds: &[u8]) -> Played {
    let budget = Budget { loop_turns: 6, steps: 300, depth: 8, model_calls: 40, ..Budget::default() };
    let settings = Settings {
        budget,
        recalls: seeds.first().is_some_and(|seed| seed.is_multiple_of(2)),
        ..Settings::default()
    };
    let mut run = Run::new(Arc::clone(code));
    let list = Value::List(vec![Value::Int(4), Value::from("b")]);
    let start = support::with_variables(&[("n", Value::Int(1)), ("list", list), ("name", "Ada".into())]);
    let start = Event::Start(Box::new(Start { settings, ..start }));
    let Advance { entries: mut journal, mut effects } = run.advance(NOON, start).unwrap();
    for (at, &seed) in seeds.iter().enumerate() {
        let Some(event) = event(&effects, &run, seed) else { break };
        let now = NOON + 86_400_000 * (at as u64 + 1);
        match run.advance(now, event) {
            Ok(advance) => {
                journal.extend(advance.entries);
                effects = advance.effects;
            }
            Err(_) => break,
        }
        if run.state().outcome().is_some() {
            break;
        }
    }
    Played { journal, run }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_run_resumed_anywhere_is_the_run_that_went_on(text in program(), seeds in prop::collection::vec(any::<u8>(), 0..12), cut in any::<prop::sample::Index>()) {
        let Some(code) = compiled(&text) else { return Ok(()) };
        let played = play(&code, &seeds);
        // The journal survives being stored.
        let stored: Vec<Entry> = serde_json::from_str(&serde_json::to_string(&played.journal).unwrap()).unwrap();
        prop_assert_eq!(&stored, &played.journal);
        // All of it gives the state.
        let whole = Run::resume(Arc::clone(&code), &stored).unwrap();
        prop_assert_eq!(whole.run.state(), played.run.state(), "{}", text);
        prop_assert!(whole.entries.is_empty());
        // A part of it and the events after it give the same.
        let end = cut.index(stored.len()) + 1;
        let resumed = Run::resume(Arc::clone(&code), &stored[..end]).unwrap();
        let mut run = resumed.run;
        let mut journal = stored[..end].to_vec();
        journal.extend(resumed.entries);
        prop_assert_eq!(trace(&journal), trace(&stored[..journal.len()]));
        for entry in &stored[journal.len()..] {
            if let Entry::Input { at, event } = entry {
                journal.extend(run.advance(*at, (**event).clone()).unwrap().entries);
            }
        }
        prop_assert_eq!(trace(&journal), trace(&stored));
        prop_assert_eq!(run.state(), played.run.state());
        // The state survives being stored.
        let state: playbook_engine::State = serde_json::from_str(&serde_json::to_string(run.state()).unwrap()).unwrap();
        prop_assert_eq!(&state, run.state());
    }

    #[test]
    fn any_text_compiles_or_is_refused(text in "(# |## |### Steps\n|- |\\$a = |If |\n|[a-z ]{1,9}|\\{|\\}|\\(|\\)|\"){0,40}", seeds in prop::collection::vec(any::<u8>(), 0..4)) {
        if let Some(code) = compiled(&text) {
            play(&code, &seeds);
        }
    }
}
