use clap::{Args, Subcommand};
use reflexio_api_types::{
    BulkDeleteResponse, GetInteractionsRequest, GetRequestsRequest, InteractionView, NonBlank, SourceLabel,
    UserActionType,
};
use reflexio_client::Client;

use super::delete::{All, report};
use super::filters::{Limit, Span};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Panel, Table, short_seconds};

/// The API lists interactions but does not look one up, so the newest are searched, in growing steps.
const LOOKED_THROUGH: [i64; 2] = [1_000, 100_000];

#[derive(Debug, Subcommand)]
pub(crate) enum Interactions {
    /// Show interactions, newest first.
    List(List),
    /// Show one interaction in full.
    Show {
        #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
        id: i64,
    },
    /// Delete interactions: some of a user, those of a request or a session, or all.
    Delete(Delete),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those of this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only those of this session.
    #[arg(long, value_name = "SESSION")]
    session_id: Option<String>,
    /// Only those of this request.
    #[arg(long, value_name = "REQUEST")]
    request_id: Option<String>,
    /// Only those from this source.
    #[arg(long)]
    source: Option<String>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The interactions to delete.
    #[arg(value_name = "ID", requires = "user_id", required_unless_present_any = ["all", "request_id", "session_id"])]
    ids: Vec<i64>,
    /// Whose interactions these are.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Delete this request with its interactions.
    #[arg(long, value_name = "REQUEST", conflicts_with = "ids")]
    request_id: Option<String>,
    /// Delete this session with its requests and interactions.
    #[arg(long, value_name = "SESSION", conflicts_with_all = ["ids", "request_id"])]
    session_id: Option<String>,
    #[command(flatten)]
    all: All,
}

impl Interactions {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Interactions::List(list) => {
                let rows = list.rows(&context.client()?).await?;
                Ok(context.out.result(&rows, || table(&context.out, &rows))?)
            }
            Interactions::Show { id } => {
                let row = find(&context.client()?, *id).await?;
                Ok(context.out.result(&row, || panel(&context.out, &row))?)
            }
            Interactions::Delete(delete) => delete.run(context).await,
        }
    }
}

impl List {
    async fn rows(&self, client: &Client) -> anyhow::Result<Vec<InteractionView>> {
        if self.session_id.is_some() || self.request_id.is_some() || self.source.is_some() {
            return self.by_request(client).await;
        }
        let Some(user_id) = &self.user_id else {
            if self.span.is_given() {
                return self.by_request(client).await;
            }
            return Ok(client.all_interactions(Some(self.limit.positive().0)).await?);
        };
        let request = GetInteractionsRequest {
            user_id: NonBlank::from(user_id.as_str()),
            start_time: self.span.start(),
            end_time: self.span.end(),
            top_k: Some(self.limit.positive()),
        };
        Ok(client.interactions(&request).await?)
    }

    /// Sessions and sources belong to requests, so these are asked for.
    async fn by_request(&self, client: &Client) -> anyhow::Result<Vec<InteractionView>> {
        let request = GetRequestsRequest {
            user_id: self.user_id.clone(),
            request_id: self.request_id.clone(),
            session_id: self.session_id.clone(),
            source: self.source.as_deref().map(SourceLabel::from),
            start_time: self.span.start(),
            end_time: self.span.end(),
            top_k: Some(self.limit.positive()),
            offset: None,
        };
        let answer = client.requests(&request).await?;
        let requests = answer.sessions.into_iter().flat_map(|session| session.requests);
        Ok(requests.flat_map(|request| request.interactions).take(self.limit.rows()).collect())
    }
}

pub(crate) fn table(out: &Output, rows: &[InteractionView]) -> String {
    if rows.is_empty() {
        return "no interactions match; publish some with `reflexio publish`".to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Right),
            ("time", Align::Left),
            ("user", Align::Left),
            ("role", Align::Left),
            ("content", Align::Rest),
        ],
    );
    for row in rows {
        table.row([
            row.interaction_id.to_string(),
            short_seconds(row.created_at),
            row.user_id.clone(),
            row.role.clone(),
            said(row),
        ]);
    }
    table.render()
}

fn said(row: &InteractionView) -> String {
    let action = action_word(row.user_action).map(|word| format!("[{word}] {}", row.user_action_description));
    match action {
        Some(action) if row.content.is_empty() => action,
        Some(action) => format!("{} {action}", row.content),
        None => row.content.clone(),
    }
}

fn action_word(action: UserActionType) -> Option<&'static str> {
    match action {
        UserActionType::Click => Some("click"),
        UserActionType::Scroll => Some("scroll"),
        UserActionType::Type => Some("type"),
        UserActionType::None => None,
    }
}

async fn find(client: &Client, id: i64) -> anyhow::Result<InteractionView> {
    for limit in LOOKED_THROUGH {
        let rows = client.all_interactions(Some(limit)).await?;
        let seen_all = (rows.len() as i64) < limit;
        if let Some(row) = rows.into_iter().find(|row| row.interaction_id == id) {
            return Ok(row);
        }
        if seen_all {
            return Err(Failure::not_found(format!("interaction {id} does not exist")).into());
        }
    }
    let most = LOOKED_THROUGH[LOOKED_THROUGH.len() - 1];
    Err(Failure::not_found(format!("interaction {id} is not among the newest {most}"))
        .hint("list them by user or session: `reflexio interactions list --user-id USER --since TIME`")
        .into())
}

fn panel(out: &Output, row: &InteractionView) -> String {
    let tools = row.tools_used.iter().map(|tool| tool.tool_name.as_str()).collect::<Vec<_>>().join(", ");
    Panel::new(out)
        .row("interaction", row.interaction_id)
        .row("user", &row.user_id)
        .row("session", &row.session_id)
        .row("request", &row.request_id)
        .row("time", short_seconds(row.created_at))
        .row("role", &row.role)
        .maybe("content", Some(&row.content))
        .maybe("shadow", Some(&row.shadow_content))
        .maybe("expert", Some(&row.expert_content))
        .maybe("action", action_word(row.user_action))
        .maybe("description", Some(&row.user_action_description))
        .maybe("tools", Some(tools))
        .maybe("image", row.image_id.as_ref())
        .maybe("image", Some(&row.interacted_image_url))
        .render()
}

impl Delete {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        if self.all.all {
            self.all.confirm(context, "interactions")?;
            return report(context, "interaction", None, &context.client()?.delete_all_interactions().await?);
        }
        let client = context.client()?;
        if let Some(request_id) = &self.request_id {
            let answer = client.delete_request(request_id).await?;
            return Ok(context.out.done(&answer, || format!("deleted request {request_id}"))?);
        }
        if let Some(session_id) = &self.session_id {
            let answer = client.delete_session(session_id).await?;
            return Ok(context.out.done(&answer, || {
                format!("deleted session {session_id} with {} requests", answer.deleted_requests_count)
            })?);
        }
        let deleted = self.delete_ids(&client).await?;
        report(context, "interaction", Some(self.ids.len()), &BulkDeleteResponse::new(deleted))
    }

    async fn delete_ids(&self, client: &Client) -> anyhow::Result<u64> {
        let user_id = self.user_id.as_deref().unwrap_or_default();
        let mut deleted = 0;
        for id in &self.ids {
            match client.delete_interaction(user_id, *id).await {
                Ok(_) => deleted += 1,
                Err(reflexio_client::Error::NotFound(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(deleted)
    }
}
