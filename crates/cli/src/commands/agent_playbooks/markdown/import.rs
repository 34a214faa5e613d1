use std::path::{Path, PathBuf};

use clap::Args;
use reflexio_api_types::{
    ImportAction, ImportAgentPlaybooksRequest, ImportAgentPlaybooksResponse, ImportResult,
    ImportedAgentPlaybook,
};
use serde::Serialize;
use walkdir::WalkDir;

use super::parse;
use crate::commands::delete::counted;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Table};

/// Arguments of `agent-playbooks import`.
#[derive(Debug, Args)]
#[command(
    after_help = "A file that was not edited does nothing. An edited text waits for review: as the successor of a \
                        rule in production, or in the place of one that waits. A file without an id is a new rule. \
                        `status: approved` needs a key with the scope review. Deleted files do nothing."
)]
pub(crate) struct Import {
    /// Files that `export --markdown` wrote, or folders of them.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Show what would happen and store nothing.
    #[arg(long)]
    dry_run: bool,
}

/// What became of a rule, and where it was read.
#[derive(Debug, Serialize)]
struct Told<'a> {
    file: String,
    #[serde(flatten)]
    result: &'a ImportResult,
}

impl Import {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let rules = self.read()?;
        if rules.is_empty() {
            return Err(Failure::bad_input("there are no rules in these files")
                .hint("write them with `reflexio agent-playbooks export --markdown DIR`")
                .into());
        }
        let (files, agent_playbooks): (Vec<String>, Vec<ImportedAgentPlaybook>) = rules.into_iter().unzip();
        let request = ImportAgentPlaybooksRequest { agent_playbooks, dry_run: self.dry_run };
        let answer = context.client()?.import_agent_playbooks(&request).await?;
        let told: Vec<Told<'_>> =
            files.into_iter().zip(&answer.results).map(|(file, result)| Told { file, result }).collect();
        context.out.result(&serde_json::json!({"applied": answer.applied, "results": told}), || {
            format!("{}\n{}", table(&context.out, &told), self.words(&answer))
        })?;
        refused(&told)
    }

    /// Every rule with the file it stands in; nothing is sent while one cannot be read.
    fn read(&self) -> anyhow::Result<Vec<(String, ImportedAgentPlaybook)>> {
        let mut rules = Vec::new();
        let mut problems = Vec::new();
        for path in self.files()? {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(&path)
                .map_err(|error| Failure::bad_input(format!("cannot read {name}: {error}")))?;
            if !playbook_lang::looks_like_playbooks(&text) && !self.paths.contains(&path) {
                continue;
            }
            match parse::rules(&text) {
                Ok(found) => rules.extend(found.into_iter().map(|rule| (name.clone(), rule))),
                Err((line, reason)) => problems.push(format!("{name}:{line}: {reason}")),
            }
        }
        match problems.is_empty() {
            true => Ok(rules),
            false => {
                let message = format!("{} cannot be read", counted(problems.len() as u64, "file"));
                Err(Failure::bad_input(message).details(problems).into())
            }
        }
    }

    /// In the order of their names.
    fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let is_markdown = |path: &Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
        let mut files = Vec::new();
        for path in &self.paths {
            if path.is_file() {
                files.push(path.clone());
                continue;
            }
            for entry in WalkDir::new(path).sort_by_file_name() {
                let entry = entry.map_err(|error| Failure::bad_input(error.to_string()))?;
                if entry.file_type().is_file() && is_markdown(entry.path()) {
                    files.push(entry.into_path());
                }
            }
        }
        Ok(files)
    }

    fn words(&self, answer: &ImportAgentPlaybooksResponse) -> String {
        let changed = |result: &&ImportResult| {
            !matches!(result.action, ImportAction::Unchanged | ImportAction::Refused)
        };
        let count = answer.results.iter().filter(changed).count() as u64;
        match (answer.applied, self.dry_run) {
            (true, _) => format!("imported {}", counted(count, "rule")),
            (false, true) => format!("{} would be imported", counted(count, "rule")),
            (false, false) => "nothing was stored".to_owned(),
        }
    }
}

fn table(out: &Output, told: &[Told<'_>]) -> String {
    let columns =
        [("file", Align::Left), ("id", Align::Right), ("what happens", Align::Left), ("why", Align::Rest)];
    let mut table = Table::new(out, &columns);
    for Told { file, result } in told {
        table.row([
            file.clone(),
            result.agent_playbook_id.map(|id| id.to_string()).unwrap_or_default(),
            result.action.as_str().to_owned(),
            result.message.clone().unwrap_or_default(),
        ]);
    }
    table.render()
}

fn refused(told: &[Told<'_>]) -> anyhow::Result<()> {
    let details: Vec<String> = told
        .iter()
        .filter(|told| told.result.action == ImportAction::Refused)
        .map(|told| format!("{}: {}", told.file, told.result.message.as_deref().unwrap_or_default()))
        .collect();
    if details.is_empty() {
        return Ok(());
    }
    let message = format!("{} refused, so nothing was stored", counted(details.len() as u64, "rule"));
    Err(Failure::failed(message).details(details).into())
}
