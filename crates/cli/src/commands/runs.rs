use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{
    BlockedRowView, GetRunQuery, GetRunResponse, GetRunsQuery, RunChangeView, RunKind, RunLoss, RunState,
    RunView, UndoRunQuery, UndoRunResponse,
};
use serde_json::{Map, Value};

use super::delete::counted;
use super::filters::Limit;
use crate::ask::confirm_undoable;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Panel, Table, short_seconds};

#[derive(Debug, Subcommand)]
pub(crate) enum Runs {
    /// Show runs, latest first.
    List(List),
    /// Show one run with what it changed.
    Show(Show),
    /// Put every row of a run back as it was before; none, if one of them was changed since.
    Undo(Undo),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only those of this kind.
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Only those in this state.
    #[arg(long, value_name = "STATE")]
    state: Option<State>,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    #[arg(value_name = "ID")]
    id: String,
    /// Only say what would happen, or what stands in the way.
    #[arg(long)]
    dry_run: bool,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Aggregation,
    Rerun,
    Upgrade,
    Downgrade,
    Import,
    CarryOver,
    Optimization,
    Undo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    Done,
    Undone,
}

impl From<Kind> for RunKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Aggregation => RunKind::Aggregation,
            Kind::Rerun => RunKind::Rerun,
            Kind::Upgrade => RunKind::Upgrade,
            Kind::Downgrade => RunKind::Downgrade,
            Kind::Import => RunKind::Import,
            Kind::CarryOver => RunKind::CarryOver,
            Kind::Optimization => RunKind::Optimization,
            Kind::Undo => RunKind::Undo,
        }
    }
}

impl From<State> for RunState {
    fn from(state: State) -> Self {
        match state {
            State::Done => RunState::Done,
            State::Undone => RunState::Undone,
        }
    }
}

impl Runs {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match self {
            Runs::List(list) => list.run(context).await,
            Runs::Show(show) => show.run(context).await,
            Runs::Undo(undo) => undo.run(context).await,
        }
    }
}

impl List {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let query = GetRunsQuery {
            kind: self.kind.map(RunKind::from),
            state: self.state.map(RunState::from),
            limit: Some(self.limit.positive()),
            offset: None,
        };
        let runs = context.client()?.runs(&query).await?.runs;
        Ok(context.out.result(&runs, || table(&context.out, &runs))?)
    }
}

impl Show {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let query = GetRunQuery { limit: Some(self.limit.positive()), offset: None };
        let answer = context.client()?.run(&self.id, &query).await?;
        context.out.result(&answer, || shown(&context.out, &answer))?;
        if answer.has_more && !context.out.is_json() {
            context.out.note("there are more changes; see them with --limit");
        }
        Ok(())
    }
}

impl Undo {
    async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        let plan = client.undo_run(&self.id, &UndoRunQuery { dry_run: true }).await?;
        if self.dry_run {
            return Ok(context.out.result(&plan, || planned(&plan))?);
        }
        if !plan.success {
            return Err(refused(&self.id, &plan).into());
        }
        let rows = counted(plan.rows, "row");
        confirm_undoable(context, &format!("put {rows} back as before run {}", self.id), self.yes)?;
        let answer = client.undo_run(&self.id, &UndoRunQuery { dry_run: false }).await?;
        Ok(context.out.done(&answer, || {
            let redo =
                answer.run.as_ref().map(|run| format!("; `reflexio runs undo {}` redoes it", run.run_id));
            format!("{} put back{}", counted(answer.rows, "row"), redo.unwrap_or_default())
        })?)
    }
}

fn refused(id: &str, plan: &UndoRunResponse) -> Failure {
    let message = match plan.blocked.as_slice() {
        [] => plan.msg.clone().unwrap_or_else(|| "cannot be undone".to_owned()),
        rows => {
            format!("{} not as the run left them; nothing was changed", counted(rows.len() as u64, "row"))
        }
    };
    Failure::failed(format!("run {id}: {message}")).details(plan.blocked.iter().map(blocked_line).collect())
}

fn planned(plan: &UndoRunResponse) -> String {
    let mut lines = vec![plan.msg.clone().unwrap_or_default()];
    if plan.touches_approved && plan.success {
        lines.push("approved agent playbooks are among them: the key needs the scope `review`".to_owned());
    }
    lines.extend(plan.blocked.iter().map(blocked_line));
    lines.join("\n")
}

fn blocked_line(row: &BlockedRowView) -> String {
    let user = row.user_id.as_ref().map(|user| format!(" of {user}")).unwrap_or_default();
    format!("{} {}{user}: {}", row.row_kind.replace('_', " "), row.row_id, row.reason)
}

fn table(out: &Output, runs: &[RunView]) -> String {
    if runs.is_empty() {
        return "no runs match; aggregations, reruns, upgrades and imports are runs".to_owned();
    }
    let mut table = Table::new(
        out,
        &[
            ("id", Align::Left),
            ("time", Align::Left),
            ("kind", Align::Left),
            ("state", Align::Left),
            ("added", Align::Right),
            ("changed", Align::Right),
            ("retired", Align::Right),
            ("cost", Align::Right),
            ("scope", Align::Rest),
        ],
    );
    for run in runs {
        table.row([
            run.run_id.clone(),
            short_seconds(run.started_at),
            run.kind.as_str().to_owned(),
            run.state.as_str().to_owned(),
            run.added.to_string(),
            run.changed.to_string(),
            run.retired.to_string(),
            run.cost_usd.map(dollars).unwrap_or_default(),
            run.scope.clone(),
        ]);
    }
    table.render()
}

fn dollars(usd: f64) -> String {
    format!("${usd:.4}")
}

fn shown(out: &Output, answer: &GetRunResponse) -> String {
    let changes = &answer.changes;
    let table = if changes.is_empty() {
        "what it changed is not kept any more".to_owned()
    } else {
        changed(out, changes)
    };
    format!("{}\n\n{table}", panel(out, &answer.run))
}

fn panel(out: &Output, run: &RunView) -> String {
    let who = match (&run.actor, run.automatic) {
        (Some(key), _) => format!("key {key}"),
        (None, true) => "nobody: it is automatic".to_owned(),
        (None, false) => "somebody without a key".to_owned(),
    };
    let loss = run.loss.map(|loss| match loss {
        RunLoss::UserErased => "no: a user whose rows it changed was erased",
        RunLoss::Expired => "no: what it changed is not kept any more",
    });
    Panel::new(out)
        .row("run", &run.run_id)
        .row("kind", run.kind.as_str())
        .row("scope", &run.scope)
        .row("state", run.state.as_str())
        .row("asked for by", who)
        .maybe("job", run.job_id)
        .row("began", short_seconds(run.started_at))
        .row("ended", short_seconds(run.ended_at))
        .row("rows", format!("{} added, {} changed, {} retired", run.added, run.changed, run.retired))
        .maybe("cost", run.cost_usd.map(dollars))
        .maybe("undoes", run.undoes.as_ref())
        .maybe("undone by", run.undone_by.as_ref())
        .maybe("can be undone", loss)
        .render()
}

fn changed(out: &Output, changes: &[RunChangeView]) -> String {
    let mut table = Table::new(
        out,
        &[
            ("row", Align::Left),
            ("id", Align::Left),
            ("user", Align::Left),
            ("action", Align::Left),
            ("what", Align::Rest),
        ],
    );
    for change in changes {
        table.row([
            change.row_kind.replace('_', " "),
            change.row_id.clone(),
            change.user_id.clone().unwrap_or_default(),
            change.action.clone(),
            what(change),
        ]);
    }
    table.render()
}

/// The words of a row that came or went, or which fields became what.
fn what(change: &RunChangeView) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => {
            let fields = after.iter().map(|(name, now)| match name.as_str() {
                "body" => differing(before.get(name), now),
                _ => format!("{name}: {} → {}", plain(before.get(name)), plain(Some(now))),
            });
            fields.collect::<Vec<_>>().join(", ")
        }
        (Some(row), None) | (None, Some(row)) => content(row),
        (None, None) => String::new(),
    }
}

fn content(row: &Map<String, Value>) -> String {
    plain(row.get("body").and_then(|body| body.get("content")))
}

fn differing(before: Option<&Value>, now: &Value) -> String {
    let nothing = Map::new();
    let fields = |value: Option<&Value>| value.and_then(Value::as_object).unwrap_or(&nothing).clone();
    let (before, now) = (fields(before), fields(Some(now)));
    let names = now.keys().chain(before.keys().filter(|name| !now.contains_key(*name)));
    let differ = names.filter(|name| before.get(*name) != now.get(*name));
    differ
        .map(|name| format!("{name}: {} → {}", plain(before.get(name)), plain(now.get(name))))
        .collect::<Vec<_>>()
        .join(", ")
}

fn plain(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
