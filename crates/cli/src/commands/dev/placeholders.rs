use std::path::PathBuf;

use clap::Args;
use playbook_lang::placeholder::Limits;
use playbook_lang::placeholder::conformance::{self, Outcome, Verdict};
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;

/// Arguments of `dev placeholders`.
#[derive(Debug, Args)]
#[command(
    after_help = "The file: {\"state\": {…}, \"agent\": {…}, \"host\": {\"Name(param)\": \"expression\"}, \"call\": \"…\", \
                  \"cases\": [{\"in\": \"…\", \"out\": \"…\"}, {\"in\": \"…\", \"error\": \"…\"}]}. Cases that differ from \
                  the public implementation on purpose are shown with the reason and count as passed."
)]
pub(crate) struct Placeholders {
    /// The cases.
    #[arg(value_name = "FILE.json")]
    file: PathBuf,
}

impl Placeholders {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        let name = self.file.display();
        let text = std::fs::read_to_string(&self.file)
            .map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
        let outcomes = conformance::run(&text, &Limits::default())
            .map_err(|error| Failure::usage(format!("{name} is not a file of cases: {error}")))?;
        let failed = outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Failed).count();
        let passed = outcomes.len() - failed;
        let different: Vec<&Outcome> =
            outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Passed).collect();
        context.out.result(&document(&different, passed, failed), || {
            let mut lines: Vec<String> = different.iter().map(ToString::to_string).collect();
            lines.push(format!("{passed} passed, {failed} failed"));
            lines.join("\n")
        })?;
        match failed {
            0 => Ok(()),
            1 => Err(Failure::failed("1 case differs").into()),
            count => Err(Failure::failed(format!("{count} cases differ")).into()),
        }
    }
}

fn document(different: &[&Outcome], passed: usize, failed: usize) -> Value {
    let side = |side: &Result<String, String>| match side {
        Ok(text) => json!({ "out": text }),
        Err(error) => json!({ "error": error }),
    };
    let rows = different.iter().map(|outcome| {
        let reason = if let Verdict::Documented(reason) = outcome.verdict { Some(reason) } else { None };
        json!({
            "in": outcome.text,
            "expected": side(&outcome.expected),
            "found": side(&outcome.found),
            "on_purpose": reason,
        })
    });
    json!({ "different": rows.collect::<Vec<_>>(), "passed": passed, "failed": failed })
}
