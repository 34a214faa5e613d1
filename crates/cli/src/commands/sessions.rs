use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{
    EpochSeconds, GetSessionOutcomesRequest, Label, NonBlank, SessionOutcomeKind, SessionOutcomeRecord,
    SetSessionOutcomeRequest, SourceLabel, UpToThousand, When,
};
use reflexio_types::{Clock, SystemClock};

use super::filters::{Moment, Span};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Table, short_seconds};

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// Say how a session ended; it can be said once.
    Outcome(Mark),
    /// Show how sessions ended, latest first.
    Outcomes(List),
}

#[derive(Debug, Args)]
pub(crate) struct Mark {
    #[arg(value_name = "SESSION_ID")]
    session_id: String,
    outcome: Outcome,
    /// When it showed; now unless given.
    #[arg(long, value_name = "TIME")]
    at: Option<Moment>,
    /// A word for it, such as refund.
    #[arg(long)]
    label: Option<String>,
    /// A number for it.
    #[arg(long, allow_negative_numbers = true)]
    value: Option<f64>,
    /// Anything else, as a JSON object.
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// Whose session, where several users have one of this name.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only of this session; may be given several times.
    #[arg(long, value_name = "SESSION")]
    session_id: Vec<String>,
    /// Only of this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only those that ended so.
    #[arg(long)]
    outcome: Option<Outcome>,
    /// Only with this label.
    #[arg(long)]
    label: Option<String>,
    /// Only of conversations from this source.
    #[arg(long)]
    source: Option<String>,
    #[command(flatten)]
    span: Span,
    /// The most rows to show.
    #[arg(long, short = 'n', value_name = "N", default_value = "100", value_parser = clap::value_parser!(i64).range(1..=1000))]
    limit: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Outcome {
    Success,
    Failure,
    Unknown,
}

impl From<Outcome> for SessionOutcomeKind {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Success => SessionOutcomeKind::Success,
            Outcome::Failure => SessionOutcomeKind::Failure,
            Outcome::Unknown => SessionOutcomeKind::Unknown,
        }
    }
}

impl Sessions {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Sessions::Outcome(mark) => mark.run(context).await,
            Sessions::Outcomes(list) => {
                let rows = context.client()?.outcomes(&list.request()).await?.session_outcomes;
                Ok(context.out.result(&rows, || table(&context.out, &rows))?)
            }
        }
    }
}

impl Mark {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let metadata = self.metadata.as_deref().map(serde_json::from_str).transpose().map_err(|error| {
            Failure::usage(format!("--metadata is no JSON object: {error}"))
                .hint("for example --metadata '{\"order\": 7}'")
        })?;
        let at = self.at.map_or_else(|| SystemClock.now(), |moment| moment.0);
        let request = SetSessionOutcomeRequest {
            session_id: NonBlank::from(self.session_id.as_str()),
            outcome: self.outcome.into(),
            occurred_at: EpochSeconds(at.0),
            label: self.label.as_deref().map(Label::from),
            value: self.value,
            metadata,
            user_id: self.user_id.clone(),
        };
        let answer = context.client()?.set_outcome(&request).await?;
        if !answer.success {
            if context.out.is_json() {
                context.out.json(&answer)?;
            }
            return Err(
                Failure::bad_input(format!("the outcome was not recorded: {}", answer.message)).into()
            );
        }
        Ok(context.out.done(&answer, || match answer.recorded {
            true => format!("recorded how session `{}` ended", self.session_id),
            false => format!("that was recorded before for session `{}`", self.session_id),
        })?)
    }
}

impl List {
    fn request(&self) -> GetSessionOutcomesRequest {
        let seconds = |when: When| EpochSeconds(when.0.0);
        let sessions: Vec<NonBlank> = self.session_id.iter().map(|id| NonBlank::from(id.as_str())).collect();
        GetSessionOutcomesRequest {
            session_ids: Some(sessions).filter(|sessions| !sessions.is_empty()),
            user_id: self.user_id.clone(),
            source: self.source.as_deref().map(SourceLabel::from),
            outcome: self.outcome.map(SessionOutcomeKind::from),
            label: self.label.clone(),
            start_time: self.span.start().map(seconds),
            end_time: self.span.end().map(seconds),
            top_k: Some(UpToThousand(self.limit)),
            offset: None,
        }
    }
}

fn table(out: &Output, rows: &[SessionOutcomeRecord]) -> String {
    if rows.is_empty() {
        return "no outcomes match; `reflexio sessions outcome` records one".to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("time", Align::Left),
            ("session", Align::Left),
            ("user", Align::Left),
            ("outcome", Align::Left),
            ("value", Align::Right),
            ("label", Align::Rest),
        ],
    );
    for row in rows {
        let outcome = match row.outcome {
            SessionOutcomeKind::Success => "success",
            SessionOutcomeKind::Failure => "failure",
            SessionOutcomeKind::Unknown => "unknown",
        };
        table.row([
            short_seconds(row.occurred_at),
            row.session_id.clone(),
            row.user_id.clone(),
            outcome.to_owned(),
            row.value.map(|value| value.to_string()).unwrap_or_default(),
            row.label.clone().unwrap_or_default(),
        ]);
    }
    table.render()
}
