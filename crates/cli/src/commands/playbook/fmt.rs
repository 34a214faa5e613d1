use std::io::{self, Write};

use clap::Args;
use playbook_lang::{SourceFile, format};
use serde_json::json;

use super::counted;
use super::disk::{self, STDIN};
use super::given::Paths;
use crate::context::Context;
use crate::failure::Failure;

/// Arguments of `playbook fmt`.
#[derive(Debug, Args)]
#[command(
    after_help = "A file whose meaning the new layout would change stays as it is; so do files with imports."
)]
pub(crate) struct Fmt {
    #[command(flatten)]
    given: Paths,
    /// Change nothing; exit with 1 if a file is not laid out.
    #[arg(long)]
    check: bool,
}

impl Fmt {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        let files = self.given.files()?;
        let laid_out = files.iter().map(|file| (file, format(&file.text)));
        let (different, same): (Vec<_>, Vec<_>) = laid_out.partition(|(file, text)| *text != file.text);
        let names: Vec<&str> = different.iter().map(|(file, _)| file.name.as_str()).collect();
        if self.check {
            return check(context, &names, same.len());
        }
        for (file, text) in different.iter().chain(&same) {
            apply(file, text)?;
        }
        if self.given.is_stdin() {
            return Ok(());
        }
        let value = json!({ "changed": names, "unchanged": same.len() });
        Ok(context.out.done(&value, || {
            let count = format!("{} changed, {} as before", counted(names.len(), "file"), same.len());
            names.iter().map(|name| format!("laid out {name}")).chain([count]).collect::<Vec<_>>().join("\n")
        })?)
    }
}

fn apply(file: &SourceFile, text: &str) -> anyhow::Result<()> {
    if file.name == STDIN {
        io::stdout().lock().write_all(text.as_bytes())?;
    } else if file.text != text {
        disk::replace(&file.name, text)?;
    }
    Ok(())
}

fn check(context: &Context, different: &[&str], same: usize) -> anyhow::Result<()> {
    let value = json!({ "different": different, "same": same });
    if different.is_empty() {
        return Ok(context
            .out
            .done(&value, || format!("{} laid out as it should be", counted(same, "file")))?);
    }
    context.out.result(&value, || different.join("\n"))?;
    let words = if different.len() == 1 { "is not laid out" } else { "are not laid out" };
    Err(Failure::failed(format!("{} {words}", counted(different.len(), "file")))
        .hint("`reflexio playbook fmt` without --check does it")
        .into())
}
