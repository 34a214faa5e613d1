use axum::Json;
use axum::extract::Path;
use reflexio_api_types::{
    AgentPlaybookDiffResponse, AgentPlaybookEventView, AgentPlaybookHistoryResponse, DiffOp, DiffPartView,
    FieldDiffView,
};
use reflexio_app::{DiffPart, FieldDiff};
use reflexio_types::AgentPlaybookId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::found;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(get_agent_playbook_diff)).routes(routes!(get_agent_playbook_history))
}

/// What approving an agent playbook would change, word by word
#[utoipa::path(get, path = "/api/agent_playbooks/{agent_playbook_id}/diff", tag = "agent playbooks",
    params(("agent_playbook_id" = i64, Path, description = "a rule with `successor_of`")),
    responses((status = 200, body = AgentPlaybookDiffResponse), Failure))]
async fn get_agent_playbook_diff(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(text): Path<String>,
) -> Result<Json<AgentPlaybookDiffResponse>> {
    let id = id(&text)?;
    let diff = app.agent_playbook_diff(&caller, id).await?;
    let msg = match (&diff.before, diff.rule.body.successor_of) {
        (Some(_), _) => found(diff.fields.len(), "changed field"),
        (None, Some(before)) => Some(format!("agent playbook {before}, which it follows, was deleted")),
        (None, None) => Some("it follows no other agent playbook".to_owned()),
    };
    Ok(Json(AgentPlaybookDiffResponse {
        success: true,
        agent_playbook_id: id.0,
        successor_of: diff.rule.body.successor_of.map(|id| id.0),
        fields: diff.fields.into_iter().map(field).collect(),
        msg,
    }))
}

fn field(diff: FieldDiff) -> FieldDiffView {
    let part = |part| match part {
        DiffPart::Same(text) => DiffPartView { op: DiffOp::Same, text },
        DiffPart::Removed(text) => DiffPartView { op: DiffOp::Removed, text },
        DiffPart::Added(text) => DiffPartView { op: DiffOp::Added, text },
    };
    FieldDiffView { field: diff.field.as_str().to_owned(), parts: diff.parts.into_iter().map(part).collect() }
}

/// What happened to an agent playbook: who, when, why, and the text before
#[utoipa::path(get, path = "/api/agent_playbooks/{agent_playbook_id}/history", tag = "agent playbooks",
    params(("agent_playbook_id" = i64, Path, description = "as in `agent_playbook_id` of a rule")),
    responses((status = 200, body = AgentPlaybookHistoryResponse), Failure))]
async fn get_agent_playbook_history(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(text): Path<String>,
) -> Result<Json<AgentPlaybookHistoryResponse>> {
    let id = id(&text)?;
    let told = app.agent_playbook_history(&caller, id).await?;
    Ok(Json(AgentPlaybookHistoryResponse {
        success: true,
        agent_playbook_id: id.0,
        msg: found(told.len(), "event"),
        events: told.into_iter().map(AgentPlaybookEventView::from).collect(),
    }))
}

/// What is no number names no rule.
fn id(text: &str) -> Result<AgentPlaybookId> {
    let missing = || reflexio_app::Error::NotFound { what: "agent playbook", id: text.to_owned() };
    Ok(AgentPlaybookId(text.parse().map_err(|_| missing())?))
}
