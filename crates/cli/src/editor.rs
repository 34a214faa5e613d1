use std::io::Write;
use std::process::Command;

use anyhow::Context as _;

use crate::failure::Failure;

/// Lets a person change a text in their editor.
pub(crate) fn edit(text: &str, ending: &str) -> anyhow::Result<String> {
    let mut file = tempfile::Builder::new().prefix("reflexio-").suffix(ending).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let command = chosen();
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = Command::new(program).args(words).arg(file.path()).status().map_err(|error| {
        Failure::failed(format!("the editor `{command}` cannot be started: {error}")).hint("set EDITOR")
    })?;
    if !status.success() {
        return Err(Failure::failed(format!("the editor `{command}` failed; nothing was changed")).into());
    }
    std::fs::read_to_string(file.path()).context("cannot read what the editor wrote")
}

fn chosen() -> String {
    let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}
