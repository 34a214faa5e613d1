use clap::Args;
use reflexio_app::{Budgets, CostSettings};
use reflexio_types::config::micros;

/// What models may cost at most, for everybody on this server. Orgs set their own limits in `budget_config`.
#[derive(Debug, Clone, Args)]
pub(super) struct CostArgs {
    /// The most US dollars that models may cost per day (UTC), all orgs together.
    #[arg(long, value_name = "USD", env = "REFLEXIO_BUDGET_PER_DAY_USD", value_parser = dollars)]
    budget_per_day: Option<f64>,
    /// The most that each org may spend per day.
    #[arg(long, value_name = "USD", env = "REFLEXIO_BUDGET_PER_ORG_USD", value_parser = dollars)]
    budget_per_org: Option<f64>,
    /// The most that one run (one background job) may spend.
    #[arg(long, value_name = "USD", env = "REFLEXIO_BUDGET_PER_RUN_USD", value_parser = dollars)]
    budget_per_run: Option<f64>,
    /// How long each call of a model is kept; after that, totals by day, role and model are.
    #[arg(long, value_name = "DAYS", env = "REFLEXIO_COST_DETAIL_DAYS", default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(1..))]
    cost_detail_days: u32,
}

impl CostArgs {
    pub(super) fn settings(&self) -> CostSettings {
        let budgets = Budgets {
            per_day: self.budget_per_day.map(micros),
            per_org_and_day: self.budget_per_org.map(micros),
            per_run: self.budget_per_run.map(micros),
        };
        CostSettings { budgets, detail_days: self.cost_detail_days }
    }
}

/// A limit of nothing is a limit: no model is asked.
fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.trim().trim_start_matches('$').parse::<f64>().ok();
    amount
        .filter(|amount| amount.is_finite() && *amount >= 0.0)
        .ok_or_else(|| "give an amount in US dollars, such as 2.50".to_owned())
}
