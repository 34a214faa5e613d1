use axum::Json;
use reflexio_api_types::{
    AddInjectionRequest, AddInjectionResponse, GetInjectionsQuery, GetInjectionsResponse, InjectionView,
    RetrievedLearning,
};
use reflexio_app::{NewInjection, Prompt};
use reflexio_store::{InjectionFilter, RuleRef};
use reflexio_types::{LearningKind, RequestId, SessionId, UserId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

const DEFAULT_LISTED: usize = 100;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(add_injection, get_injections))
}

/// Say which rules an agent put into a prompt
#[utoipa::path(post, path = "/api/injections", tag = "evaluation",
    request_body(content = AddInjectionRequest, example = json!({"session_id": "s1", "rules": [{"kind": "agent_playbook", "learning_id": "7"}]})),
    responses((status = 200, body = AddInjectionResponse), Failure))]
async fn add_injection(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<AddInjectionRequest>,
) -> Result<Json<AddInjectionResponse>> {
    let body = body.value();
    let rule =
        |rule: RetrievedLearning| RuleRef { kind: rule.kind.into(), id: rule.learning_id.into_string() };
    let new = NewInjection {
        prompt: Prompt {
            session_id: Some(SessionId::new(body.session_id.into_string())),
            user_id: given(body.user_id.map(|id| id.into_string())).map(UserId::new),
            agent_version: given(body.agent_version),
            request_id: given(body.request_id.map(|id| id.into_string())).map(RequestId::new),
        },
        block: given(body.block_version.map(|version| version.into_string())),
        rules: body.rules.into_iter().map(rule).collect(),
    };
    let reported = app.report_injection(&caller, new).await?;
    let unknown = reported
        .unknown
        .into_iter()
        .map(|rule| RetrievedLearning { kind: rule.kind.into(), learning_id: rule.id.as_str().into() });
    Ok(Json(AddInjectionResponse {
        success: true,
        injection_id: reported.id.map(|id| id.0),
        recorded: reported.recorded.len() as u64,
        unknown: unknown.collect(),
        msg: Some(format!("Recorded {} rule(s)", reported.recorded.len())),
    }))
}

/// Which rules agents got for their prompts, newest first
#[utoipa::path(get, path = "/api/injections", tag = "evaluation", params(GetInjectionsQuery),
    responses((status = 200, body = GetInjectionsResponse), Failure))]
async fn get_injections(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetInjectionsQuery>,
) -> Result<Json<GetInjectionsResponse>> {
    let rule = |id: i64| RuleRef { kind: LearningKind::AgentPlaybook, id: id.to_string() };
    let filter = InjectionFilter {
        time: query.time(),
        session_id: given(query.session_id).map(SessionId::new),
        user_id: given(query.user_id).map(UserId::new),
        rule: query.agent_playbook_id.map(|id| rule(id.0)),
    };
    let limit = query.limit.map_or(DEFAULT_LISTED, |limit| limit.as_usize());
    let rows = app.injections(&caller, &filter, limit).await?;
    Ok(Json(GetInjectionsResponse {
        success: true,
        msg: found(rows.len(), "injection"),
        injections: rows.into_iter().map(InjectionView::from).collect(),
    }))
}
