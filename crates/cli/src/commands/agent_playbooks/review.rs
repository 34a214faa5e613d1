//! Deciding about rules, and what has to be known for it.

use clap::Args;
use console::Style;
use reflexio_api_types::{
    AgentPlaybookDiffResponse, AgentPlaybookEventView, AgentPlaybookHistoryResponse, DiffOp, FieldChangeView,
    FieldDiffView, PlaybookStatus,
};
use serde_json::json;

use super::super::delete::counted;
use crate::context::Context;
use crate::output::{Output, short_seconds};

/// Which rules, and why.
#[derive(Debug, Args)]
pub(crate) struct Decide {
    #[arg(value_name = "ID", required = true, value_parser = clap::value_parser!(i64).range(1..))]
    ids: Vec<i64>,
    /// Why; it is kept with the rule, and told when something that says the same is refused later.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Decide {
    /// One after the other, so that the message says where it stopped.
    pub(super) async fn run(&self, context: &Context, status: PlaybookStatus) -> anyhow::Result<()> {
        let client = context.client()?;
        for id in &self.ids {
            client.decide_agent_playbook(*id, status, self.reason.clone()).await?;
        }
        let ids = &self.ids;
        let (word, value) = match status {
            PlaybookStatus::Approved => ("approved", json!({"approved": ids})),
            PlaybookStatus::Rejected => ("rejected", json!({"rejected": ids})),
            PlaybookStatus::Pending => ("reopened", json!({"reopened": ids})),
        };
        Ok(context.out.done(&value, || format!("{word} {}", counted(ids.len() as u64, "agent playbook")))?)
    }
}

pub(super) async fn diff(context: &Context, id: i64) -> anyhow::Result<()> {
    let diff = context.client()?.agent_playbook_diff(id).await?;
    Ok(context.out.result(&diff, || diff_words(&context.out, &diff))?)
}

/// What approving it would change, field by field.
pub(super) fn diff_words(out: &Output, diff: &AgentPlaybookDiffResponse) -> String {
    let Some(before) = diff.successor_of.filter(|_| !diff.fields.is_empty()) else {
        return diff.msg.clone().unwrap_or_default();
    };
    let head = format!("agent playbook {} would change {before}:", diff.agent_playbook_id);
    let fields = diff.fields.iter().map(|field| field_words(out, field));
    std::iter::once(head).chain(fields).collect::<Vec<_>>().join("\n")
}

/// Without colours the marks of `git diff --word-diff` tell what goes and what comes.
fn field_words(out: &Output, diff: &FieldDiffView) -> String {
    let (gone, new) = (out.style().red().strikethrough(), out.style().green());
    let text: String = diff
        .parts
        .iter()
        .map(|part| match part.op {
            DiffOp::Same => part.text.clone(),
            DiffOp::Removed => marked(out, &gone, ("[-", "-]"), &part.text),
            DiffOp::Added => marked(out, &new, ("{+", "+}"), &part.text),
        })
        .collect();
    format!("  {}\n    {}", out.style().bold().apply_to(&diff.field), text.trim_end().replace('\n', "\n    "))
}

fn marked(out: &Output, style: &Style, (open, close): (&str, &str), text: &str) -> String {
    if out.color { style.apply_to(text).to_string() } else { format!("{open}{text}{close}") }
}

pub(super) async fn history(context: &Context, id: i64) -> anyhow::Result<()> {
    let history = context.client()?.agent_playbook_history(id).await?;
    Ok(context.out.result(&history, || history_words(&context.out, &history))?)
}

fn history_words(out: &Output, history: &AgentPlaybookHistoryResponse) -> String {
    if history.events.is_empty() {
        return "nothing happened to it yet".to_owned();
    }
    history.events.iter().map(|event| event_words(out, event)).collect::<Vec<_>>().join("\n")
}

fn event_words(out: &Output, event: &AgentPlaybookEventView) -> String {
    let by = event.actor.as_ref().map_or_else(String::new, |key| format!(" with key {key}"));
    let why = event.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    let action = out.style().bold().apply_to(&event.action);
    let head = format!("{}  {action}{by}{why}", short_seconds(event.created_at));
    let changes = event.changes.iter().map(|change| change_words(out, change));
    std::iter::once(head).chain(changes).collect::<Vec<_>>().join("\n")
}

fn change_words(out: &Output, change: &FieldChangeView) -> String {
    let mut text = format!("  {}", change.field);
    let sides = [("-", &change.before, out.style().red()), ("+", &change.after, out.style().green())];
    for (mark, side, style) in sides {
        for line in side.iter().flat_map(|side| side.lines()) {
            text.push_str(&format!("\n    {}", style.apply_to(format!("{mark} {line}"))));
        }
    }
    text
}
