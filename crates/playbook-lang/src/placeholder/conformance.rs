//! Runs files of placeholder cases: a state, an agent, functions, and texts with what they must become.

use std::fmt;

use serde::Deserialize;

use super::{CallInfo, EvalError, Host, HostError, Limits, ResolveError, Template, evaluate_value};
use crate::names::BUILTIN_FUNCTIONS;
use crate::span::Span;
use crate::value::Value;

/// A file of cases.
#[derive(Debug, Deserialize)]
pub struct Cases {
    state: Value,
    #[serde(default)]
    agent: Value,
    /// `Name(param)` and the expression it gives.
    #[serde(default)]
    host: Value,
    #[serde(default)]
    call: String,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
struct Case {
    #[serde(rename = "in")]
    text: String,
    out: Option<String>,
    error: Option<String>,
}

/// How a case went.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// It differs from the public implementation on purpose, for this reason.
    Documented(&'static str),
    Failed,
}

#[derive(Debug)]
pub struct Outcome {
    pub text: String,
    pub expected: Result<String, String>,
    pub found: Result<String, String>,
    pub verdict: Verdict,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |side: &Result<String, String>| match side {
            Ok(text) => format!("{text:?}"),
            Err(error) => format!("error: {error}"),
        };
        match &self.verdict {
            Verdict::Passed => write!(f, "same: {}", self.text)?,
            Verdict::Documented(reason) => write!(f, "on purpose ({reason}): {}", self.text)?,
            Verdict::Failed => write!(f, "different: {}", self.text)?,
        }
        write!(f, "\n  expected {}\n  found    {}", side(&self.expected), side(&self.found))
    }
}

/// Runs every case of a file.
pub fn run(json: &str, limits: &Limits) -> Result<Vec<Outcome>, serde_json::Error> {
    let Cases { state, agent, host, call, cases } = serde_json::from_str(json)?;
    let state = pairs(state).into_iter().map(|(name, value)| (name, artifact_text(value))).collect();
    let mut world = World { state, agent: pairs(agent), functions: functions(host), call };
    Ok(cases.into_iter().map(|case| outcome(case, &mut world, limits)).collect())
}

fn outcome(case: Case, world: &mut World, limits: &Limits) -> Outcome {
    let found = Template::new(&case.text, Span::default()).resolve(world, limits);
    let found = found.map_err(|ResolveError { error, .. }| error);
    let expected = match (case.out, case.error) {
        (Some(out), _) => Ok(out),
        (None, error) => Err(error.unwrap_or_default()),
    };
    let verdict = verdict(&case.text, &expected, &found);
    Outcome { text: case.text, expected, found: found.map_err(|error| error.to_string()), verdict }
}

fn verdict(text: &str, expected: &Result<String, String>, found: &Result<String, EvalError>) -> Verdict {
    match (expected, found) {
        (Ok(expected), Ok(found))
            if expected == found || without_addresses(expected) == without_addresses(found) =>
        {
            Verdict::Passed
        }
        (Err(_), Err(_)) => Verdict::Passed,
        (Err(error), Ok(_)) => trap(error).map_or(Verdict::Failed, Verdict::Documented),
        (Ok(_), _) if text.contains("{{") || text.contains("}}") => {
            Verdict::Documented("two braces are a brace, not a set")
        }
        (Ok(_), Ok(found)) if found.contains('$') && text.contains(['\'', '"']) => {
            Verdict::Documented("`$` inside a string is text")
        }
        _ => Verdict::Failed,
    }
}

/// Errors of the public implementation that are gone here.
fn trap(error: &str) -> Option<&'static str> {
    let missing = error.split("name '").nth(1).and_then(|rest| rest.split('\'').next());
    if error.contains("unexpected indent") {
        Some("blanks inside the braces are fine")
    } else if error.contains("Security violation") {
        Some("names are judged whole, not by the words in them")
    } else if error.contains("unterminated string") || error.contains("was never closed") {
        Some("a brace in a string closes nothing")
    } else if missing.is_some_and(|name| BUILTIN_FUNCTIONS.contains(&name)) {
        Some("all of Python's plain functions are there")
    } else if error.contains("coroutine") {
        Some("calls need no await anywhere")
    } else {
        None
    }
}

/// Functions show where they are in memory, which never repeats; quotes around their names are a matter of taste.
fn without_addresses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        out.push_str(&rest[..at]);
        rest = rest[at + 2..].trim_start_matches(|char: char| char.is_ascii_hexdigit());
    }
    (out + rest).replace('\'', "")
}

fn artifact_text(value: Value) -> Value {
    match value.get("$artifact") {
        Some(Value::List(parts)) => parts.get(2).cloned().unwrap_or_default(),
        _ => value,
    }
}

fn pairs(value: Value) -> Vec<(String, Value)> {
    if let Value::Dict(pairs) = value { pairs } else { Vec::new() }
}

fn functions(host: Value) -> Vec<(String, Vec<String>, String)> {
    let one = |(signature, body): (String, Value)| {
        let (name, params) = signature.strip_suffix(')')?.split_once('(')?;
        let params = params.split(',').map(|param| param.trim().to_owned()).filter(|param| !param.is_empty());
        Some((name.to_owned(), params.collect(), body.as_text()?.to_owned()))
    };
    pairs(host).into_iter().filter_map(one).collect()
}

struct World {
    state: Vec<(String, Value)>,
    agent: Vec<(String, Value)>,
    functions: Vec<(String, Vec<String>, String)>,
    call: String,
}

impl Host for World {
    fn variable(&mut self, name: &str) -> Option<Value> {
        self.state.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn has_function(&self, name: &str) -> bool {
        self.functions.iter().any(|(known, ..)| known == name)
    }

    fn call(
        &mut self,
        name: &str,
        args: Vec<Value>,
        named: Vec<(String, Value)>,
    ) -> Result<Value, HostError> {
        let found = self.functions.iter().find(|(known, ..)| known == name);
        let Some((_, params, body)) = found else { return Err(HostError::new("NameError", name)) };
        let mut variables: Vec<(String, Value)> = params.iter().cloned().zip(args).collect();
        variables.extend(named);
        evaluate_value(body, &mut Body(variables), &Limits::default())
            .map_err(|error| HostError::new("RuntimeError", error.to_string()))
    }

    fn agent(&mut self) -> Value {
        let mut agent = self.agent.clone();
        agent.push(("state".to_owned(), Value::Dict(self.state.clone())));
        Value::Dict(agent)
    }

    fn current_call(&self) -> CallInfo {
        let name = self.call.split('(').next().unwrap_or_default();
        CallInfo { playbook_name: name.to_owned(), text: self.call.clone() }
    }

    fn names(&self) -> Vec<String> {
        self.state
            .iter()
            .map(|(name, _)| name.clone())
            .chain(self.functions.iter().map(|(name, ..)| name.clone()))
            .collect()
    }
}

struct Body(Vec<(String, Value)>);

impl Host for Body {
    fn variable(&mut self, name: &str) -> Option<Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }
}
