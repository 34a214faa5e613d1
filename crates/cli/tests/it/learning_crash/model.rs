//! A model whose answer is a function of the prompt, and which remembers what it was asked.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use reflexio_llm::endpoint::{Reply, Seen, TestEndpoint};
use serde_json::{Map, Value, json};

/// Long enough that the server is often killed in the middle of a call.
const THINKING: u64 = 15;

/// A window that somebody asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// Which process of the server asked.
    pub(super) life: usize,
    /// The codes in all its turns.
    pub(super) window: BTreeSet<String>,
    /// The codes in turns that were in no window before.
    pub(super) fresh: BTreeSet<String>,
}

pub(super) struct Model {
    endpoint: TestEndpoint,
    life: Arc<AtomicUsize>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Model {
    pub(super) async fn start() -> Self {
        let endpoint = TestEndpoint::start().await.expect("a port");
        let (life, calls) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (now, noted) = (Arc::clone(&life), Arc::clone(&calls));
        endpoint.respond(move |seen| {
            let prompt = seen.prompt();
            let turns = turns(&prompt);
            if asks_for_rows(seen) {
                let codes =
                    |turns: &mut dyn Iterator<Item = &Turn>| turns.map(|turn| turn.code.clone()).collect();
                noted.lock().expect("a list").push(Call {
                    life: now.load(Ordering::SeqCst),
                    window: codes(&mut turns.iter()),
                    fresh: codes(&mut turns.iter().filter(|turn| turn.fresh)),
                });
            }
            Reply::Late(THINKING, Box::new(Reply::Json(answer(seen, &turns))))
        });
        Self { endpoint, life, calls }
    }

    pub(super) fn base_url(&self) -> String {
        format!("{}/v1", self.endpoint.url())
    }

    /// The process that asked until now is gone.
    pub(super) fn next_life(&self) -> usize {
        self.life.fetch_add(1, Ordering::SeqCst)
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("a list").clone()
    }
}

struct Turn {
    label: String,
    fresh: bool,
    code: String,
}

/// The turns of a transcript: `[T2] (seen before) user: note code-u1-3-0`.
fn turns(prompt: &str) -> Vec<Turn> {
    let turn = |line: &str| {
        let (label, rest) = line.strip_prefix('[')?.split_once(']')?;
        let code = codes(rest).into_iter().next()?;
        Some(Turn { label: label.to_owned(), fresh: !rest.starts_with(" (seen before)"), code })
    };
    prompt.lines().filter_map(turn).collect()
}

/// The codes in a text.
pub(super) fn codes(text: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.split(|c| !word(c)).filter(|word| word.starts_with("code-")).map(str::to_owned).collect()
}

fn schema(seen: &Seen) -> &Value {
    &seen.body["response_format"]["json_schema"]["schema"]
}

fn asks_for_rows(seen: &Seen) -> bool {
    let schema = schema(seen);
    schema.is_null() || !schema["properties"]["profiles"].is_null()
}

/// What the turns say, or to any other question the answer that changes nothing.
fn answer(seen: &Seen, turns: &[Turn]) -> Value {
    if !asks_for_rows(seen) {
        return filled(schema(seen));
    }
    let fact = |turn: &Turn| json!({"content": format!("Noted {}.", turn.code), "time_to_live": "infinity", "evidence": [turn.label]});
    let rule = |turn: &Turn| {
        json!({"playbook_name": "playbook", "trigger": format!("{} comes up", turn.code),
               "instruction": format!("Act on {}", turn.code), "pitfall": "", "rationale": "",
               "evidence": [turn.label]})
    };
    json!({
        "profiles": turns.iter().map(fact).collect::<Vec<_>>(),
        "playbooks": turns.iter().map(rule).collect::<Vec<_>>(),
    })
}

/// The plainest value that fits a schema; of words to choose from, the one that leaves rows alone.
fn filled(schema: &Value) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        let modest =
            words.iter().find(|word| word.as_str().is_some_and(|word| word.starts_with("independent")));
        return modest.or_else(|| words.first()).cloned().unwrap_or_default();
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.first().map(filled).unwrap_or_default();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            Value::Object(fields.map(|(name, rule)| (name.clone(), filled(rule))).collect::<Map<_, _>>())
        }
        Some("array") => json!([]),
        Some("string") => json!(""),
        Some("integer" | "number") => json!(0),
        Some("boolean") => json!(false),
        _ => Value::Null,
    }
}
