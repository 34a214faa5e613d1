use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{
    AgentPlaybookView, GetAgentPlaybooksRequest, PlaybookStatus, PlaybookStatuses, Positive, StatusName,
    UpdateAgentPlaybookRequest,
};
use reflexio_client::Client;
use reflexio_types::Status;
use serde_json::json;

use super::delete::{Delete, counted, report};
use super::filters::{Limit, Span, any_status, status_word};
use super::impact::Impact;
use super::user_playbooks::headline;
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
    /// How often agents got it, and how sessions with it ended beside sessions without it.
    Impact(Impact),
    /// Let agent playbooks into production.
    Approve {
        #[arg(value_name = "ID", required = true)]
        ids: Vec<i64>,
    },
    /// Keep agent playbooks out of production.
    Reject {
        #[arg(value_name = "ID", required = true)]
        ids: Vec<i64>,
    },
    /// Change the text of an agent playbook; without options in your editor.
    Edit(Edit),
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
            AgentPlaybooks::Show { id } => {
                let row = find(&context.client()?, *id).await?;
                Ok(context.out.result(&row, || panel(&context.out, &row))?)
            }
            AgentPlaybooks::Impact(impact) => impact.run(context).await,
            AgentPlaybooks::Approve { ids } => decide(context, ids, PlaybookStatus::Approved).await,
            AgentPlaybooks::Reject { ids } => decide(context, ids, PlaybookStatus::Rejected).await,
            AgentPlaybooks::Edit(edit) => edit.run(context).await,
            AgentPlaybooks::Delete(delete) => delete_playbooks(context, delete).await,
        }
    }
}

impl List {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let (status, decision) = match self.status {
            None => (None, None),
            Some(ReviewStatus::Pending) => (Some(Status::Pending), None),
            Some(ReviewStatus::Approved) => (None, Some(PlaybookStatus::Approved)),
            Some(ReviewStatus::Rejected) => (None, Some(PlaybookStatus::Rejected)),
            Some(ReviewStatus::Archived) => (Some(Status::Archived), None),
            Some(ReviewStatus::Superseded) => (Some(Status::Superseded), None),
        };
        let request = GetAgentPlaybooksRequest {
            limit: Some(self.limit.positive()),
            query: self.query.clone(),
            playbook_name: self.playbook_name.clone(),
            agent_version: self.agent_version.clone(),
            start_time: self.span.start(),
            end_time: self.span.end(),
            status_filter: status.map(|status| vec![Some(StatusName(status))]),
            playbook_status_filter: decision.map(PlaybookStatuses::One),
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
        .maybe("learned by", row.learned_by.as_ref())
        .row("created", short_seconds(row.created_at))
        .render()
}

/// One after the other, so that the message says where it stopped.
async fn decide(context: &Context, ids: &[i64], status: PlaybookStatus) -> anyhow::Result<()> {
    let client = context.client()?;
    for id in ids {
        client.decide_agent_playbook(*id, status).await?;
    }
    let (word, value) = match status {
        PlaybookStatus::Approved => ("approved", json!({"approved": ids})),
        PlaybookStatus::Rejected => ("rejected", json!({"rejected": ids})),
        PlaybookStatus::Pending => ("reopened", json!({"reopened": ids})),
    };
    Ok(context.out.done(&value, || format!("{word} {}", counted(ids.len() as u64, "agent playbook")))?)
}

impl Edit {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        let mut request = UpdateAgentPlaybookRequest {
            agent_playbook_id: Positive(self.id),
            playbook_name: self.name.clone(),
            content: self.content.clone(),
            trigger: self.trigger.clone(),
            rationale: self.rationale.clone(),
            playbook_status: None,
        };
        if [&self.content, &self.trigger, &self.rationale, &self.name].iter().all(|field| field.is_none()) {
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
