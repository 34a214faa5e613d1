//! Tools that are programs: arguments as JSON on standard input, the result on standard output.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use playbook_engine::{Tool, Value};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::tool::{SignatureError, object, parse_tool};

const MOST_TIME: Duration = Duration::from_secs(60);
const MOST_BYTES: u64 = 1 << 20;

/// A tool and the shell command that does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTool {
    pub tool: Tool,
    pub command: String,
}

impl std::str::FromStr for CommandTool {
    type Err = String;

    /// `Name(parameters) => command`
    fn from_str(text: &str) -> Result<Self, String> {
        let (signature, command) = text
            .split_once("=>")
            .ok_or_else(|| format!("`{text}` lacks `=>`; write Name(parameter) => command"))?;
        let tool = parse_tool(signature).map_err(|error: SignatureError| error.to_string())?;
        match command.trim() {
            "" => Err(format!("`{}` has no command after `=>`", tool.name)),
            command => Ok(Self { tool, command: command.to_owned() }),
        }
    }
}

/// The commands of a run, by the names of their tools.
#[derive(Clone, Debug, Default)]
pub struct CommandTools(BTreeMap<String, CommandTool>);

impl CommandTools {
    #[must_use]
    pub fn new(tools: Vec<CommandTool>) -> Self {
        Self(tools.into_iter().map(|tool| (tool.tool.name.clone(), tool)).collect())
    }

    /// What the engine must know of them.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.0.values().map(|tool| tool.tool.clone()).collect()
    }

    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Runs a tool. What it prints is read as JSON, and as text if it is none.
    pub async fn call(&self, name: &str, args: &[(String, Value)]) -> Result<Value, String> {
        let Some(tool) = self.0.get(name) else { return Err(format!("there is no tool `{name}`")) };
        let args = object(args)?;
        let child = Command::new("sh")
            .args(["-c", &tool.command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the command of `{name}` cannot run: {error}"))?;
        let input = serde_json::Value::Object(args).to_string();
        match timeout(MOST_TIME, converse(child, input)).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(reason)) => Err(format!("`{name}` failed: {reason}")),
            Err(_) => Err(format!("`{name}` took more than {} seconds", MOST_TIME.as_secs())),
        }
    }
}

async fn converse(mut child: Child, input: String) -> Result<Value, String> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its arguments is no mistake.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), printed, complaint) = tokio::join!(write, read(stdout), read(stderr));
    let (printed, complaint) = (printed?, complaint?);
    let status = child.wait().await.map_err(|error| error.to_string())?;
    if !status.success() {
        let said = if complaint.trim().is_empty() { printed } else { complaint };
        return Err(format!("{status}: {}", said.trim()));
    }
    let text = printed.trim();
    Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
}

async fn read(pipe: Option<impl AsyncRead + Unpin>) -> Result<String, String> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(MOST_BYTES + 1).read_to_end(&mut bytes).await.map_err(|error| error.to_string())?;
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it printed more than {MOST_BYTES} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it printed something that is not UTF-8".to_owned())
}
