use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{
    DowngradeProfilesRequest, GetAllProfilesQuery, ProfileTimeToLive, ProfileView, SourceLabel, StatusName,
    UpgradeProfilesRequest,
};
use reflexio_types::Status;

use super::delete::{Delete, report};
use super::filters::{Limit, Span, StatusArg, status_word};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Panel, Table, short_seconds};

#[derive(Debug, Subcommand)]
pub(crate) enum Profiles {
    /// Show profiles, those changed last first.
    List(List),
    /// Show one profile in full.
    Show {
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Delete profiles.
    Delete(Delete<String>),
    /// Put what a rerun learned into use: pending profiles become current, current ones archived.
    Upgrade {
        /// Whose profiles; everybody's if missing.
        #[arg(long, value_name = "USER")]
        user_id: Option<String>,
    },
    /// Take an upgrade back: archived profiles become current again, current ones archived.
    Downgrade {
        /// Whose profiles; everybody's if missing.
        #[arg(long, value_name = "USER")]
        user_id: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only profiles of this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only profiles with these words.
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    #[arg(long, default_value = "current")]
    status: StatusArg,
    /// Only profiles learned from this source.
    #[arg(long)]
    source: Option<String>,
    /// Only profiles that live so long.
    #[arg(long, value_name = "TIME")]
    time_to_live: Option<TimeToLive>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TimeToLive {
    OneDay,
    OneWeek,
    OneMonth,
    OneQuarter,
    OneYear,
    Infinity,
}

impl From<TimeToLive> for ProfileTimeToLive {
    fn from(time: TimeToLive) -> Self {
        match time {
            TimeToLive::OneDay => ProfileTimeToLive::OneDay,
            TimeToLive::OneWeek => ProfileTimeToLive::OneWeek,
            TimeToLive::OneMonth => ProfileTimeToLive::OneMonth,
            TimeToLive::OneQuarter => ProfileTimeToLive::OneQuarter,
            TimeToLive::OneYear => ProfileTimeToLive::OneYear,
            TimeToLive::Infinity => ProfileTimeToLive::Infinity,
        }
    }
}

impl Profiles {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Profiles::List(list) => list.run(context).await,
            Profiles::Show { id } => show(context, id).await,
            Profiles::Delete(delete) => delete_profiles(context, delete).await,
            Profiles::Upgrade { user_id } => upgrade(context, user_id.as_deref()).await,
            Profiles::Downgrade { user_id } => downgrade(context, user_id.as_deref()).await,
        }
    }
}

impl List {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let query = GetAllProfilesQuery {
            limit: Some(self.limit.positive()),
            status_filter: Some(self.status.into()),
            user_id: self.user_id.clone(),
            query: self.query.clone(),
            source: self.source.as_deref().map(SourceLabel::from),
            profile_time_to_live: self.time_to_live.map(Into::into),
            start_time: self.span.start(),
            end_time: self.span.end(),
            ..GetAllProfilesQuery::default()
        };
        let rows = context.client()?.profiles(&query).await?;
        context.out.result(&rows, || table(&context.out, &rows))?;
        Ok(())
    }
}

pub(crate) fn table(out: &Output, rows: &[ProfileView]) -> String {
    if rows.is_empty() {
        return "no profiles match; they are learned from what is published, or added through the API"
            .to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Left),
            ("user", Align::Left),
            ("profile", Align::Rest),
            ("status", Align::Left),
            ("changed", Align::Left),
        ],
    );
    for row in rows {
        table.row([
            row.profile_id.clone(),
            row.user_id.clone(),
            row.content.clone(),
            status_word(row.status),
            short_seconds(row.last_modified_timestamp),
        ]);
    }
    table.render()
}

/// The API filters by one status at a time, so each is asked in turn.
async fn show(context: &Context, id: &str) -> anyhow::Result<()> {
    let client = context.client()?;
    for status in Status::ALL {
        let query = GetAllProfilesQuery {
            profile_id: Some(id.to_owned()),
            status_filter: Some(StatusName(status)),
            ..GetAllProfilesQuery::default()
        };
        if let Some(row) = client.profiles(&query).await?.pop() {
            context.out.result(&row, || panel(&context.out, &row))?;
            return Ok(());
        }
    }
    Err(Failure::not_found(format!("profile `{id}` does not exist")).into())
}

fn panel(out: &Output, row: &ProfileView) -> String {
    let features = row.custom_features.as_ref().map(|features| serde_json::Value::from(features.clone()));
    Panel::new(out)
        .row("profile", &row.profile_id)
        .row("user", &row.user_id)
        .row("content", &row.content)
        .row("status", status_word(row.status))
        .maybe("features", features)
        .maybe("tags", Some(row.tags.join(", ")))
        .maybe("source", row.source.as_ref())
        .row("learned from", &row.generated_from_request_id)
        .maybe("learned by", row.learned_by.as_ref())
        .row("changed", short_seconds(row.last_modified_timestamp))
        .row("expires", short_seconds(row.expiration_timestamp))
        .render()
}

async fn delete_profiles(context: &Context, delete: &Delete<String>) -> anyhow::Result<()> {
    if delete.all.all {
        delete.all.confirm(context, "profiles")?;
        return report(context, "profile", None, &context.client()?.delete_all_profiles().await?);
    }
    let answer = context.client()?.delete_profiles(delete.ids.clone()).await?;
    report(context, "profile", Some(delete.ids.len()), &answer)
}

async fn upgrade(context: &Context, user_id: Option<&str>) -> anyhow::Result<()> {
    let request = UpgradeProfilesRequest {
        user_id: user_id.map(str::to_owned),
        only_affected_users: Some(true),
        ..UpgradeProfilesRequest::default()
    };
    let answer = context.client()?.upgrade_profiles(&request).await?;
    context.out.done(&answer, || {
        format!(
            "{} promoted, {} archived, {} formerly archived deleted",
            answer.profiles_promoted, answer.profiles_archived, answer.profiles_deleted
        )
    })?;
    Ok(())
}

async fn downgrade(context: &Context, user_id: Option<&str>) -> anyhow::Result<()> {
    let request = DowngradeProfilesRequest {
        user_id: user_id.map(str::to_owned),
        only_affected_users: Some(true),
        ..DowngradeProfilesRequest::default()
    };
    let answer = context.client()?.downgrade_profiles(&request).await?;
    context.out.done(&answer, || {
        format!("{} restored, {} archived", answer.profiles_restored, answer.profiles_demoted)
    })?;
    Ok(())
}
