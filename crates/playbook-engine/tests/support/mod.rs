//! Programs as texts, runs with scripts.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::allow_attributes,
    reason = "not every test file uses everything"
)]

pub(crate) mod examples;
pub(crate) mod play;

use std::collections::BTreeMap;
use std::sync::Arc;

use playbook_engine::{Drive, Entry, Outcome, Playbooks, Run, Script, Start, Tool, Value};
use playbook_lang::{Program, SourceFile};

/// 2026-01-05, a Monday, 12:00 UTC.
pub(crate) const NOON: u64 = 1_767_614_400_000;

pub(crate) fn compile(text: &str) -> Arc<Playbooks> {
    compile_with(text, Vec::new())
}

pub(crate) fn compile_with(text: &str, tools: Vec<Tool>) -> Arc<Playbooks> {
    let program = Program::parse(vec![SourceFile::new("test.md", text)]);
    Playbooks::compile(program, tools).unwrap_or_else(|error| panic!("{error}"))
}

/// Steps of one playbook that starts by itself.
pub(crate) fn steps(steps: &str) -> Arc<Playbooks> {
    compile(&main_of(steps))
}

pub(crate) fn main_of(steps: &str) -> String {
    format!("# Desk\n\n## Main\n\n### Triggers\n- At the beginning\n\n### Steps\n{steps}\n")
}

pub(crate) fn start() -> Start {
    Start::default()
}

pub(crate) fn with_variables(variables: &[(&str, Value)]) -> Start {
    let variables: BTreeMap<String, Value> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Start { variables, ..Start::default() }
}

pub(crate) fn drive(code: &Arc<Playbooks>, start: Start, script: &mut Script) -> Drive {
    let mut drive = Drive::start(Run::new(Arc::clone(code)), NOON, start).unwrap();
    drive.until_quiet(script).unwrap();
    drive
}

pub(crate) fn run(code: &Arc<Playbooks>, script: &mut Script) -> Drive {
    drive(code, start(), script)
}

/// Runs steps without a model and gives what was said.
pub(crate) fn said(steps_text: &str) -> Vec<String> {
    let drive = run(&steps(steps_text), &mut Script::default());
    assert_done(&drive);
    drive.said().map(str::to_owned).collect()
}

pub(crate) fn assert_done(drive: &Drive) {
    let outcome = drive.run.state().outcome();
    assert!(
        matches!(outcome, Some(Outcome::Done { .. } | Outcome::Ended)),
        "{outcome:?}\n{}",
        trace(&drive.journal)
    );
}

pub(crate) fn failure(drive: &Drive) -> String {
    match drive.run.state().outcome() {
        Some(Outcome::Failed { reason }) => reason.clone(),
        other => panic!("{other:?}\n{}", trace(&drive.journal)),
    }
}

pub(crate) fn script(messages: &[&str], answers: &[serde_json::Value]) -> Script {
    Script {
        messages: messages.iter().map(|text| (*text).to_owned()).collect(),
        answers: answers.iter().cloned().collect(),
        ..Script::default()
    }
}

pub(crate) fn trace(journal: &[Entry]) -> String {
    journal.iter().map(|entry| serde_json::to_string(entry).unwrap() + "\n").collect()
}
