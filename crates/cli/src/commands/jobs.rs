use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{GetJobsQuery, JobAttemptView, JobProgressView, JobState, JobView};
use reflexio_client::Client;

use super::filters::Limit;
use crate::context::Context;
use crate::output::{Align, Output, Panel, Table, short_seconds};

#[derive(Debug, Subcommand)]
pub(crate) enum Jobs {
    /// Show jobs, latest first.
    List(List),
    /// Show one job with its history.
    Show(Id),
    /// Give dead or cancelled jobs new attempts.
    Retry(Ids),
    /// Cancel queued jobs, and ask running ones to stop.
    Cancel(Ids),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those in this state.
    #[arg(long, value_name = "STATE")]
    state: Option<State>,
    /// Only those of this kind, such as learn.
    #[arg(long)]
    kind: Option<String>,
    /// Only those of this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Args)]
pub(crate) struct Id {
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,
}

#[derive(Debug, Args)]
pub(crate) struct Ids {
    #[arg(value_name = "ID", required = true, value_parser = clap::value_parser!(i64).range(1..))]
    ids: Vec<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    Queued,
    Running,
    Done,
    Dead,
    Cancelled,
}

impl From<State> for JobState {
    fn from(state: State) -> Self {
        match state {
            State::Queued => JobState::Queued,
            State::Running => JobState::Running,
            State::Done => JobState::Done,
            State::Dead => JobState::Dead,
            State::Cancelled => JobState::Cancelled,
        }
    }
}

impl Jobs {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        match self {
            Jobs::List(list) => {
                let jobs = list.rows(&client).await?;
                Ok(context.out.result(&jobs, || table(&context.out, &jobs))?)
            }
            Jobs::Show(Id { id }) => {
                let job = client.job(*id).await?;
                Ok(context.out.result(&job, || panel(&context.out, &job))?)
            }
            Jobs::Retry(ids) => {
                let mut jobs = Vec::new();
                for id in &ids.ids {
                    jobs.push(client.retry_job(*id).await?);
                }
                Ok(context.out.done(&jobs, || lines(&jobs))?)
            }
            Jobs::Cancel(ids) => {
                let mut jobs = Vec::new();
                for id in &ids.ids {
                    jobs.push(client.cancel_job(*id).await?);
                }
                Ok(context.out.done(&jobs, || lines(&jobs))?)
            }
        }
    }
}

impl List {
    async fn rows(&self, client: &Client) -> anyhow::Result<Vec<JobView>> {
        let query = GetJobsQuery {
            state: self.state.map(JobState::from),
            kind: self.kind.clone(),
            user_id: self.user_id.clone(),
            limit: Some(self.limit.positive()),
            offset: None,
        };
        Ok(client.jobs(&query).await?.jobs)
    }
}

fn table(out: &Output, jobs: &[JobView]) -> String {
    if jobs.is_empty() {
        return "no jobs match; publishing queues some".to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Right),
            ("time", Align::Left),
            ("kind", Align::Left),
            ("user", Align::Left),
            ("state", Align::Left),
            ("tries", Align::Right),
            ("remarks", Align::Rest),
        ],
    );
    for job in jobs {
        table.row([
            job.job_id.to_string(),
            short_seconds(job.created_at),
            job.kind.clone(),
            job.user_id.clone().unwrap_or_default(),
            word(job).to_owned(),
            format!("{}/{}", job.attempts, job.max_attempts),
            remarks(job),
        ]);
    }
    table.render()
}

fn word(job: &JobView) -> &'static str {
    match job.state {
        JobState::Queued => "queued",
        JobState::Running if job.cancel_asked => "stopping",
        JobState::Running => "running",
        JobState::Done => "done",
        JobState::Dead => "dead",
        JobState::Cancelled => "cancelled",
    }
}

/// What is worth knowing at a glance: how far it is, or why it failed.
fn remarks(job: &JobView) -> String {
    match (&job.progress, &job.last_error) {
        (Some(progress), _) if job.state == JobState::Running => progress_words(progress),
        (_, Some(error)) if job.state != JobState::Done => error.clone(),
        (_, _) => String::new(),
    }
}

fn progress_words(progress: &JobProgressView) -> String {
    let count = match progress.total {
        Some(total) => format!("{} of {total}", progress.done),
        None => progress.done.to_string(),
    };
    match &progress.message {
        Some(message) => format!("{count}, {message}"),
        None => count,
    }
}

fn panel(out: &Output, job: &JobView) -> String {
    let history = job.history.iter().map(happened).collect::<Vec<_>>().join("\n");
    Panel::new(out)
        .row("job", job.job_id)
        .row("kind", &job.kind)
        .maybe("user", job.user_id.as_ref())
        .maybe("lane", job.lane.as_ref())
        .row("state", word(job))
        .row("attempts", format!("{} of {}", job.attempts, job.max_attempts))
        .row("created", short_seconds(job.created_at))
        .row("not before", short_seconds(job.run_after))
        .maybe("started", job.started_at.map(short_seconds))
        .maybe("finished", job.finished_at.map(short_seconds))
        .maybe("worker", job.worker.as_ref())
        .maybe("progress", job.progress.as_ref().map(progress_words))
        .maybe("last error", job.last_error.as_ref())
        .row("payload", &job.payload)
        .maybe("history", Some(history))
        .render()
}

fn happened(attempt: &JobAttemptView) -> String {
    let reason = attempt.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("{}  attempt {}  {}{reason}", short_seconds(attempt.at), attempt.attempt, attempt.outcome)
}

fn lines(jobs: &[JobView]) -> String {
    jobs.iter().map(|job| format!("job {} is {}", job.job_id, word(job))).collect::<Vec<_>>().join("\n")
}
