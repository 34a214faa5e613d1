use axum::Json;
use reflexio_api_types::{BudgetTodayView, CostBy, CostGroupView, GetCostsQuery, GetCostsResponse, usd};
use reflexio_app::Today;
use reflexio_store::{CostFilter, CostGrouping};
use reflexio_types::{CostTotals, Day, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Query, UseCases, Who};

const DEFAULT_GROUPS: usize = 100;
const MOST_GROUPS: usize = 1000;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(get_costs))
}

/// What models cost, and how the day's budget stands
#[utoipa::path(get, path = "/api/costs", tag = "costs", params(GetCostsQuery),
    responses((status = 200, body = GetCostsResponse), Failure))]
async fn get_costs(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetCostsQuery>,
) -> Result<Json<GetCostsResponse>> {
    let by = query.by;
    let limit = query.limit.map_or(DEFAULT_GROUPS, |limit| limit.as_usize()).min(MOST_GROUPS);
    let costs = app.costs(&caller, &filter(query), by.map(grouping), limit).await?;
    let groups = costs.report.groups.into_iter();
    Ok(Json(GetCostsResponse {
        success: true,
        from: costs.from.map(|day| day.to_string()),
        to: costs.to.map(|day| day.to_string()),
        by,
        totals: costs.report.totals.into(),
        groups: groups.map(|group| CostGroupView { key: group.key, totals: group.totals.into() }).collect(),
        rest: Some(costs.report.rest)
            .filter(|rest| by.is_some() && *rest != CostTotals::default())
            .map(Into::into),
        today: today(&costs.today),
        msg: None,
    }))
}

fn filter(query: GetCostsQuery) -> CostFilter {
    CostFilter {
        from: query.from.and_then(|day| Day::parse(day.as_str())),
        to: query.to.and_then(|day| Day::parse(day.as_str())),
        role: given(query.role),
        model: given(query.model),
        user_id: given(query.user_id).map(UserId::new),
        config: given(query.config),
        run: given(query.run),
    }
}

fn grouping(by: CostBy) -> CostGrouping {
    match by {
        CostBy::Day => CostGrouping::Day,
        CostBy::Role => CostGrouping::Role,
        CostBy::Model => CostGrouping::Model,
        CostBy::User => CostGrouping::User,
        CostBy::Config => CostGrouping::Config,
        CostBy::Run => CostGrouping::Run,
    }
}

fn today(today: &Today) -> BudgetTodayView {
    BudgetTodayView {
        day: today.day.to_string(),
        spent_usd: usd(today.org.spent),
        reserved_usd: usd(today.org.reserved),
        per_day_usd: today.org.limit.map(usd),
        left_usd: today.org.left().map(usd),
        per_run_usd: today.per_run.map(usd),
        server_budget_spent: today.server_is_spent,
        resets_at: today.resets_at.to_iso(),
    }
}
