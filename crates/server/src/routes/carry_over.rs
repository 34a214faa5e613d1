use axum::Json;
use reflexio_api_types::{
    CarriedPlaybookView, CarryAgentPlaybooksRequest, CarryAgentPlaybooksResponse, LeftOutPlaybookView,
};
use reflexio_app::CarryOver;
use reflexio_types::RunId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(carry_agent_playbooks))
}

/// Propose the approved rules of one agent version for another
#[utoipa::path(post, path = "/api/agent_playbooks/carry", tag = "agent playbooks",
    request_body = CarryAgentPlaybooksRequest,
    responses((status = 200, body = CarryAgentPlaybooksResponse), Failure))]
async fn carry_agent_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<CarryAgentPlaybooksRequest>,
) -> Result<Json<CarryAgentPlaybooksResponse>> {
    let request = body.value();
    let carry = CarryOver {
        from: request.from_version.0,
        to: request.to_version.0,
        allow_new: request.allow_new_version,
        dry_run: request.dry_run,
    };
    let done = app.carry_over(&caller, &carry).await?;
    let (carried, left_out) = (done.carried.len(), done.left_out.len());
    let carried_view = |one: reflexio_app::Carried| CarriedPlaybookView {
        carried_from: one.from.0,
        agent_playbook_id: one.to.map(|id| id.0),
    };
    Ok(Json(CarryAgentPlaybooksResponse {
        success: true,
        dry_run: carry.dry_run,
        carried: done.carried.into_iter().map(carried_view).collect(),
        left_out: done
            .left_out
            .into_iter()
            .map(|one| LeftOutPlaybookView { agent_playbook_id: one.id.0, reason: one.reason })
            .collect(),
        run_id: done.run.map(RunId::into_string),
        msg: Some(format!("{carried} proposed for {}, {left_out} left out", carry.to)),
    }))
}
