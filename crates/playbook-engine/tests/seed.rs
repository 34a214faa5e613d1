//! Everything the language's description shows can be run.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "tests say what must hold"
)]

mod support;

use playbook_engine::{Drive, Entry, ModelRequest, Outcome, Run, Script, Start, Value, World};
use serde_json::json;
use support::{NOON, compile, trace, with_variables};

/// A model that does what it is asked, without ideas of its own.
struct Obedient {
    messages: Vec<&'static str>,
}

impl World for Obedient {
    fn model(&mut self, request: &ModelRequest) -> Result<serde_json::Value, String> {
        let context = &request.context;
        let user =
            context.transcript.iter().rev().find(|message| message.from == playbook_engine::Speaker::User);
        let is_so = context.transcript.len() < 14;
        let is_reached = |when: &String| when.ends_with(&is_so.to_string());
        let steps = context.steps.iter().filter(|step| step.when.iter().all(is_reached));
        let mut answered = Vec::new();
        for step in steps {
            let waits = step.kind == "ask" && !step.asked;
            let set: serde_json::Map<String, serde_json::Value> =
                step.writes.iter().map(|name| (name.clone(), json!(1))).collect();
            answered.push(json!({
                "id": step.id,
                "status": if waits { "waiting" } else { "done" },
                "say": [{ "text": format!("[{}]", step.instruction) }],
                "set": if waits { serde_json::Map::new() } else { set },
                "evidence": user.filter(|_| step.from_user).map(|message| message.id.clone()),
                "return": "returned",
                "items": ["item"],
            }));
            if waits {
                break;
            }
        }
        let decide = |id: &str| json!({ "id": id, "value": is_so, "why": "so it seems" });
        let decisions: Vec<_> = context.questions.iter().map(|question| decide(&question.id)).collect();
        Ok(json!({ "steps": answered, "decisions": decisions }))
    }

    fn user(&mut self) -> Option<String> {
        self.messages.pop().map(str::to_owned)
    }
}

#[test]
fn every_step_of_the_seed_runs() {
    let text = include_str!("../../playbook-lang/tests/programs/seed_steps.md");
    // `Return` after `End program` would never be reached.
    let code = compile(&text.replace("- End program\n", ""));
    let product = |price: i64| Value::from(json!({ "price": price }));
    let start: Start = with_variables(&[
        ("price", Value::Int(2)),
        ("quantity", Value::Int(3)),
        ("weight", Value::Int(1)),
        ("destination", "Bern".into()),
        ("order_total", Value::Int(120)),
        ("email", "a@b.ch".into()),
        ("cart", Value::List(vec![product(1), product(2)])),
        ("grand_total", Value::Int(0)),
        ("result", "ready".into()),
    ]);
    let mut drive = Drive::start(Run::new(code), NOON, start).unwrap();
    drive.until_quiet(&mut Obedient { messages: vec!["bye"; 9] }).unwrap();
    let outcome = drive.run.state().outcome();
    assert_eq!(outcome, Some(&Outcome::Done { result: "ready".into() }), "{}", trace(&drive.journal));
    let begun: Vec<&str> = drive
        .journal
        .iter()
        .filter_map(|entry| match entry {
            Entry::Step { frame: 1, step } => Some(&**step),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(begun.join(" "));
    let is_total = |entry: &Entry| matches!(entry, Entry::Set { variable, value, .. } if &**variable == "total" && *value == Value::Int(6));
    assert!(drive.journal.iter().any(is_total), "$total = $price * $quantity");
}

#[test]
fn placeholders_of_the_seed_are_filled_in() {
    let text = "# Support\n## Main\n### Triggers\n- At the beginning\n### Steps\n- AnalyzePerformance()\n- DebugInfo()\n- ReviewTransaction()\n\n## AnalyzePerformance\nPerformance score: {round($score * 100, 2)}%\nStatus: {\"Good\" if $score > 0.8 else \"Needs Improvement\"}\nItems to process: {len([x for x in $items if x.active])}\n### Steps\n- Return 1\n\n## DebugInfo\nCurrent agent: {agent.klass}\nExecuting call: {current_playbook_call}\n### Steps\n- Return 1\n\n## ReviewTransaction\nReview transaction {$transaction_id} with amount ${$amount}\n### Steps\n- Return 1\n";
    let items = json!([{ "active": true }, { "active": false }]);
    let start = with_variables(&[
        ("score", Value::Float(0.8734)),
        ("items", items.into()),
        ("transaction_id", "t9".into()),
        ("amount", Value::Int(5)),
    ]);
    let drive = support::drive(&compile(text), start, &mut Script::default());
    let described: Vec<&str> = drive
        .journal
        .iter()
        .filter_map(|entry| match entry {
            Entry::Described { text, .. } => Some(text.trim()),
            _ => None,
        })
        .collect();
    insta::assert_snapshot!(described.join("\n---\n"), @r"
    Performance score: 87.34%
    Status: Good
    Items to process: 1
    ---
    Current agent: Support
    Executing call: DebugInfo()
    ---
    Review transaction t9 with amount $5
    ");
}
