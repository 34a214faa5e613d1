use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::Path;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures::Stream;
use reflexio_api_types::{
    GetOptimizationsQuery, GetOptimizationsResponse, JobView, LiftResponse, LiftWindowView,
    OptimizationCandidateView, OptimizationEventView, OptimizationEventsQuery, OptimizationResponse,
    OptimizationState, OptimizationTrialView, OptimizationView, StartOptimizationRequest,
    StartOptimizationResponse, window_views,
};
use reflexio_app::{App, LiftRun};
use reflexio_store::{OptimizationFilter, Page};
use reflexio_types::{AgentPlaybookId, Caller, OptimizationId, OptimizationTarget, UserPlaybookId};
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::found;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

const DEFAULT_RUNS: usize = 100;
const MOST_RUNS: usize = 1000;
const EVENTS_AT_ONCE: usize = 200;
/// How often to look for new events while somebody listens.
const LOOK: Duration = Duration::from_millis(500);

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(start_optimization))
        .routes(routes!(get_optimizations))
        .routes(routes!(get_optimization))
        .routes(routes!(cancel_optimization))
        .routes(routes!(optimization_events))
        .routes(routes!(measure_lift))
        .routes(routes!(get_lift))
}

/// Look for a better wording of a playbook, or say what that would cost
#[utoipa::path(post, path = "/api/optimizations", tag = "optimization", request_body = StartOptimizationRequest,
    responses((status = 200, body = StartOptimizationResponse), Failure))]
async fn start_optimization(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<StartOptimizationRequest>,
) -> Result<Json<StartOptimizationResponse>> {
    let request = body.value();
    let agent = request.agent_playbook_id.map(AgentPlaybookId).map(OptimizationTarget::AgentPlaybook);
    let user = UserPlaybookId(request.user_playbook_id.unwrap_or_default());
    let target = agent.unwrap_or(OptimizationTarget::UserPlaybook(user));
    if request.estimate_only {
        let plan = app.plan_optimization(&caller, target).await?;
        return Ok(Json(StartOptimizationResponse {
            success: true,
            optimization: None,
            windows: window_views(&plan.windows),
            warnings: plan.estimate.warnings.clone(),
            estimate: serde_json::to_value(&plan.estimate).unwrap_or(Value::Null),
            msg: Some("Nothing was started".to_owned()),
        }));
    }
    let run = app.optimize(&caller, target).await?;
    Ok(Json(StartOptimizationResponse {
        success: true,
        windows: window_views(&run.body.windows),
        warnings: run.body.warnings.clone(),
        estimate: run.body.estimate.clone(),
        msg: Some(format!("Started optimization {}", run.id)),
        optimization: Some(run.into()),
    }))
}

/// Runs that looked for better wordings, newest first
#[utoipa::path(get, path = "/api/optimizations", tag = "optimization", params(GetOptimizationsQuery),
    responses((status = 200, body = GetOptimizationsResponse), Failure))]
async fn get_optimizations(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetOptimizationsQuery>,
) -> Result<Json<GetOptimizationsResponse>> {
    let page = Page {
        limit: query.limit.map_or(DEFAULT_RUNS, |limit| limit.as_usize()).min(MOST_RUNS),
        offset: query.offset.map_or(0, |offset| offset.as_usize()),
    };
    let agent = query.agent_playbook_id.map(AgentPlaybookId).map(OptimizationTarget::AgentPlaybook);
    let user = query.user_playbook_id.map(UserPlaybookId).map(OptimizationTarget::UserPlaybook);
    let filter = OptimizationFilter {
        target: agent.or(user),
        state: query.state.map(OptimizationState::into),
        ..OptimizationFilter::default()
    };
    let page = app.optimizations(&caller, &filter, page).await?;
    Ok(Json(GetOptimizationsResponse {
        success: true,
        msg: found(page.optimizations.len(), "optimization"),
        optimizations: page.optimizations.into_iter().map(OptimizationView::from).collect(),
        has_more: page.has_more,
    }))
}

/// One run: every wording that was tried, its scores, both conversations of each pair and the judge's words
#[utoipa::path(get, path = "/api/optimizations/{optimization_id}", tag = "optimization",
    params(("optimization_id" = i64, Path, description = "as in `optimization_id` of a run")),
    responses((status = 200, body = OptimizationResponse), Failure))]
async fn get_optimization(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(optimization_id): Path<String>,
) -> Result<Json<OptimizationResponse>> {
    shown(&app, &caller, id(&optimization_id)?, None).await
}

/// Ask a run to stop; what was tried stays to be seen
#[utoipa::path(post, path = "/api/optimizations/{optimization_id}/cancel", tag = "optimization",
    params(("optimization_id" = i64, Path, description = "as in `optimization_id` of a run")),
    responses((status = 200, body = OptimizationResponse), Failure))]
async fn cancel_optimization(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(optimization_id): Path<String>,
) -> Result<Json<OptimizationResponse>> {
    let run = app.cancel_optimization(&caller, id(&optimization_id)?).await?;
    let msg = if run.state.is_over() {
        format!("It is {}", run.state.as_str())
    } else {
        "Asked to stop".to_owned()
    };
    shown(&app, &caller, run.id, Some(msg)).await
}

/// What happens in a run, as it happens: a stream of server-sent events that ends with the run
#[utoipa::path(get, path = "/api/optimizations/{optimization_id}/events", tag = "optimization",
    params(("optimization_id" = i64, Path, description = "as in `optimization_id` of a run"), OptimizationEventsQuery),
    responses((status = 200, body = OptimizationEventView, content_type = "text/event-stream"), Failure))]
async fn optimization_events(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(optimization_id): Path<String>,
    Query(query): Query<OptimizationEventsQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + use<>>> {
    let id = id(&optimization_id)?;
    let after = query.after.map_or(0, |after| after.as_usize() as u64);
    // A run that is not there is an error and no empty stream.
    app.optimization_events(&caller, id, after, 0).await?;
    Ok(Sse::new(stream(app, caller, id, after)).keep_alive(KeepAlive::default()))
}

/// Batches of events until the run is over, then one named `end` with its state.
fn stream(
    app: Arc<App>,
    caller: Caller,
    id: OptimizationId,
    after: u64,
) -> impl Stream<Item = Result<Event, Infallible>> + use<> {
    use futures::StreamExt;
    let batches = futures::stream::unfold(Some((app, caller, after)), move |state| async move {
        let (app, caller, mut after) = state?;
        loop {
            let looked = app.optimization_events(&caller, id, after, EVENTS_AT_ONCE).await;
            // Erased, or the store is closing: there is nobody to tell.
            let Ok((run, events)) = looked else { return None };
            if let Some(last) = events.last() {
                after = last.number;
                return Some((events.into_iter().map(told).collect::<Vec<_>>(), Some((app, caller, after))));
            }
            if run.is_over() {
                return Some((vec![Event::default().event("end").data(run.as_str())], None));
            }
            tokio::time::sleep(LOOK).await;
        }
    });
    batches.flat_map(|events| futures::stream::iter(events.into_iter().map(Ok)))
}

fn told(event: reflexio_types::OptimizationEvent) -> Event {
    let name = event.body.as_object().and_then(|body| body.keys().next().cloned()).unwrap_or_default();
    let number = event.number.to_string();
    let view = serde_json::to_string(&OptimizationEventView::from(event)).unwrap_or_default();
    Event::default().event(name).id(number).data(view)
}

/// Measure how much an agent playbook helps: the same conversations with and without it
#[utoipa::path(post, path = "/api/agent_playbooks/{agent_playbook_id}/lift", tag = "optimization",
    params(("agent_playbook_id" = i64, Path, description = "as in `agent_playbook_id` of a rule")),
    responses((status = 200, body = LiftResponse), Failure))]
async fn measure_lift(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(agent_playbook_id): Path<String>,
) -> Result<Json<LiftResponse>> {
    let id = playbook_id(&agent_playbook_id)?;
    Ok(Json(lift_view(id, app.measure_lift(&caller, id).await?)))
}

/// The latest measurement of how much an agent playbook helps
#[utoipa::path(get, path = "/api/agent_playbooks/{agent_playbook_id}/lift", tag = "optimization",
    params(("agent_playbook_id" = i64, Path, description = "as in `agent_playbook_id` of a rule")),
    responses((status = 200, body = LiftResponse), Failure))]
async fn get_lift(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(agent_playbook_id): Path<String>,
) -> Result<Json<LiftResponse>> {
    let id = playbook_id(&agent_playbook_id)?;
    Ok(Json(lift_view(id, app.lift(&caller, id).await?)))
}

fn lift_view(id: AgentPlaybookId, measured: LiftRun) -> LiftResponse {
    let LiftRun { run, lift } = measured;
    let interval = lift.as_ref().and_then(|lift| lift.interval);
    let number = lift.as_ref().filter(|lift| !lift.windows.is_empty()).map(|lift| lift.lift);
    let windows = lift.map(|lift| lift.windows).unwrap_or_default().into_iter();
    LiftResponse {
        success: true,
        agent_playbook_id: id.0,
        state: run.state.into(),
        lift: number,
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        windows: windows
            .map(|one| LiftWindowView::new(one.window, one.lift, one.judgement, one.with, one.without))
            .collect(),
        decision: run.body.decision,
        content: run.body.incumbent,
        measured_at: run.finished_at.map(|at| at.0),
        job_id: run.job_id.map(|id| id.0),
    }
}

async fn shown(
    app: &App,
    caller: &Caller,
    id: OptimizationId,
    msg: Option<String>,
) -> Result<Json<OptimizationResponse>> {
    let detail = app.optimization(caller, id).await?;
    Ok(Json(OptimizationResponse {
        success: true,
        optimization: detail.optimization.into(),
        candidates: detail.candidates.into_iter().map(OptimizationCandidateView::from).collect(),
        trials: detail.trials.into_iter().map(OptimizationTrialView::from).collect(),
        job: detail.job.map(JobView::from),
        msg,
    }))
}

/// What is no number names no run.
fn id(text: &str) -> Result<OptimizationId> {
    let missing = || reflexio_app::Error::NotFound { what: "optimization", id: text.to_owned() };
    Ok(OptimizationId(text.parse().map_err(|_| missing())?))
}

fn playbook_id(text: &str) -> Result<AgentPlaybookId> {
    let missing = || reflexio_app::Error::NotFound { what: "agent playbook", id: text.to_owned() };
    Ok(AgentPlaybookId(text.parse().map_err(|_| missing())?))
}
