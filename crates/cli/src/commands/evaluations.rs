use clap::{Args, Subcommand};
use reflexio_api_types::{
    EpochSeconds, EvaluationResultView, GetAgentSuccessEvaluationResultsRequest,
    GetRetrievedLearningEvaluationResultsRequest, GradeOnDemandRequest, NonBlank, RegenerateRequest,
    RegenerateStatusResponse, RetrievedLearningEvaluationResult, UpToThousand,
};
use reflexio_types::{Clock, SystemClock};

use super::filters::{Limit, Moment, Span};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Panel, Table, short_seconds};

const MOST_LEARNINGS: i64 = 1_000;

#[derive(Debug, Subcommand)]
pub(crate) enum Evaluations {
    /// Show judged sessions, latest first.
    List(List),
    /// Show which learnings helped the agent, latest first.
    Learnings(Learnings),
    /// Judge one session now, unless it was judged within a day.
    Grade(Grade),
    /// Judge a sample of past sessions anew, in the background.
    Regenerate(Regenerate),
    /// Show how far a regeneration is.
    Progress(Id),
    /// Stop a regeneration; what was judged stays.
    Cancel(Id),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only of this agent version.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
pub(crate) struct Learnings {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Which {
    /// Only of this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only of this session.
    #[arg(long, value_name = "SESSION")]
    session_id: Option<String>,
    #[command(flatten)]
    span: Span,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Args)]
pub(crate) struct Grade {
    #[arg(value_name = "SESSION_ID")]
    session_id: String,
    /// The version of the agent in that session.
    #[arg(long, value_name = "VERSION", default_value = reflexio_types::DEFAULT_AGENT_VERSION)]
    agent_version: String,
    /// Whose session, where several users have one of this name.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Regenerate {
    /// Sessions from then on: 2026-01-31, 2026-01-31T12:00:00Z, seconds since 1970, or 7d, 12h, 30m ago.
    #[arg(long, value_name = "TIME")]
    since: Moment,
    /// Sessions up to then; now unless given.
    #[arg(long, value_name = "TIME")]
    until: Option<Moment>,
}

#[derive(Debug, Args)]
pub(crate) struct Id {
    #[arg(value_name = "JOB_ID")]
    id: String,
}

impl Evaluations {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let (client, out) = (context.client()?, &context.out);
        match self {
            Evaluations::List(list) => {
                let rows = client.evaluations(&list.request()).await?.agent_success_evaluation_results;
                Ok(out.result(&rows, || table(out, &rows))?)
            }
            Evaluations::Learnings(list) => {
                let rows = client.learning_evaluations(&list.request()).await?.results;
                Ok(out.result(&rows, || learnings(out, &rows))?)
            }
            Evaluations::Grade(grade) => grade.run(context).await,
            Evaluations::Regenerate(times) => {
                let started = client.regenerate_evaluations(&times.request()).await?;
                Ok(out.done(&started, || {
                    let id = &started.job_id;
                    format!(
                        "judging {} sessions; `reflexio evaluations progress {id}` shows how far",
                        started.total
                    )
                })?)
            }
            Evaluations::Progress(Id { id }) => {
                let status = client.regeneration(id).await?;
                Ok(out.result(&status, || panel(out, &status))?)
            }
            Evaluations::Cancel(Id { id }) => {
                let status = client.cancel_regeneration(id).await?;
                let word = status.get("status").cloned().unwrap_or_default();
                Ok(out.done(&status, || format!("regeneration `{id}` is {word}"))?)
            }
        }
    }
}

impl List {
    fn request(&self) -> GetAgentSuccessEvaluationResultsRequest {
        GetAgentSuccessEvaluationResultsRequest {
            limit: Some(self.which.limit.positive()),
            agent_version: self.agent_version.clone(),
            user_id: self.which.user_id.clone(),
            session_id: self.which.session_id.clone(),
            start_time: self.which.span.start(),
            end_time: self.which.span.end(),
        }
    }
}

impl Learnings {
    fn request(&self) -> GetRetrievedLearningEvaluationResultsRequest {
        GetRetrievedLearningEvaluationResultsRequest {
            user_id: self.which.user_id.clone(),
            session_id: self.which.session_id.clone(),
            start_time: self.which.span.start(),
            end_time: self.which.span.end(),
            limit: Some(UpToThousand(self.which.limit.positive().0.min(MOST_LEARNINGS))),
        }
    }
}

impl Regenerate {
    fn request(&self) -> RegenerateRequest {
        let until = self.until.map_or_else(|| SystemClock.now(), |moment| moment.0);
        RegenerateRequest {
            evaluation_name: None,
            from_ts: EpochSeconds(self.since.0.0),
            to_ts: EpochSeconds(until.0),
        }
    }
}

impl Grade {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let (client, out) = (context.client()?, &context.out);
        let request = GradeOnDemandRequest {
            session_id: NonBlank::from(self.session_id.as_str()),
            agent_version: NonBlank::from(self.agent_version.as_str()),
            evaluation_name: None,
            user_id: self.user_id.clone(),
        };
        let answer = client.grade(&request).await?;
        let Some(id) = answer.result_id else {
            if out.is_json() {
                out.json(&answer)?;
            }
            let reason = answer.skipped_reason.unwrap_or_default().replace('_', " ");
            return Err(Failure::bad_input(format!("the session was not judged: {reason}")).into());
        };
        let which = GetAgentSuccessEvaluationResultsRequest {
            session_id: Some(self.session_id.clone()),
            ..GetAgentSuccessEvaluationResultsRequest::default()
        };
        let rows = client.evaluations(&which).await?.agent_success_evaluation_results;
        let row = rows.into_iter().find(|row| row.result_id == id);
        Ok(out
            .result(&row, || row.as_ref().map_or_else(String::new, |row| graded(out, row, answer.cached)))?)
    }
}

fn graded(out: &Output, row: &EvaluationResultView, cached: bool) -> String {
    Panel::new(out)
        .row("session", &row.session_id)
        .row("user", &row.user_id)
        .row("verdict", verdict(row))
        .maybe("why", row.failure_reason.as_ref())
        .row("corrections", row.number_of_correction_per_session)
        .maybe("user turns", row.user_turns_to_resolution)
        .row("escalated", if row.is_escalated { "yes" } else { "no" })
        .maybe("tags", row.tags.as_ref().map(|tags| tags.join(", ")))
        .row("judged by", &row.evaluated_by)
        .row("judged", format!("{}{}", short_seconds(row.created_at), if cached { ", kept" } else { "" }))
        .render()
}

fn verdict(row: &EvaluationResultView) -> String {
    match &row.failure_type {
        None => "success".to_owned(),
        Some(kind) => format!("failure: {}", kind.replace('_', " ")),
    }
}

fn table(out: &Output, rows: &[EvaluationResultView]) -> String {
    if rows.is_empty() {
        return "no judged sessions match; a sample of them is judged ten minutes after its last turn"
            .to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Right),
            ("time", Align::Left),
            ("session", Align::Left),
            ("version", Align::Left),
            ("verdict", Align::Left),
            ("corr", Align::Right),
            ("why", Align::Rest),
        ],
    );
    for row in rows {
        table.row([
            row.result_id.to_string(),
            short_seconds(row.created_at),
            row.session_id.clone(),
            row.agent_version.clone(),
            verdict(row),
            row.number_of_correction_per_session.to_string(),
            row.failure_reason.clone().unwrap_or_default(),
        ]);
    }
    table.render()
}

fn learnings(out: &Output, rows: &[RetrievedLearningEvaluationResult]) -> String {
    if rows.is_empty() {
        return "no judged learnings match; publish turns with `retrieved_learnings`".to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("time", Align::Left),
            ("session", Align::Left),
            ("kind", Align::Left),
            ("learning", Align::Left),
            ("relevant", Align::Left),
            ("impact", Align::Left),
            ("why", Align::Rest),
        ],
    );
    for row in rows {
        let relevant = row.is_relevant.map_or("?", |relevant| if relevant { "yes" } else { "no" });
        table.row([
            short_seconds(row.created_at),
            row.session_id.clone(),
            row.kind.replace('_', " "),
            row.learning_id.clone(),
            relevant.to_owned(),
            row.impact.clone().unwrap_or_else(|| "?".to_owned()),
            row.impact_reason.clone(),
        ]);
    }
    table.render()
}

fn panel(out: &Output, status: &RegenerateStatusResponse) -> String {
    let mut panel = Panel::new(out)
        .row("regeneration", &status.job_id)
        .row("status", &status.status)
        .row("judged", format!("{} of {}", status.completed, status.total))
        .row("failed", status.failed)
        .row("sessions", format!("{}, of which {} were drawn", status.total_candidates, status.sampled_count))
        .row("started", short_seconds(status.started_at as i64))
        .maybe("finished", status.finished_at.map(|at| short_seconds(at as i64)));
    for failure in &status.failures {
        panel = panel.row("failed", format!("{}: {}", failure.session_id, failure.reason));
    }
    panel.render()
}
