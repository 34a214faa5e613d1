//! Whole runs that a few bytes decide, and what must hold of them. The fuzz targets play the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use playbook_engine::{
    Advance, Budget, Effect, Entry, Event, Learned, LearnedFrom, ModelRequest, Playbooks, Run, Settings,
    Speaker, Start, State, Tool, Used, Value,
};
use playbook_lang::{Program, SourceFile};
use serde_json::json;

/// 2026-01-05, a Monday, 12:00 UTC.
const START: u64 = 1_767_614_400_000;
const DAY: u64 = 86_400_000;

/// The program, if it is one that runs.
pub(crate) fn compiled(text: &str) -> Option<Arc<Playbooks>> {
    let program = Program::parse(vec![SourceFile::new("random.md", text)]);
    Playbooks::compile(program, vec![Tool::new("Tool1", &["n"])]).ok()
}

/// An answer that is sometimes right: the seed decides.
fn answer(request: &ModelRequest, seed: u8) -> serde_json::Value {
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
                    let user = context.transcript.iter().rev().find(|message| message.from == Speaker::User);
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

pub(crate) struct Played {
    pub(crate) journal: Vec<Entry>,
    pub(crate) run: Run,
}

pub(crate) fn play(code: &Arc<Playbooks>, seeds: &[u8]) -> Played {
    let budget = Budget { loop_turns: 6, steps: 300, depth: 8, model_calls: 40, ..Budget::default() };
    let settings = Settings {
        budget,
        recalls: seeds.first().is_some_and(|seed| seed.is_multiple_of(2)),
        ..Settings::default()
    };
    let mut run = Run::new(Arc::clone(code));
    let list = Value::List(vec![Value::Int(4), Value::from("b")]);
    let variables = [("n", Value::Int(1)), ("list", list), ("name", "Ada".into())];
    let variables: BTreeMap<String, Value> =
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let start = Event::Start(Box::new(Start { variables, settings, ..Start::default() }));
    let Advance { entries: mut journal, mut effects } = run.advance(START, start).unwrap();
    for (at, &seed) in seeds.iter().enumerate() {
        let Some(event) = event(&effects, &run, seed) else { break };
        let now = START + DAY * (at as u64 + 1);
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

/// A journal is enough to go on: all of it, or what there was of it when the process died. `cut` says when.
#[track_caller]
pub(crate) fn check_resume(code: &Arc<Playbooks>, played: &Played, cut: usize) {
    // The journal survives being stored.
    let stored: Vec<Entry> = through_json(&played.journal);
    assert_eq!(stored, played.journal);
    // All of it gives the state.
    let whole = Run::resume(Arc::clone(code), &stored).unwrap();
    assert_eq!(whole.run.state(), played.run.state());
    assert!(whole.entries.is_empty());
    // A part of it and the events after it give the same.
    let end = cut % stored.len() + 1;
    let resumed = Run::resume(Arc::clone(code), &stored[..end]).unwrap();
    let mut run = resumed.run;
    let mut journal = stored[..end].to_vec();
    journal.extend(resumed.entries);
    assert_eq!(journal, stored[..journal.len()]);
    for entry in &stored[journal.len()..] {
        if let Entry::Input { at, event } = entry {
            journal.extend(run.advance(*at, (**event).clone()).unwrap().entries);
        }
    }
    assert_eq!(journal, stored);
    assert_eq!(run.state(), played.run.state());
    // The state survives being stored.
    let state: State = through_json(run.state());
    assert_eq!(&state, run.state());
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}
