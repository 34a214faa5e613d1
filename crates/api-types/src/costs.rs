use reflexio_types::CostTotals;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::{CalendarDay, Positive};

/// By what calls of models are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostBy {
    Day,
    Role,
    /// `provider/model`.
    Model,
    User,
    /// What asked: `profile`, `playbook:NAME`, several of them if they shared a call, `search`, …
    Config,
    /// One background job: `job-17`.
    Run,
}

/// Which calls, and how to put them together.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetCostsQuery {
    /// The first day (UTC), such as `2026-11-15`; from the beginning if missing.
    pub from: Option<CalendarDay>,
    /// The last day (UTC), included; up to today if missing.
    pub to: Option<CalendarDay>,
    #[param(inline)]
    pub by: Option<CostBy>,
    pub role: Option<String>,
    pub model: Option<String>,
    pub user_id: Option<String>,
    pub config: Option<String>,
    pub run: Option<String>,
    /// How many groups: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
}

impl WireRequest for GetCostsQuery {}

/// What calls cost together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CostTotalsView {
    /// Calls that were made, whatever came of them: each attempt, fallback and correction is one.
    pub calls: u64,
    pub failed: u64,
    /// The caller stopped waiting.
    pub cancelled: u64,
    /// Calls that were not made, because a job that was interrupted had got the answer before.
    pub saved: u64,
    /// The cached ones included.
    pub prompt_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    pub cost_usd: f64,
    /// The same in millionths, exactly.
    pub cost_micros: u64,
    /// Calls of models whose price is not known: a high one was assumed.
    pub unpriced_calls: u64,
    /// Calls whose tokens the provider did not count: the numbers are ours.
    pub estimated_calls: u64,
    pub mean_latency_ms: u64,
}

/// Dollars of millionths.
pub fn usd(micros: u64) -> f64 {
    micros as f64 / 1e6
}

impl From<CostTotals> for CostTotalsView {
    fn from(totals: CostTotals) -> Self {
        Self {
            calls: totals.calls,
            failed: totals.failed,
            cancelled: totals.cancelled,
            saved: totals.saved,
            prompt_tokens: totals.prompt_tokens,
            output_tokens: totals.output_tokens,
            cached_tokens: totals.cached_tokens,
            cost_usd: usd(totals.cost_micros),
            cost_micros: totals.cost_micros,
            unpriced_calls: totals.unpriced,
            estimated_calls: totals.estimated,
            mean_latency_ms: totals.latency_ms.checked_div(totals.calls).unwrap_or(0),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CostGroupView {
    pub key: String,
    #[serde(flatten)]
    pub totals: CostTotalsView,
}

/// How the budget of the current day stands.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BudgetTodayView {
    /// UTC.
    pub day: String,
    pub spent_usd: f64,
    /// What calls that are under way may still cost.
    pub reserved_usd: f64,
    /// The limit; absent if there is none.
    pub per_day_usd: Option<f64>,
    pub left_usd: Option<f64>,
    pub per_run_usd: Option<f64>,
    /// The operator's limit for all orgs together is reached.
    pub server_budget_spent: bool,
    /// When the next day begins, ISO 8601.
    pub resets_at: String,
}

/// What models cost. The groups and the rest are the totals, exactly.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetCostsResponse {
    pub success: bool,
    pub from: Option<String>,
    pub to: Option<String>,
    pub by: Option<CostBy>,
    pub totals: CostTotalsView,
    /// The dearest first; days from the newest on.
    pub groups: Vec<CostGroupView>,
    /// Groups beyond the limit, calls that belong to no group, and calls so old that only their totals are kept.
    pub rest: Option<CostTotalsView>,
    pub today: BudgetTodayView,
    pub msg: Option<String>,
}
