//! A tool failed and the agent found a way: the way is worth keeping. A failure without one teaches nothing
//! but that something was broken that day.

use reflexio_search::fusion::Speaker;
use reflexio_types::{ToolUse, Turn};
use serde_json::Value;

use super::{Rule, Signal};
use crate::builtin::reading::{Reading, quoted};

const LONGEST_MESSAGE_CHARS: usize = 120;

type Call<'r> = (usize, &'r ToolUse);

pub(super) fn failures(reading: &Reading<'_>, rules: &mut Vec<Rule>) {
    for calls in between_users(reading) {
        let mut known: Vec<&str> = Vec::new();
        for (index, (turn, tool)) in calls.iter().enumerate().filter(|(_, (_, tool))| has_failed(tool)) {
            if known.contains(&tool.tool_name.as_str()) {
                continue;
            }
            known.push(&tool.tool_name);
            let later = calls.get(index + 1..).unwrap_or_default();
            if let Some((instruction, also)) = way_out(tool, later) {
                rules.push(rule(reading, *turn, also, tool, instruction));
            }
        }
    }
}

/// Tools of a turn by how their last call in it ended: those that failed and those that did not.
pub(super) fn ends(turn: &Turn) -> (Vec<String>, Vec<String>) {
    let (mut failed, mut working) = (Vec::new(), Vec::new());
    for (at, tool) in turn.tools_used.iter().enumerate() {
        let later = turn.tools_used.get(at + 1..).unwrap_or_default();
        if later.iter().any(|other| other.tool_name == tool.tool_name) {
            continue;
        }
        let list = if has_failed(tool) { &mut failed } else { &mut working };
        list.push(tool.tool_name.clone());
    }
    (failed, working)
}

/// The calls made for one message of the user.
fn between_users<'r>(reading: &'r Reading<'_>) -> Vec<Vec<Call<'r>>> {
    let mut groups: Vec<Vec<Call<'r>>> = vec![Vec::new()];
    for (at, said) in reading.said.iter().enumerate() {
        if said.speaker == Speaker::User {
            groups.push(Vec::new());
        } else if let Some(group) = groups.last_mut() {
            group.extend(said.turn.tools_used.iter().map(|tool| (at, tool)));
        }
    }
    groups
}

fn rule(reading: &Reading<'_>, turn: usize, also: Vec<usize>, tool: &ToolUse, instruction: String) -> Rule {
    let request = reading.user_before(turn);
    let failure = format!("`{}` failed{}", tool.tool_name, with_message(tool));
    Rule {
        signal: Signal::Failure,
        turn,
        also: also.into_iter().chain(request).collect(),
        request,
        trigger: None,
        instruction,
        pitfall: Some(format!("{failure}.")),
        span: failure,
    }
}

/// What was done between the failure and the same tool's success.
fn way_out(failed: &ToolUse, later: &[Call<'_>]) -> Option<(String, Vec<usize>)> {
    let success =
        later.iter().position(|(_, tool)| tool.tool_name == failed.tool_name && !has_failed(tool))?;
    let between = later.get(..success)?;
    let mut helpers: Vec<&str> = Vec::new();
    for (_, tool) in between.iter().filter(|(_, tool)| !has_failed(tool)) {
        let helps = tool.tool_name != failed.tool_name && !THINKING.contains(&tool.tool_name.as_str());
        if helps && !helpers.contains(&tool.tool_name.as_str()) {
            helpers.push(&tool.tool_name);
        }
    }
    let also = later.get(..=success)?.iter().map(|(turn, _)| *turn).collect();
    let name = &failed.tool_name;
    let when = format!("When `{name}` fails{},", with_message(failed));
    if !helpers.is_empty() {
        let helpers: Vec<String> = helpers.iter().map(|helper| format!("`{helper}`")).collect();
        return Some((format!("{when} call {}, then `{name}` again.", helpers.join(", ")), also));
    }
    let changed = changed_inputs(failed, later.get(success)?.1);
    let changed: Vec<String> = changed.iter().map(|key| format!("`{key}`")).collect();
    (!changed.is_empty())
        .then(|| (format!("{when} call it again with another {}.", changed.join(", ")), also))
}

fn changed_inputs<'t>(failed: &'t ToolUse, succeeded: &'t ToolUse) -> Vec<&'t str> {
    let keys = succeeded.tool_data.iter().filter(|(key, _)| !OUTPUTS.contains(&key.as_str()));
    keys.filter(|(key, value)| failed.tool_data.get(*key) != Some(value))
        .map(|(key, _)| key.as_str())
        .collect()
}

/// Tools that change nothing outside the agent's head.
const THINKING: [&str; 4] = ["think", "plan", "reflect", "note"];
/// Fields of `tool_data` that a tool answers rather than takes.
const OUTPUTS: [&str; 7] = ["error", "message", "result", "output", "response", "status", "duration"];

fn has_failed(tool: &ToolUse) -> bool {
    let status = tool.status.trim().to_lowercase();
    let says_so = ["err", "fail", "timeout", "exception", "denied", "reject"]
        .iter()
        .any(|sign| status.starts_with(sign));
    let error =
        tool.tool_data.get("error").is_some_and(|error| !error.is_null() && error != &Value::Bool(false));
    says_so || (status.is_empty() && error)
}

fn with_message(tool: &ToolUse) -> String {
    let message = ["error", "message"].iter().find_map(|key| tool.tool_data.get(*key)?.as_str());
    message.map_or_else(String::new, |message| {
        format!(" with {}", quoted(&crate::builtin::text::shortened(message, LONGEST_MESSAGE_CHARS)))
    })
}
