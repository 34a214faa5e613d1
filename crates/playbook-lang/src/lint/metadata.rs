//! Metadata: keys that nobody reads, values that nobody understands.

use serde_json::Value;

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::meta::{Entry, KNOWN, Meta, truth};
use crate::suggest;

const FLAGS: &[&str] = &["cli_entry", "export", "hidden", "learn", "meeting", "public", "pure", "repeat"];
const CHOICES: &[(&str, &[&str])] = &[
    ("startup_mode", &["default", "standby"]),
    ("execution_mode", &["playbook", "react", "raw"]),
    ("delivery_channel", &["streaming", "buffered", "custom"]),
    ("meeting_notifications", &["all", "targeted", "none"]),
    ("on_fail", &["retry", "ask", "handoff", "abort"]),
];
const TRANSPORTS: &[(&str, &[&str])] = &[
    ("sse", &["http://", "https://"]),
    ("streamable-http", &["http://", "https://"]),
    ("websocket", &["ws://", "wss://"]),
    ("stdio", &["stdio://", ""]),
    ("memory", &["memory://"]),
];
const AUTH: &[(&str, &[&str])] = &[
    ("api_key", &["key"]),
    ("bearer", &["token"]),
    ("basic", &["username", "password"]),
    ("mtls", &["cert", "key"]),
];

pub(super) fn check(context: &mut Context<'_>) {
    let mut entry_point = None;
    for agent in context.agents {
        meta(&agent.meta, context);
        if let Some(entry) = agent.meta.entry("remote") {
            for problem in remote(&entry.value) {
                context.report(Diagnostic::new(Code::Remote, entry.span, problem));
            }
            if let Some(message) = not_spoken(&entry.value) {
                let help = "its tools can be commands: `--tool 'Agent.Tool(parameter) => command'`";
                context.report(Diagnostic::new(Code::NotConnected, entry.span, message).help(help));
            }
        }
        for playbook in &agent.playbooks {
            meta(&playbook.meta, context);
            let Some(entry) =
                playbook.meta.entry("cli_entry").filter(|entry| truth(&entry.value) == Some(true))
            else {
                continue;
            };
            match entry_point {
                Some(first) => {
                    let message = format!("`{first}` is already the `cli_entry`; only one playbook can be");
                    context.report(Diagnostic::new(Code::TwoEntries, entry.span, message));
                }
                None => entry_point = Some(playbook.name.value.as_str()),
            }
        }
    }
}

fn meta(meta: &Meta, context: &mut Context<'_>) {
    for entry in &meta.entries {
        if !KNOWN.contains(&entry.key.as_str())
            && let Some(known) = suggest::nearest(&entry.key, KNOWN.iter().copied())
        {
            let message = format!("nothing reads `{}`; did you mean `{known}`?", entry.key);
            let diagnostic = Diagnostic::new(Code::MetadataTypo, entry.span, message);
            context.report(diagnostic.fix(format!("write `{known}`"), entry.span, known));
        }
        if let Some(message) = bad_value(entry) {
            context.report(Diagnostic::new(Code::Metadata, entry.span, message));
        }
    }
}

fn bad_value(Entry { key, value, .. }: &Entry) -> Option<String> {
    if FLAGS.contains(&key.as_str()) && truth(value).is_none() {
        return Some(format!("`{key}` is `true` or `false`"));
    }
    let (_, choices) = CHOICES.iter().find(|(name, _)| name == key)?;
    let is_choice = value.as_str().is_some_and(|value| choices.contains(&value));
    (!is_choice).then(|| format!("`{key}` is one of {}", list(choices)))
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn remote(value: &Value) -> Vec<String> {
    let Value::Object(remote) = value else {
        return vec!["`remote` needs `type`, `url` and `transport`".to_owned()];
    };
    let text = |key: &str| remote.get(key).and_then(Value::as_str);
    let mut problems = Vec::new();
    if text("type") != Some("mcp") {
        problems.push("the `type` of a remote agent is `mcp`".to_owned());
    }
    let url = text("url").unwrap_or_default();
    if url.is_empty() {
        problems.push("a remote agent needs a `url`".to_owned());
    }
    if let Some(transport) = text("transport") {
        match TRANSPORTS.iter().find(|(name, _)| *name == transport) {
            None => {
                let names: Vec<&str> = TRANSPORTS.iter().map(|(name, _)| *name).collect();
                problems.push(format!("`transport` is one of {}", list(&names)));
            }
            Some((_, schemes))
                if !url.is_empty() && !schemes.iter().any(|scheme| url.starts_with(scheme)) =>
            {
                problems.push(format!("a `{transport}` address begins with {}", list(schemes)));
            }
            Some(_) => {}
        }
    }
    if remote.get("timeout").is_some_and(|timeout| timeout.as_f64().is_none_or(|seconds| seconds <= 0.0)) {
        problems.push("`timeout` is a number of seconds above 0".to_owned());
    }
    problems.extend(remote.get("auth").and_then(auth));
    problems
}

/// What the language knows and the runtime does not.
fn not_spoken(remote: &Value) -> Option<String> {
    let transport = remote.get("transport").and_then(Value::as_str).unwrap_or_default();
    let auth = remote.get("auth").and_then(|auth| auth.get("type")?.as_str()).unwrap_or_default();
    if matches!(transport, "sse" | "websocket" | "memory") {
        return Some(format!(
            "nothing here speaks the transport `{transport}`; use `streamable-http` or `stdio`"
        ));
    }
    (auth == "mtls").then(|| "nothing here can do `auth` of the type `mtls`".to_owned())
}

fn auth(value: &Value) -> Option<String> {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    match AUTH.iter().find(|(name, _)| *name == kind) {
        None => {
            let names: Vec<&str> = AUTH.iter().map(|(name, _)| *name).collect();
            Some(format!("the `type` of `auth` is one of {}", list(&names)))
        }
        Some((_, keys)) => {
            let missing: Vec<&str> = keys.iter().copied().filter(|key| value.get(key).is_none()).collect();
            (!missing.is_empty()).then(|| format!("`auth` of type `{kind}` also needs {}", list(&missing)))
        }
    }
}
