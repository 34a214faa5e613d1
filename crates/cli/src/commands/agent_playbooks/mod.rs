mod markdown;
mod review;

use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{
    AgentPlaybookView, GetAgentPlaybooksRequest, PlaybookStatus, PlaybookStatuses, Positive, StatusName,
    UpdateAgentPlaybookRequest,
};
use reflexio_client::Client;
use reflexio_types::Status;

use super::delete::{Delete, counted, report};
use super::filters::{Limit, Span, any_status, status_word};
use super::user_playbooks::headline;
use markdown::{Export, Import};
use review::Decide;

use crate::context::Context;
use crate::editor;
use crate::failure::Failure;
use crate::output::{Align, Output, Panel, Table, short_seconds};

#[derive(Debug, Subcommand)]
pub(crate) enum AgentPlaybooks {
    /// Show agent playbooks, newest first; `--status pending` is the review list.
    List(List),
    /// Show one agent playbook in full.
    Show {
        #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Show what approving a successor would change, word by word.
    Diff {
        #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Show who did what to an agent playbook, why, and the text before.
    History {
        #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Let agent playbooks into production.
    Approve(Decide),
    /// Keep agent playbooks out of production.
    Reject(Decide),
    /// Change the text of an agent playbook; without options in your editor.
    Edit(Edit),
    /// Write agent playbooks as Markdown files that people can review, one each.
    Export(Export),
    /// Read what `export` wrote, with the edits that people made.
    Import(Import),
    /// Delete agent playbooks.
    Delete(Delete<i64>),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those of this agent version.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    /// Only those of this name.
    #[arg(long, alias = "name", value_name = "NAME")]
    playbook_name: Option<String>,
    /// Only those with these words.
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// Only those in this state; all that are in use, whatever was decided, if missing.
    #[arg(long)]
    status: Option<ReviewStatus>,
    /// Only those with one of these tags.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReviewStatus {
    /// Waits for a person.
    Pending,
    Approved,
    Rejected,
    /// Replaced by an upgrade.
    Archived,
    /// Replaced by a successor.
    Superseded,
}

impl ReviewStatus {
    /// How the API is asked for it: by the lifecycle, or by what was decided.
    fn filters(this: Option<Self>) -> (Option<Vec<Option<StatusName>>>, Option<PlaybookStatuses>) {
        let of_life = |status| (Some(vec![Some(StatusName(status))]), None);
        let decided = |status| (None, Some(PlaybookStatuses::One(status)));
        match this {
            None => (None, None),
            Some(ReviewStatus::Pending) => of_life(Status::Pending),
            Some(ReviewStatus::Approved) => decided(PlaybookStatus::Approved),
            Some(ReviewStatus::Rejected) => decided(PlaybookStatus::Rejected),
            Some(ReviewStatus::Archived) => of_life(Status::Archived),
            Some(ReviewStatus::Superseded) => of_life(Status::Superseded),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Edit {
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,
    /// The new text of the rule.
    #[arg(long, value_name = "TEXT")]
    content: Option<String>,
    /// When it applies.
    #[arg(long, value_name = "TEXT")]
    trigger: Option<String>,
    /// What to do.
    #[arg(long, value_name = "TEXT")]
    instruction: Option<String>,
    /// What to avoid.
    #[arg(long, value_name = "TEXT")]
    pitfall: Option<String>,
    /// Why it is right.
    #[arg(long, value_name = "TEXT")]
    rationale: Option<String>,
    /// Its name.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl AgentPlaybooks {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            AgentPlaybooks::List(list) => list.run(context).await,
            AgentPlaybooks::Show { id } => show(context, *id).await,
            AgentPlaybooks::Diff { id } => review::diff(context, *id).await,
            AgentPlaybooks::History { id } => review::history(context, *id).await,
            AgentPlaybooks::Approve(decide) => decide.run(context, PlaybookStatus::Approved).await,
            AgentPlaybooks::Reject(decide) => decide.run(context, PlaybookStatus::Rejected).await,
            AgentPlaybooks::Export(export) => export.run(context).await,
            AgentPlaybooks::Import(import) => import.run(context).await,
            AgentPlaybooks::Edit(edit) => edit.run(context).await,
            AgentPlaybooks::Delete(delete) => delete_playbooks(context, delete).await,
        }
    }
}

impl List {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let (status_filter, playbook_status_filter) = ReviewStatus::filters(self.status);
        let request = GetAgentPlaybooksRequest {
            limit: Some(self.limit.positive()),
            query: self.query.clone(),
            playbook_name: self.playbook_name.clone(),
            agent_version: self.agent_version.clone(),
            start_time: self.span.start(),
            end_time: self.span.end(),
            status_filter,
            playbook_status_filter,
            tags: (!self.tag.is_empty()).then(|| self.tag.clone()),
            ..GetAgentPlaybooksRequest::default()
        };
        let rows = context.client()?.agent_playbooks(&request).await?;
        context.out.result(&rows, || match self.status {
            Some(ReviewStatus::Pending) if rows.is_empty() => "nothing waits for review".to_owned(),
            _ => table(&context.out, &rows),
        })?;
        if self.status == Some(ReviewStatus::Pending) && !rows.is_empty() && !context.out.is_json() {
            context.out.note("decide with `reflexio agent-playbooks approve ID…` or `reject ID…`");
        }
        Ok(())
    }
}

pub(crate) fn table(out: &Output, rows: &[AgentPlaybookView]) -> String {
    if rows.is_empty() {
        return "no agent playbooks match; they are made of user playbooks, or added through the API"
            .to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Right),
            ("name", Align::Left),
            ("version", Align::Left),
            ("playbook", Align::Rest),
            ("review", Align::Left),
            ("created", Align::Left),
        ],
    );
    for row in rows {
        table.row([
            row.agent_playbook_id.to_string(),
            row.playbook_name.clone(),
            row.agent_version.clone(),
            headline(&row.content, row.trigger.as_deref()),
            review_word(out, row.playbook_status),
            short_seconds(row.created_at),
        ]);
    }
    table.render()
}

fn review_word(out: &Output, status: PlaybookStatus) -> String {
    let style = out.style();
    match status {
        PlaybookStatus::Pending => style.yellow().apply_to("pending").to_string(),
        PlaybookStatus::Approved => style.green().apply_to("approved").to_string(),
        PlaybookStatus::Rejected => style.red().apply_to("rejected").to_string(),
    }
}

async fn find(client: &Client, id: i64) -> anyhow::Result<AgentPlaybookView> {
    let request = GetAgentPlaybooksRequest {
        agent_playbook_id: Some(Positive(id)),
        status_filter: Some(any_status()),
        ..GetAgentPlaybooksRequest::default()
    };
    let found = client.agent_playbooks(&request).await?.pop();
    found.ok_or_else(|| Failure::not_found(format!("agent playbook {id} does not exist")).into())
}

fn panel(out: &Output, row: &AgentPlaybookView) -> String {
    Panel::new(out)
        .row("agent playbook", row.agent_playbook_id)
        .row("name", &row.playbook_name)
        .row("agent version", &row.agent_version)
        .row("review", review_word(out, row.playbook_status))
        .row("status", status_word(row.status))
        .row("content", &row.content)
        .maybe("trigger", row.trigger.as_ref())
        .maybe("instruction", row.instruction.as_ref())
        .maybe("pitfall", row.pitfall.as_ref())
        .maybe("rationale", row.rationale.as_ref())
        .maybe("metadata", Some(&row.playbook_metadata))
        .maybe("tags", Some(row.tags.join(", ")))
        .maybe("evidence", evidence(row))
        .maybe("successor of", row.successor_of)
        .maybe("superseded by", row.superseded_by)
        .maybe("learned by", row.learned_by.as_ref())
        .row("author", &row.author)
        .maybe("reviewed by", row.reviewed_by.as_ref())
        .maybe("reason", row.review_reason.as_ref())
        .row("created", short_seconds(row.created_at))
        .render()
}

/// "9 user playbooks of 4 users, agreement 0.91".
pub(crate) fn evidence(row: &AgentPlaybookView) -> Option<String> {
    let size = row.cluster_size?;
    let users =
        row.distinct_users.map_or_else(String::new, |users| format!(" of {}", counted(users.into(), "user")));
    let agreement = row.agreement.map_or_else(String::new, |share| format!(", agreement {share:.2}"));
    Some(format!("{}{users}{agreement}", counted(size.into(), "user playbook")))
}

/// A successor is shown with what it would change.
async fn show(context: &Context, id: i64) -> anyhow::Result<()> {
    let client = context.client()?;
    let row = find(&client, id).await?;
    context.out.result(&row, || panel(&context.out, &row))?;
    if row.successor_of.is_some() && row.playbook_status == PlaybookStatus::Pending && !context.out.is_json()
    {
        let diff = client.agent_playbook_diff(id).await?;
        context.out.line(format_args!("\n{}", review::diff_words(&context.out, &diff)))?;
    }
    Ok(())
}

impl Edit {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        let mut request = UpdateAgentPlaybookRequest {
            agent_playbook_id: Positive(self.id),
            playbook_name: self.name.clone(),
            content: self.content.clone(),
            trigger: self.trigger.clone(),
            instruction: self.instruction.clone(),
            pitfall: self.pitfall.clone(),
            rationale: self.rationale.clone(),
            playbook_status: None,
            reason: None,
        };
        let fields =
            [&self.content, &self.trigger, &self.instruction, &self.pitfall, &self.rationale, &self.name];
        if fields.iter().all(|field| field.is_none()) {
            let current = find(&client, self.id).await?;
            let edited = editor::edit(&current.content, ".md")?.trim_end().to_owned();
            if edited == current.content.trim_end() {
                context.out.note("nothing was changed");
                return Ok(());
            }
            request.content = Some(edited);
        }
        let answer = client.update_agent_playbook(&request).await?;
        Ok(context.out.done(&answer, || format!("changed agent playbook {}", self.id))?)
    }
}

async fn delete_playbooks(context: &Context, delete: &Delete<i64>) -> anyhow::Result<()> {
    if delete.all.all {
        delete.all.confirm(context, "agent playbooks")?;
        return report(
            context,
            "agent playbook",
            None,
            &context.client()?.delete_all_agent_playbooks().await?,
        );
    }
    let answer = context.client()?.delete_agent_playbooks(delete.ids.clone()).await?;
    report(context, "agent playbook", Some(delete.ids.len()), &answer)
}
