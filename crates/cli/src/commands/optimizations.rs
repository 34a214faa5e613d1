use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{
    GetOptimizationsQuery, OptimizationCandidateView, OptimizationResponse, OptimizationState,
    OptimizationView,
};
use serde_json::Value;

use super::filters::Limit;
use super::optimize::watch;
use crate::context::Context;
use crate::output::{Align, Output, Panel, Table, short_seconds};

#[derive(Debug, Subcommand)]
pub(crate) enum Optimizations {
    /// Show runs, newest first.
    List(List),
    /// Show one run: what was tried, how it scored and why it ended as it did.
    Show(Id),
    /// Follow a run until it is over.
    Watch(Id),
    /// Ask a run to stop.
    Cancel(Id),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those of this agent playbook.
    #[arg(long, value_name = "ID")]
    agent_playbook: Option<i64>,
    /// Only those in this state.
    #[arg(long, value_name = "STATE")]
    state: Option<State>,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Args)]
pub(crate) struct Id {
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    Queued,
    Running,
    Committed,
    Unchanged,
    Failed,
    Cancelled,
}

impl From<State> for OptimizationState {
    fn from(state: State) -> Self {
        match state {
            State::Queued => OptimizationState::Queued,
            State::Running => OptimizationState::Running,
            State::Committed => OptimizationState::Committed,
            State::Unchanged => OptimizationState::Unchanged,
            State::Failed => OptimizationState::Failed,
            State::Cancelled => OptimizationState::Cancelled,
        }
    }
}

impl Optimizations {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        let run = match self {
            Optimizations::List(list) => return list.run(context).await,
            Optimizations::Show(Id { id }) => client.optimization(*id).await?,
            Optimizations::Watch(Id { id }) => watch(context, &client, *id).await?,
            Optimizations::Cancel(Id { id }) => {
                let run = client.cancel_optimization(*id).await?;
                let words = run.msg.clone().unwrap_or_default().to_lowercase();
                return Ok(context.out.done(&run, || format!("optimization {id}: {words}"))?);
            }
        };
        Ok(context.out.result(&run, || panel(&context.out, &run))?)
    }
}

impl List {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let query = GetOptimizationsQuery {
            agent_playbook_id: self.agent_playbook,
            state: self.state.map(OptimizationState::from),
            limit: Some(self.limit.positive()),
            ..GetOptimizationsQuery::default()
        };
        let runs = context.client()?.optimizations(&query).await?.optimizations;
        Ok(context.out.result(&runs, || table(&context.out, &runs))?)
    }
}

fn table(out: &Output, runs: &[OptimizationView]) -> String {
    if runs.is_empty() {
        return "no optimizations match; `reflexio optimize ID` starts one".to_owned();
    }
    let columns = [
        ("id", Align::Right),
        ("playbook", Align::Right),
        ("state", Align::Left),
        ("successor", Align::Right),
        ("started", Align::Left),
        ("decision", Align::Rest),
    ];
    let mut table = Table::new(out, &columns);
    for run in runs {
        table.row([
            run.optimization_id.to_string(),
            target(run),
            state_word(out, run.state),
            run.successor_id.map(|id| id.to_string()).unwrap_or_default(),
            short_seconds(run.created_at),
            run.decision.clone().unwrap_or_default(),
        ]);
    }
    table.render()
}

fn target(run: &OptimizationView) -> String {
    match (run.agent_playbook_id, run.user_playbook_id) {
        (Some(id), _) => id.to_string(),
        (None, Some(id)) => format!("user {id}"),
        (None, None) => String::new(),
    }
}

fn state_word(out: &Output, state: OptimizationState) -> String {
    let style = out.style();
    match state {
        OptimizationState::Committed => style.green().apply_to("committed").to_string(),
        OptimizationState::Failed => style.red().apply_to("failed").to_string(),
        OptimizationState::Queued
        | OptimizationState::Running
        | OptimizationState::Unchanged
        | OptimizationState::Cancelled => state.as_str().to_owned(),
    }
}

pub(crate) fn panel(out: &Output, detail: &OptimizationResponse) -> String {
    let run = &detail.optimization;
    let report = |key: &str| run.report.as_ref().and_then(|report| report.get(key)).map(Value::to_string);
    let held_out = run.windows.iter().filter(|window| window.role != "train").count();
    let mut text = Panel::new(out)
        .row("optimization", run.optimization_id)
        .row("playbook", target(run))
        .row("state", state_word(out, run.state))
        .maybe("decision", run.decision.as_ref())
        .maybe("successor", run.successor_id)
        .row("windows", format!("{}, of which {held_out} are held out", run.windows.len()))
        .maybe("metric calls", report("metric_calls"))
        .maybe("assistant calls", report("assistant_calls"))
        .maybe("judge calls", report("judge_calls"))
        .maybe("reflection calls", report("reflection_calls"))
        .row("started", short_seconds(run.created_at))
        .maybe("finished", run.finished_at.map(short_seconds))
        .render();
    if !detail.candidates.is_empty() {
        text.push_str("\n\n");
        text.push_str(&candidates(out, &detail.candidates));
    }
    text
}

fn candidates(out: &Output, candidates: &[OptimizationCandidateView]) -> String {
    let columns = [
        ("wording", Align::Right),
        ("from", Align::Right),
        ("score", Align::Right),
        ("fate", Align::Left),
        ("text", Align::Rest),
    ];
    let mut table = Table::new(out, &columns);
    for candidate in candidates {
        let parents: Vec<String> = candidate.parents.iter().map(u32::to_string).collect();
        table.row([
            candidate.candidate.to_string(),
            parents.join(", "),
            candidate.mean.map(|mean| format!("{mean:.2}")).unwrap_or_default(),
            candidate.fate.clone(),
            candidate.content.clone(),
        ]);
    }
    table.render()
}
