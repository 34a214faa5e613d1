//! Learns from public conversations and prints what was learned for a person to judge.
//!
//! `cargo run --release -p reflexio-learn --example derived -- FILE.jsonl [--every N] [--class NAME] [--max N]`
//!
//! Understands four shapes of lines: `{"messages": […]}` with tool calls (tau-bench), `{"turns": [{"s","u"}]}`
//! (SGD), `{"flow", "instructions", "actions"}` (ABCD guidelines, read as expert answers), and one message a line
//! with `chat`, `role`, `content` (BEAM). No data of these sets is part of this project.
#![expect(clippy::print_stdout, reason = "a report for a person")]

use std::collections::BTreeMap;

use reflexio_learn::builtin::{Definitions, LabelledTurn, Learned, OwnText, Window, learn};
use reflexio_types::config::{PlaybookConfig, ProfileExtractorConfig};
use reflexio_types::{Timestamp, ToolUse, Turn};
use serde_json::{Map, Value};

const WINDOW: usize = 10;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().cloned().unwrap_or_default();
    let option =
        |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1)).cloned();
    let every: usize = option("--every").and_then(|n| n.parse().ok()).unwrap_or(1);
    let most: usize = option("--max").and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let class = option("--class");
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut dropped: BTreeMap<String, u32> = BTreeMap::new();
    let (mut windows, mut shown) = (0, 0);
    for turns in conversations(&rows).iter().step_by(every.max(1)).flat_map(|turns| turns.chunks(WINDOW)) {
        windows += 1;
        let learned = learn_from(turns);
        for (reason, count) in &learned.dropped.0 {
            *dropped.entry(format!("{reason:?}")).or_default() += count;
        }
        for (name, text) in described(&learned, turns) {
            *counts.entry(name).or_default() += 1;
            if shown < most && class.as_deref().is_none_or(|wanted| wanted == name) {
                shown += 1;
                println!("[{shown}] {name}: {text}\n");
            }
        }
    }
    println!("{windows} windows, learned {counts:?}, dropped {dropped:?}");
    Ok(())
}

fn learn_from(turns: &[Turn]) -> Learned {
    let labels: Vec<String> = (1..=turns.len()).map(|number| format!("T{number}")).collect();
    let labelled: Vec<LabelledTurn<'_>> =
        labels.iter().zip(turns).map(|(label, turn)| LabelledTurn { label, turn }).collect();
    let (playbooks, profile) = ([PlaybookConfig::general()], ProfileExtractorConfig::default());
    let definitions = Definitions { profile: Some(&profile), playbooks: &playbooks };
    learn(&Window { turns: &labelled, own: &OwnText::default() }, &definitions)
}

/// Each item with its class and the turns that show it.
fn described(learned: &Learned, turns: &[Turn]) -> Vec<(&'static str, String)> {
    let evidence = |labels: &[String]| -> String {
        let shown = labels.iter().filter_map(|label| {
            let turn = turns.get(label.trim_start_matches('T').parse::<usize>().ok()?.checked_sub(1)?)?;
            let text: String = turn.content.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(format!("\n      {label} {}: {}", turn.role, text.chars().take(260).collect::<String>()))
        });
        shown.collect()
    };
    let profiles = learned.profiles.iter().map(|profile| {
        let text = format!("{} ({})", profile.content, profile.time_to_live.as_str());
        (profile.signal.as_str(), format!("PROFILE {text}{}", evidence(&profile.evidence)))
    });
    let playbooks = learned.playbooks.iter().map(|playbook| {
        let text = playbook.content.replace('\n', "\n    ");
        (playbook.signal.as_str(), format!("{text}{}", evidence(&playbook.evidence)))
    });
    let forget = learned
        .forget
        .iter()
        .map(|forget| ("forget", format!("{}{}", forget.what, evidence(&forget.evidence))));
    profiles.chain(playbooks).chain(forget).collect()
}

fn conversations(rows: &[Value]) -> Vec<Vec<Turn>> {
    let mut found: Vec<Vec<Turn>> = Vec::new();
    let mut chat = &Value::Null;
    for row in rows {
        if let Some(messages) = row["messages"].as_array() {
            found.push(tau(messages));
        } else if let Some(turns) = row["turns"].as_array() {
            found.push(turns.iter().map(|turn| say(role(&turn["s"]), &turn["u"])).collect());
        } else if row["flow"].is_string() {
            found.push(guideline(row));
        } else if row["role"].is_string() {
            if &row["chat"] != chat {
                found.push(Vec::new());
                chat = &row["chat"];
            }
            if let Some(turns) = found.last_mut() {
                turns.push(say(row["role"].as_str().unwrap_or_default(), &row["content"]));
            }
        }
    }
    found
}

fn say(role: &str, content: &Value) -> Turn {
    Turn::say(Timestamp(0), role, content.as_str().unwrap_or_default())
}

fn role(speaker: &Value) -> &'static str {
    if speaker == "U" { "User" } else { "Agent" }
}

/// Tool calls go into the agent's turn, with the error that the tool's answer begins with.
fn tau(messages: &[Value]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        match message["role"].as_str() {
            Some("tool") => {
                let answer = message["content"].as_str().unwrap_or_default();
                if let Some(tool) = turns.last_mut().and_then(|turn| turn.tools_used.last_mut()) {
                    let failed = answer.starts_with("Error");
                    tool.status = if failed { "error" } else { "success" }.to_owned();
                    if failed {
                        tool.tool_data.insert("error".to_owned(), Value::String(answer.to_owned()));
                    }
                }
            }
            Some(role @ ("user" | "assistant")) => {
                let mut turn = say(role, &message["content"]);
                turn.tools_used = message["tool_calls"].as_array().into_iter().flatten().map(tool).collect();
                turns.push(turn);
            }
            _ => {}
        }
    }
    turns
}

fn tool(call: &Value) -> ToolUse {
    let arguments: Map<String, Value> =
        call["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    ToolUse {
        tool_name: call["name"].as_str().unwrap_or_default().to_owned(),
        tool_data: arguments,
        status: String::new(),
    }
}

/// A procedure as an expert's answer, against an agent that knew only its first sentence.
fn guideline(row: &Value) -> Vec<Turn> {
    let texts = |key: &str| row[key].as_array().cloned().unwrap_or_default();
    let instructions: Vec<String> =
        texts("instructions").iter().filter_map(|t| Some(t.as_str()?.to_owned())).collect();
    let actions: Vec<String> =
        texts("actions").iter().filter_map(|t| Some(t["text"].as_str()?.to_owned())).collect();
    let asked = Value::String(format!(
        "I need help with this: {}",
        row["subflow"].as_str().unwrap_or_default().to_lowercase()
    ));
    let mut answer = Turn::say(Timestamp(0), "Agent", instructions.first().map_or("", String::as_str));
    answer.expert_content = instructions.iter().chain(&actions).cloned().collect::<Vec<_>>().join("\n");
    vec![say("User", &asked), answer]
}
