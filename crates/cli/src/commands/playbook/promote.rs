use std::path::PathBuf;

use clap::Args;
use playbook_lang::{Playbook, Program, Severity};
use reflexio_api_types::{AgentPlaybookView, GetAgentPlaybooksRequest, PlaybookStatus, Positive};
use serde_json::json;

use super::disk::{self, Disk};
use super::given::Group;
use crate::context::Context;
use crate::failure::Failure;

/// Arguments of `playbook promote`.
#[derive(Debug, Args)]
#[command(after_help = "A learned rule becomes a note of the author. Without --write, nothing is changed.")]
pub(crate) struct Promote {
    /// The id of an approved agent playbook.
    #[arg(value_name = "RULE", value_parser = clap::value_parser!(i64).range(1..))]
    rule: i64,
    /// Where it belongs: a file and one of its playbooks, `support.md:Refund`.
    #[arg(long, value_name = "FILE:PLAYBOOK")]
    into: String,
    /// Change the file.
    #[arg(long)]
    write: bool,
}

impl Promote {
    pub(crate) fn run(&self, context: &Context) -> anyhow::Result<()> {
        crate::run::wait(self.promote(context))
    }

    async fn promote(&self, context: &Context) -> anyhow::Result<()> {
        let (path, playbook) = self
            .into
            .rsplit_once(':')
            .filter(|(path, name)| !path.is_empty() && !name.is_empty())
            .ok_or_else(|| {
                Failure::usage(format!("--into {} names no playbook", self.into))
                    .hint("write --into support.md:Refund")
            })?;
        let rule = self.rule(context).await?;
        let file = disk::read(&PathBuf::from(path))?;
        let program = Group(vec![file.clone()]).parse(&Disk::default());
        let found = find(&program, playbook).ok_or_else(|| {
            let all = program.agents.iter().flat_map(|agent| &agent.playbooks);
            let names: Vec<&str> = all.map(|found| found.name.value.as_str()).collect();
            Failure::not_found(format!("{path} has no playbook `{playbook}`"))
                .hint(format!("there are: {}", names.join(", ")))
        })?;
        let note = note(&rule);
        let at = place(found, &file.text);
        let changed = with_note(&file.text, at, found.notes.is_empty(), &note);
        checked(&file.name, &changed)?;
        let diff = diff(&file.name, &file.text, at, &added(found.notes.is_empty(), &note));
        if self.write {
            disk::replace(&file.name, &changed)?;
        }
        let value = json!({
            "agent_playbook_id": self.rule, "file": file.name, "playbook": found.name.value, "note": note,
            "diff": diff, "written": self.write,
        });
        context.out.result(&value, || diff.trim_end().to_owned())?;
        if !self.write {
            context.out.note("nothing was changed; --write does it");
        }
        Ok(())
    }

    /// Only what a person approved can become law.
    async fn rule(&self, context: &Context) -> anyhow::Result<AgentPlaybookView> {
        let request = GetAgentPlaybooksRequest {
            agent_playbook_id: Some(Positive(self.rule)),
            ..GetAgentPlaybooksRequest::default()
        };
        let found = context.client()?.agent_playbooks(&request).await?;
        let missing = || Failure::not_found(format!("there is no agent playbook {}", self.rule));
        let rule = found.into_iter().next().ok_or_else(missing)?;
        if rule.playbook_status != PlaybookStatus::Approved {
            return Err(Failure::failed(format!("agent playbook {} is not approved", self.rule))
                .hint(format!("`reflexio agent-playbooks approve {}` does it, after a look at it", self.rule))
                .into());
        }
        Ok(rule)
    }
}

fn find<'a>(program: &'a Program, name: &str) -> Option<&'a Playbook> {
    let key = playbook_lang::name::key;
    let mut all =
        program.agents.iter().flat_map(|agent| agent.playbooks.iter().map(move |found| (agent, found)));
    let is_it = |agent: &playbook_lang::Agent, found: &Playbook| {
        key(&found.name.value) == key(name)
            || key(&format!("{}.{}", agent.class, found.name.value)) == key(name)
    };
    all.find(|(agent, found)| is_it(agent, found)).map(|(_, found)| found)
}

/// One line: a rule is data, and whatever it holds stays the text of one note.
fn note(rule: &AgentPlaybookView) -> String {
    let text = match rule.trigger.as_deref().filter(|trigger| !trigger.trim().is_empty()) {
        Some(trigger) => format!("{trigger}: {}", rule.content),
        None => rule.content.clone(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn added(is_first: bool, note: &str) -> String {
    if is_first { format!("\n### Notes\n- {note}\n") } else { format!("- {note}\n") }
}

/// Where the note belongs: after the last one, or at the end of the playbook.
fn place(playbook: &Playbook, text: &str) -> usize {
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |len| at + len + 1);
    if let Some(last) = playbook.notes.last() {
        return line_end((last.span.end as usize).min(text.len()));
    }
    let from = line_end((playbook.name.span.end as usize).min(text.len()));
    let mut at = from;
    let mut is_fenced = false;
    for line in text[from..].split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        if !is_fenced && (line.starts_with("# ") || line.starts_with("## ")) {
            break;
        }
        at += line.len();
    }
    // Before the blank lines that divide playbooks.
    from + text[from..at].trim_end().len()
        + usize::from(text[from..at].trim_end().len() < text[from..at].len())
}

fn with_note(text: &str, at: usize, is_first: bool, note: &str) -> String {
    let before = &text[..at];
    let line_break = if before.ends_with('\n') || before.is_empty() { "" } else { "\n" };
    format!("{before}{line_break}{}{}", added(is_first, note), &text[at..])
}

/// What would not be a program any more is not proposed.
fn checked(name: &str, text: &str) -> Result<(), Failure> {
    let program = Program::parse_with(vec![playbook_lang::SourceFile::new(name, text)], &Disk::default());
    let errors = program.diagnostics().iter().filter(|found| found.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|found| found.message.clone()).collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(Failure::failed("the file would have errors with this note").details(errors))
}

/// A patch with three lines around what is added.
fn diff(name: &str, text: &str, at: usize, added: &str) -> String {
    let before: Vec<&str> = text[..at].lines().collect();
    let after: Vec<&str> = text[at..].lines().collect();
    let shown_before = &before[before.len().saturating_sub(3)..];
    let shown_after = &after[..after.len().min(3)];
    let new: Vec<&str> = added.lines().collect();
    let from = before.len() - shown_before.len() + 1;
    let (old_count, new_count) =
        (shown_before.len() + shown_after.len(), shown_before.len() + shown_after.len() + new.len());
    let mut patch = format!("--- a/{name}\n+++ b/{name}\n@@ -{from},{old_count} +{from},{new_count} @@\n");
    let mut lines = |mark: char, lines: &[&str]| {
        for line in lines {
            patch.push(mark);
            patch.push_str(line);
            patch.push('\n');
        }
    };
    lines(' ', shown_before);
    lines('+', &new);
    lines(' ', shown_after);
    patch
}
