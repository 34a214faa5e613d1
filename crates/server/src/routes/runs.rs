use axum::Json;
use axum::extract::Path;
use reflexio_api_types::{
    GetRunQuery, GetRunResponse, GetRunsQuery, GetRunsResponse, NonNegative, Positive, RunChangeView,
    RunKind, RunState, RunView, UndoRunQuery, UndoRunResponse, usd,
};
use reflexio_app::RunReport;
use reflexio_store::{Page, RunFilter};
use reflexio_types::RunId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::found;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Query, UseCases, Who};

const DEFAULT_ROWS: usize = 100;
const MOST_ROWS: usize = 1000;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(get_runs)).routes(routes!(get_run)).routes(routes!(undo_run))
}

/// Operations that changed what was learned, latest first
#[utoipa::path(get, path = "/api/runs", tag = "runs", params(GetRunsQuery),
    responses((status = 200, body = GetRunsResponse), Failure))]
async fn get_runs(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetRunsQuery>,
) -> Result<Json<GetRunsResponse>> {
    let filter = RunFilter { kind: query.kind.map(RunKind::into), state: query.state.map(RunState::into) };
    let (runs, has_more) = app.runs(&caller, &filter, page(query.limit, query.offset)).await?;
    Ok(Json(GetRunsResponse {
        success: true,
        msg: found(runs.len(), "run"),
        runs: runs.into_iter().map(shown).collect(),
        has_more,
    }))
}

/// One run with what it changed
#[utoipa::path(get, path = "/api/runs/{run_id}", tag = "runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run"), GetRunQuery),
    responses((status = 200, body = GetRunResponse), Failure))]
async fn get_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
    Query(query): Query<GetRunQuery>,
) -> Result<Json<GetRunResponse>> {
    let detail = app.run(&caller, &RunId::new(run_id), page(query.limit, query.offset)).await?;
    Ok(Json(GetRunResponse {
        success: true,
        run: shown(detail.report),
        msg: found(detail.changes.len(), "change"),
        changes: detail.changes.into_iter().map(RunChangeView::from).collect(),
        has_more: detail.has_more,
    }))
}

/// Put every row of a run back as it was before, or none
#[utoipa::path(post, path = "/api/runs/{run_id}/undo", tag = "runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run"), UndoRunQuery),
    responses((status = 200, body = UndoRunResponse), Failure))]
async fn undo_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
    Query(query): Query<UndoRunQuery>,
) -> Result<Json<UndoRunResponse>> {
    let id = RunId::new(run_id);
    if query.dry_run {
        return Ok(Json(app.undo_plan(&caller, &id).await?.into()));
    }
    let run = app.undo_run(&caller, &id).await?;
    let rows = run.added + run.changed + run.retired;
    Ok(Json(UndoRunResponse {
        success: true,
        rows,
        msg: Some(format!("Undone: {rows} row(s) put back")),
        run: Some(RunView::new(run, None)),
        ..UndoRunResponse::default()
    }))
}

fn shown(report: RunReport) -> RunView {
    RunView::new(report.run, report.cost_micros.map(usd))
}

fn page(limit: Option<Positive>, offset: Option<NonNegative>) -> Page {
    Page {
        limit: limit.map_or(DEFAULT_ROWS, |limit| limit.as_usize()).min(MOST_ROWS),
        offset: offset.map_or(0, |offset| offset.as_usize()),
    }
}
