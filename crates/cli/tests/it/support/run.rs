use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary with an environment that says nothing.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reflexio"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("REFLEXIO_") || name.starts_with("OTEL_") {
            command.env_remove(&*name);
        }
    }
    command
        .env("TZ", "UTC")
        .env("COLUMNS", "100")
        .env_remove("NO_COLOR")
        .env_remove("VISUAL")
        .env_remove("EDITOR");
    command
        .env("HOME", "/nonexistent-home")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// One call of the binary.
pub(crate) struct Run {
    command: Command,
    input: Option<String>,
}

/// A call with these arguments, divided by spaces.
pub(crate) fn reflexio(arguments: &str) -> Run {
    let mut command = command();
    command.args(arguments.split_whitespace());
    Run { command, input: None }
}

impl Run {
    /// An argument with spaces in it.
    pub(crate) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn stdin(mut self, text: impl Into<String>) -> Self {
        self.command.stdin(Stdio::piped());
        self.input = Some(text.into());
        self
    }

    pub(crate) fn run(mut self) -> Output {
        let mut child = self.command.spawn().expect("the binary starts");
        if let Some(text) = &self.input {
            // The program may well not read all of it.
            let _ = child.stdin.take().expect("a pipe").write_all(text.as_bytes());
        }
        let output = child.wait_with_output().expect("the binary ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Output { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Starts it and lets it go on.
    pub(crate) fn spawn(mut self) -> std::process::Child {
        self.command.spawn().expect("the binary starts")
    }

    /// Runs it and asserts that it worked.
    #[track_caller]
    pub(crate) fn ok(self) -> Output {
        let output = self.run();
        assert_eq!(output.code, Some(0), "{output}");
        output
    }

    /// Runs it with `--json`, asserts that it worked and that there is one document on standard output.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let output = self.arg("--json").ok();
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output}"))
    }
}

/// What a call printed and how it ended.
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or_else(|| "killed".to_owned(), |code| code.to_string());
        write!(f, "exit: {code}")?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "\n--- {name}\n{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}

pub(crate) fn folder() -> TempDir {
    tempfile::Builder::new().prefix("reflexio-test-").tempdir().expect("a temporary folder")
}

/// Writes a file into a folder.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}
