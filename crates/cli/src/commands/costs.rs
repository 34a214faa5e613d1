use clap::{Args, ValueEnum};
use reflexio_api_types::{
    BudgetTodayView, CalendarDay, CostBy, CostTotalsView, GetCostsQuery, GetCostsResponse, When,
};
use reflexio_types::Day;

use super::filters::{Limit, Span};
use crate::context::Context;
use crate::output::{Align, Output, Table, bar, grouped};

#[derive(Debug, Args)]
pub(crate) struct Costs {
    /// What to put together.
    #[arg(long, value_name = "WHAT", default_value = "day")]
    by: By,
    #[command(flatten)]
    span: Span,
    /// Only calls of this role, such as extraction.
    #[arg(long)]
    role: Option<String>,
    /// Only calls of this model, with its provider: openai/gpt-5-mini.
    #[arg(long)]
    model: Option<String>,
    /// Only calls about this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only what this asked for: profile, playbook:NAME.
    #[arg(long)]
    config: Option<String>,
    /// Only calls of this run: job-17.
    #[arg(long)]
    run: Option<String>,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    Day,
    Role,
    Model,
    User,
    Config,
    Run,
}

impl From<By> for CostBy {
    fn from(by: By) -> Self {
        match by {
            By::Day => CostBy::Day,
            By::Role => CostBy::Role,
            By::Model => CostBy::Model,
            By::User => CostBy::User,
            By::Config => CostBy::Config,
            By::Run => CostBy::Run,
        }
    }
}

impl By {
    fn word(self) -> &'static str {
        match self {
            By::Day => "day",
            By::Role => "role",
            By::Model => "model",
            By::User => "user",
            By::Config => "config",
            By::Run => "run",
        }
    }
}

impl Costs {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let costs = context.client()?.costs(&self.query()).await?;
        Ok(context.out.result(&costs, || words(&context.out, self.by, &costs))?)
    }

    fn query(&self) -> GetCostsQuery {
        let day = |when: When| CalendarDay(Day::of(when.0).to_string());
        GetCostsQuery {
            from: self.span.start().map(day),
            to: self.span.end().map(day),
            by: Some(self.by.into()),
            role: self.role.clone(),
            model: self.model.clone(),
            user_id: self.user_id.clone(),
            config: self.config.clone(),
            run: self.run.clone(),
            limit: Some(self.limit.positive()),
        }
    }
}

fn words(out: &Output, by: By, costs: &GetCostsResponse) -> String {
    let budget = today(&costs.today);
    if costs.totals == CostTotalsView::default() {
        return format!("no calls of models match\n{budget}");
    }
    format!("{}\n\n{budget}", table(out, by, costs))
}

fn table(out: &Output, by: By, costs: &GetCostsResponse) -> String {
    let mut table = Table::new(
        out,
        &[
            (by.word(), Align::Left),
            ("calls", Align::Right),
            ("failed", Align::Right),
            ("saved", Align::Right),
            ("prompt", Align::Right),
            ("output", Align::Right),
            ("cost", Align::Right),
            ("", Align::Rest),
        ],
    );
    let rows = costs.groups.iter().map(|group| (group.key.as_str(), &group.totals));
    let mut rows: Vec<(&str, &CostTotalsView)> = rows.collect();
    if by == By::Day {
        rows.reverse();
    }
    rows.extend(costs.rest.as_ref().map(|rest| ("(other)", rest)));
    let dearest = rows.iter().map(|(_, totals)| totals.cost_micros).max().unwrap_or(0);
    for (key, totals) in rows {
        table.row(row(key, totals, bar(totals.cost_micros, dearest)));
    }
    table.row(row("total", &costs.totals, String::new()));
    table.render()
}

fn row(key: &str, totals: &CostTotalsView, bar: String) -> [String; 8] {
    [
        key.to_owned(),
        grouped(totals.calls),
        grouped(totals.failed),
        grouped(totals.saved),
        grouped(totals.prompt_tokens),
        grouped(totals.output_tokens),
        dollars(totals.cost_usd),
        bar,
    ]
}

/// Small sums need more digits than large ones.
fn dollars(usd: f64) -> String {
    if usd > 0.0 && usd < 1.0 { format!("${usd:.4}") } else { format!("${usd:.2}") }
}

fn today(today: &BudgetTodayView) -> String {
    let spent = dollars(today.spent_usd);
    let mut line = match (today.per_day_usd, today.left_usd) {
        (Some(limit), Some(left)) => {
            format!("today (UTC): {spent} of {} spent, {} left", dollars(limit), dollars(left))
        }
        _ => format!("today (UTC): {spent} spent, no limit"),
    };
    if today.server_budget_spent {
        line.push_str("; the budget of the whole server is spent");
    }
    line + &format!("; the next day begins at {}", today.resets_at)
}
