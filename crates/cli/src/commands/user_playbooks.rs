use clap::{Args, Subcommand};
use reflexio_api_types::{
    DowngradeUserPlaybooksRequest, GetUserPlaybooksRequest, Positive, UpgradeUserPlaybooksRequest,
    UserPlaybookView,
};

use super::delete::{Delete, report};
use super::filters::{Limit, Span, StatusArg, any_status, status_word};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Panel, Table, short_seconds};

#[derive(Debug, Subcommand)]
pub(crate) enum UserPlaybooks {
    /// Show user playbooks, newest first.
    List(List),
    /// Show one user playbook in full.
    Show {
        #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Delete user playbooks.
    Delete(Delete<i64>),
    /// Put what a rerun learned into use: pending playbooks become current, current ones archived.
    Upgrade {
        /// Of this agent version; of all if missing.
        #[arg(long, value_name = "VERSION")]
        agent_version: Option<String>,
        /// Of this name; of all if missing.
        #[arg(long, alias = "name", value_name = "NAME")]
        playbook_name: Option<String>,
    },
    /// Take an upgrade back: archived playbooks become current again, current ones archived.
    Downgrade {
        /// Of this agent version; of all if missing.
        #[arg(long, value_name = "VERSION")]
        agent_version: Option<String>,
        /// Of this name; of all if missing.
        #[arg(long, alias = "name", value_name = "NAME")]
        playbook_name: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those of this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only those of this agent version.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    /// Only those of this name.
    #[arg(long, alias = "name", value_name = "NAME")]
    playbook_name: Option<String>,
    /// Only those with these words.
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// Only those in one of these states; all but merged and superseded ones if missing.
    #[arg(long, value_delimiter = ',')]
    status: Vec<StatusArg>,
    /// Only those learned from this request.
    #[arg(long, value_name = "REQUEST")]
    request_id: Option<String>,
    /// Only those with one of these tags.
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    limit: Limit,
}

impl UserPlaybooks {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            UserPlaybooks::List(list) => list.run(context).await,
            UserPlaybooks::Show { id } => show(context, *id).await,
            UserPlaybooks::Delete(delete) => delete_playbooks(context, delete).await,
            UserPlaybooks::Upgrade { agent_version, playbook_name } => {
                upgrade(context, agent_version.clone(), playbook_name.clone()).await
            }
            UserPlaybooks::Downgrade { agent_version, playbook_name } => {
                downgrade(context, agent_version.clone(), playbook_name.clone()).await
            }
        }
    }
}

impl List {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let statuses: Vec<_> = self.status.iter().map(|status| Some((*status).into())).collect();
        let request = GetUserPlaybooksRequest {
            limit: Some(self.limit.positive()),
            user_id: self.user_id.clone(),
            request_id: self.request_id.clone(),
            query: self.query.clone(),
            playbook_name: self.playbook_name.clone(),
            agent_version: self.agent_version.clone(),
            start_time: self.span.start(),
            end_time: self.span.end(),
            status_filter: (!statuses.is_empty()).then_some(statuses),
            tags: (!self.tag.is_empty()).then(|| self.tag.clone()),
            ..GetUserPlaybooksRequest::default()
        };
        let rows = context.client()?.user_playbooks(&request).await?;
        context.out.result(&rows, || table(&context.out, &rows))?;
        Ok(())
    }
}

pub(crate) fn table(out: &Output, rows: &[UserPlaybookView]) -> String {
    if rows.is_empty() {
        return "no user playbooks match; they are learned from what is published".to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Right),
            ("name", Align::Left),
            ("user", Align::Left),
            ("version", Align::Left),
            ("playbook", Align::Rest),
            ("status", Align::Left),
            ("created", Align::Left),
        ],
    );
    for row in rows {
        table.row([
            row.user_playbook_id.to_string(),
            row.playbook_name.clone(),
            row.user_id.clone().unwrap_or_default(),
            row.agent_version.clone(),
            headline(&row.content, row.trigger.as_deref()),
            status_word(row.status),
            short_seconds(row.created_at),
        ]);
    }
    table.render()
}

/// A playbook may be nothing but its trigger.
pub(crate) fn headline(content: &str, trigger: Option<&str>) -> String {
    if content.trim().is_empty() { trigger.unwrap_or_default().to_owned() } else { content.to_owned() }
}

async fn show(context: &Context, id: i64) -> anyhow::Result<()> {
    let request = GetUserPlaybooksRequest {
        user_playbook_id: Some(Positive(id)),
        status_filter: Some(any_status()),
        ..GetUserPlaybooksRequest::default()
    };
    let row = context.client()?.user_playbooks(&request).await?.pop();
    let row = row.ok_or_else(|| Failure::not_found(format!("user playbook {id} does not exist")))?;
    context.out.result(&row, || panel(&context.out, &row))?;
    Ok(())
}

fn panel(out: &Output, row: &UserPlaybookView) -> String {
    Panel::new(out)
        .row("user playbook", row.user_playbook_id)
        .row("name", &row.playbook_name)
        .row("agent version", &row.agent_version)
        .maybe("user", row.user_id.as_ref())
        .row("status", status_word(row.status))
        .row("content", &row.content)
        .maybe("trigger", row.trigger.as_ref())
        .maybe("instruction", row.instruction.as_ref())
        .maybe("pitfall", row.pitfall.as_ref())
        .maybe("rationale", row.rationale.as_ref())
        .maybe("metadata", Some(&row.playbook_metadata))
        .maybe("tags", Some(row.tags.join(", ")))
        .maybe("source", row.source.as_ref())
        .row("learned from", &row.request_id)
        .maybe("learned by", row.learned_by.as_ref())
        .row("created", short_seconds(row.created_at))
        .render()
}

async fn delete_playbooks(context: &Context, delete: &Delete<i64>) -> anyhow::Result<()> {
    if delete.all.all {
        delete.all.confirm(context, "user playbooks")?;
        return report(context, "user playbook", None, &context.client()?.delete_all_user_playbooks().await?);
    }
    let answer = context.client()?.delete_user_playbooks(delete.ids.clone()).await?;
    report(context, "user playbook", Some(delete.ids.len()), &answer)
}

async fn upgrade(
    context: &Context,
    agent_version: Option<String>,
    playbook_name: Option<String>,
) -> anyhow::Result<()> {
    let request = UpgradeUserPlaybooksRequest { agent_version, playbook_name, archive_current: None };
    let answer = context.client()?.upgrade_user_playbooks(&request).await?;
    context.out.done(&answer, || {
        format!(
            "{} promoted, {} archived, {} formerly archived deleted",
            answer.user_playbooks_promoted, answer.user_playbooks_archived, answer.user_playbooks_deleted
        )
    })?;
    Ok(())
}

async fn downgrade(
    context: &Context,
    agent_version: Option<String>,
    playbook_name: Option<String>,
) -> anyhow::Result<()> {
    let request = DowngradeUserPlaybooksRequest { agent_version, playbook_name };
    let answer = context.client()?.downgrade_user_playbooks(&request).await?;
    context.out.done(&answer, || {
        format!("{} restored, {} archived", answer.user_playbooks_restored, answer.user_playbooks_demoted)
    })?;
    Ok(())
}
