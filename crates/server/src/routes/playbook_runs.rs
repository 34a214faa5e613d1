use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::{self, Stream};
use reflexio_api_types::{
    DecidePlaybookRunRequest, GetPlaybookJournalQuery, GetPlaybookJournalResponse, GetPlaybookRunsQuery,
    GetPlaybookRunsResponse, GetPlaybookStateQuery, GetPlaybooksResponse, PlaybookAssistantRequest,
    PlaybookAssistantResponse, PlaybookEntryView, PlaybookMessageView, PlaybookProgramView,
    PlaybookRunResponse, PlaybookRunStatus, PlaybookRunView, PlaybookStateResponse, StartPlaybookRunRequest,
    TellPlaybookRunRequest,
};
use reflexio_app::{
    App, AssistantRequest, ChatMessage, GivenPlaybook, PlaybookMessage, PlaybookState, StartPlaybook,
};
use reflexio_store::{Page, PlaybookRunFilter};
use reflexio_types::config::micros;
use reflexio_types::{Caller, PlaybookRun, PlaybookRunId, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

const DEFAULT_ROWS: usize = 100;
const MOST_ROWS: usize = 1000;
/// Entries that are sent at once to whoever watches.
const EVENTS_AT_ONCE: usize = 200;
/// Another process may have stored something.
const LOOK_EVERY: Duration = Duration::from_secs(1);

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_playbooks))
        .routes(routes!(run_playbook_assistant))
        .routes(routes!(start_playbook_run, get_playbook_runs))
        .routes(routes!(get_playbook_run))
        .routes(routes!(tell_playbook_run))
        .routes(routes!(decide_playbook_run))
        .routes(routes!(cancel_playbook_run))
        .routes(routes!(get_playbook_journal))
        .routes(routes!(watch_playbook_run))
}

/// Markdown playbooks that can be run
#[utoipa::path(get, path = "/api/playbooks", tag = "playbook runs",
    responses((status = 200, body = GetPlaybooksResponse), Failure))]
async fn get_playbooks(UseCases(app): UseCases, Who(caller): Who) -> Result<Json<GetPlaybooksResponse>> {
    let view = |info: reflexio_app::PlaybookInfo| PlaybookProgramView {
        name: info.name,
        version: info.version,
        playbooks: info.playbooks,
        problem: info.problem,
    };
    let playbooks = app.playbook_programs(&caller)?.into_iter().map(view).collect();
    Ok(Json(GetPlaybooksResponse { success: true, playbooks }))
}

/// The next answer of a conversation, for the optimiser
#[utoipa::path(post, path = "/api/playbooks/{name}/assistant", tag = "playbook runs",
    params(("name" = String, Path, description = "as in `GET /api/playbooks`")),
    request_body = PlaybookAssistantRequest,
    responses((status = 200, body = PlaybookAssistantResponse), Failure))]
async fn run_playbook_assistant(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(name): Path<String>,
    body: Body<PlaybookAssistantRequest>,
) -> Result<Json<PlaybookAssistantResponse>> {
    let PlaybookAssistantRequest { messages, playbooks } = body.value();
    let request = AssistantRequest {
        messages: messages
            .into_iter()
            .map(|message| ChatMessage { role: message.role, content: message.content })
            .collect(),
        playbooks: playbooks
            .into_iter()
            .map(|rule| GivenPlaybook {
                id: rule.id.unwrap_or_default(),
                content: rule.content,
                trigger: rule.trigger,
            })
            .collect(),
    };
    let content = app.playbook_assistant(&caller, &name, &request).await?;
    Ok(Json(PlaybookAssistantResponse { content }))
}

/// Start a run
#[utoipa::path(post, path = "/api/playbook_runs", tag = "playbook runs", request_body = StartPlaybookRunRequest,
    responses((status = 200, body = PlaybookRunResponse), Failure))]
async fn start_playbook_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<StartPlaybookRunRequest>,
) -> Result<Json<PlaybookRunResponse>> {
    let request = body.value();
    let wanted = StartPlaybook {
        program: request.playbook,
        user_id: given(request.user_id).map(UserId::new),
        playbook: given(request.start),
        args: request.args.into_iter().collect(),
        variables: request.variables.into_iter().collect(),
        message: given(request.message),
        max_model_calls: request.max_model_calls.map(|most| most.as_usize() as u64),
        max_cost_micros: request.max_cost_usd.map(|dollars| micros(dollars.max(0.0))),
        max_seconds: request.max_seconds.map(|most| most.as_usize() as u64),
        publishes: request.publish.unwrap_or(true),
        recalls: request.recall.unwrap_or(true),
    };
    Ok(shown(app.start_playbook_run(&caller, wanted).await?, Some("Started")))
}

/// Runs, the newest first
#[utoipa::path(get, path = "/api/playbook_runs", tag = "playbook runs", params(GetPlaybookRunsQuery),
    responses((status = 200, body = GetPlaybookRunsResponse), Failure))]
async fn get_playbook_runs(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetPlaybookRunsQuery>,
) -> Result<Json<GetPlaybookRunsResponse>> {
    let page = Page {
        limit: query.limit.map_or(DEFAULT_ROWS, |limit| limit.as_usize()).min(MOST_ROWS),
        offset: query.offset.map_or(0, |offset| offset.as_usize()),
    };
    let filter = PlaybookRunFilter {
        user_id: given(query.user_id).map(UserId::new),
        program: given(query.playbook),
        status: query.status.map(PlaybookRunStatus::into),
        ..PlaybookRunFilter::default()
    };
    let (runs, has_more) = app.playbook_runs(&caller, &filter, page).await?;
    let msg = found(runs.len(), "run");
    let runs = runs.into_iter().map(PlaybookRunView::from).collect();
    Ok(Json(GetPlaybookRunsResponse { success: true, runs, has_more, msg }))
}

/// How a run stands, or stood at a moment of its journal
#[utoipa::path(get, path = "/api/playbook_runs/{run_id}", tag = "playbook runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run"), GetPlaybookStateQuery),
    responses((status = 200, body = PlaybookStateResponse), Failure))]
async fn get_playbook_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
    Query(query): Query<GetPlaybookStateQuery>,
) -> Result<Json<PlaybookStateResponse>> {
    let at = query.at.map(|at| at.as_usize() as u64);
    Ok(Json(state(app.playbook_state(&caller, &PlaybookRunId::new(run_id), at).await?)))
}

/// Say something to a run
#[utoipa::path(post, path = "/api/playbook_runs/{run_id}/messages", tag = "playbook runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run")),
    request_body = TellPlaybookRunRequest, responses((status = 200, body = PlaybookRunResponse), Failure))]
async fn tell_playbook_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
    body: Body<TellPlaybookRunRequest>,
) -> Result<Json<PlaybookRunResponse>> {
    let run = app.tell_playbook_run(&caller, &PlaybookRunId::new(run_id), body.value().text).await?;
    Ok(shown(run, Some("Queued")))
}

/// Decide about the approval that a run waits for
#[utoipa::path(post, path = "/api/playbook_runs/{run_id}/approval", tag = "playbook runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run")),
    request_body = DecidePlaybookRunRequest, responses((status = 200, body = PlaybookRunResponse), Failure))]
async fn decide_playbook_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
    body: Body<DecidePlaybookRunRequest>,
) -> Result<Json<PlaybookRunResponse>> {
    let DecidePlaybookRunRequest { approved, by } = body.value();
    let by = given(by).unwrap_or_else(|| "somebody".to_owned());
    let run = app.decide_playbook_run(&caller, &PlaybookRunId::new(run_id), approved, by).await?;
    Ok(shown(run, Some("Queued")))
}

/// End a run where it is
#[utoipa::path(post, path = "/api/playbook_runs/{run_id}/cancel", tag = "playbook runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run")),
    responses((status = 200, body = PlaybookRunResponse), Failure))]
async fn cancel_playbook_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
) -> Result<Json<PlaybookRunResponse>> {
    let run = app.cancel_playbook_run(&caller, &PlaybookRunId::new(run_id)).await?;
    Ok(shown(run, None))
}

/// Everything that happened in a run
#[utoipa::path(get, path = "/api/playbook_runs/{run_id}/journal", tag = "playbook runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run"), GetPlaybookJournalQuery),
    responses((status = 200, body = GetPlaybookJournalResponse), Failure))]
async fn get_playbook_journal(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
    Query(query): Query<GetPlaybookJournalQuery>,
) -> Result<Json<GetPlaybookJournalResponse>> {
    let after = query.after.map_or(0, |after| after.as_usize() as u64);
    let limit = query.limit.map_or(DEFAULT_ROWS, |limit| limit.as_usize());
    let entries = app.playbook_journal(&caller, &PlaybookRunId::new(run_id), after, limit).await?;
    let view = |(position, entry)| PlaybookEntryView { position, entry };
    Ok(Json(GetPlaybookJournalResponse { success: true, entries: entries.into_iter().map(view).collect() }))
}

/// What happens in a run, as it happens
///
/// Server-sent events: `id` is the position in the journal, `event` the kind of entry, `data` the entry. A client that
/// comes back with `Last-Event-ID` misses nothing. The last event is `end`, when the run is over.
#[utoipa::path(get, path = "/api/playbook_runs/{run_id}/events", tag = "playbook runs",
    params(("run_id" = String, Path, description = "as in `run_id` of a run")),
    responses((status = 200, body = String, content_type = "text/event-stream"), Failure))]
async fn watch_playbook_run(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(run_id): Path<String>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let id = PlaybookRunId::new(run_id);
    app.playbook_run(&caller, &id).await?;
    let changes = app.playbook_changes();
    let watch =
        Watch { app, caller, id, after: last.unwrap_or(0), changes, ready: Vec::new(), is_over: false };
    Ok(Sse::new(stream::unfold(watch, Watch::next)).keep_alive(KeepAlive::default()))
}

struct Watch {
    app: Arc<App>,
    caller: Caller,
    id: PlaybookRunId,
    after: u64,
    changes: tokio::sync::watch::Receiver<u64>,
    /// Read and not sent, the next one last.
    ready: Vec<Event>,
    is_over: bool,
}

impl Watch {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if let Some(event) = self.ready.pop() {
                return Some((Ok(event), self));
            }
            if self.is_over {
                return None;
            }
            self.changes.mark_unchanged();
            // In this order: what is stored after the look at the run is found by the next round.
            let run = self.app.playbook_run(&self.caller, &self.id).await.ok()?;
            let entries =
                self.app.playbook_journal(&self.caller, &self.id, self.after, EVENTS_AT_ONCE).await.ok()?;
            for (position, entry) in entries.into_iter().rev() {
                self.after = self.after.max(position);
                let kind = entry["entry"].as_str().unwrap_or("entry").to_owned();
                self.ready
                    .push(Event::default().id(position.to_string()).event(kind).data(entry.to_string()));
            }
            if self.ready.is_empty() {
                let status = reflexio_types::PlaybookRunStatus::as_str(run.status);
                if run.status.is_over() && run.entries <= self.after {
                    self.is_over = true;
                    self.ready
                        .push(Event::default().event("end").data(format!("{{\"status\":\"{status}\"}}")));
                } else {
                    let _ = tokio::time::timeout(LOOK_EVERY, self.changes.changed()).await;
                }
            }
        }
    }
}

fn shown(run: PlaybookRun, msg: Option<&str>) -> Json<PlaybookRunResponse> {
    Json(PlaybookRunResponse { success: true, run: run.into(), msg: msg.map(str::to_owned) })
}

fn state(state: PlaybookState) -> PlaybookStateResponse {
    let message = |message: PlaybookMessage| PlaybookMessageView {
        id: message.id,
        from: if message.is_user { "user" } else { "agent" }.to_owned(),
        to: message.to,
        text: message.text,
        playbook: message.playbook,
        step: message.step,
    };
    PlaybookStateResponse {
        success: true,
        run: state.run.into(),
        position: state.position,
        conversation: state.conversation.into_iter().map(message).collect(),
        variables: state.variables.into_iter().collect(),
        model_calls: state.spent.model_calls,
        tokens: state.spent.tokens,
        cost_usd: state.spent.cost_micros as f64 / 1e6,
        steps: state.spent.steps,
        waits_for_user: state.waits_for_user,
        waits_for_approval: state.waits_for_approval,
        next_timer: state.next_timer,
        result: state.result,
    }
}
