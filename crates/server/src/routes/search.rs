use axum::Json;
use reflexio_api_types::{
    AgentPlaybookView, EntityType, ProfileView, SearchMode as WireMode, UnifiedSearchRequest,
    UnifiedSearchViewResponse, UserPlaybookView,
};
use reflexio_app::{EntityKind, Found, SearchMode, SearchOptions, UnifiedSearch};
use reflexio_types::{AgentPlaybook, Profile, UserId, UserPlaybook};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

const DEFAULT_FOUND: usize = 5;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(search))
}

/// One question to profiles, user playbooks and approved agent playbooks
#[utoipa::path(post, path = "/api/search", tag = "search", request_body(content = UnifiedSearchRequest, example = json!({"query": "password reset", "user_id": "user_123", "top_k": 5})),
    responses((status = 200, body = UnifiedSearchViewResponse), Failure))]
async fn search(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<UnifiedSearchRequest>,
) -> Result<Json<UnifiedSearchViewResponse>> {
    let request = body.value();
    let search = UnifiedSearch {
        options: SearchOptions {
            query: Some(request.query.into_string()),
            mode: mode(request.search_mode),
            top_k: request.top_k.map_or(DEFAULT_FOUND, |k| k.as_usize()),
        },
        user_id: given(request.user_id.map(|id| id.into_string())).map(UserId::new),
        agent_version: given(request.agent_version),
        playbook_name: given(request.playbook_name),
        source: given(request.source.map(|source| source.into_string())),
        tags: request.tags.unwrap_or_default(),
        entity_types: request.entity_types.unwrap_or_default().into_iter().map(kind).collect(),
        agent_playbook_status: request
            .agent_playbook_status_filter
            .unwrap_or_default()
            .into_iter()
            .map(Into::into)
            .collect(),
    };
    let result = app.search(&caller, &search).await?;
    let degraded =
        result.profiles.degraded || result.user_playbooks.degraded || result.agent_playbooks.degraded;
    let count =
        result.profiles.rows.len() + result.user_playbooks.rows.len() + result.agent_playbooks.rows.len();
    let hidden = result.hidden_unapproved;
    Ok(Json(UnifiedSearchViewResponse {
        success: true,
        profiles: profiles(result.profiles),
        agent_playbooks: agent_playbooks(result.agent_playbooks),
        user_playbooks: user_playbooks(result.user_playbooks),
        reformulated_query: None,
        msg: if hidden > 0 { found_and_hidden(count, hidden) } else { found(count, "row") },
        hidden_unapproved: (hidden > 0).then_some(hidden),
        degraded: Some(degraded),
    }))
}

/// The mode in the app's words.
pub(super) fn mode(asked: Option<WireMode>) -> SearchMode {
    match asked.unwrap_or_default() {
        WireMode::Vector => SearchMode::Vector,
        WireMode::Fts => SearchMode::Fts,
        WireMode::Hybrid => SearchMode::Hybrid,
    }
}

fn kind(kind: EntityType) -> EntityKind {
    match kind {
        EntityType::Profiles => EntityKind::Profiles,
        EntityType::UserPlaybooks => EntityKind::UserPlaybooks,
        EntityType::AgentPlaybooks => EntityKind::AgentPlaybooks,
    }
}

/// What was found, and that a review would find more.
pub(super) fn found_and_hidden(count: usize, hidden: u64) -> Option<String> {
    let text = found(count, "matching agent playbook")?;
    Some(match hidden {
        0 => text,
        hidden => format!("{text}; {hidden} more wait for approval"),
    })
}

/// A score is shown where there was something to score.
fn shown_score(score: f64) -> Option<f64> {
    (score > 0.0).then_some(score)
}

pub(super) fn profiles(result: Found<Profile>) -> Vec<ProfileView> {
    let show = |row, score| ProfileView { score: shown_score(score), ..ProfileView::from(row) };
    result.rows.into_iter().map(|scored| show(scored.row, scored.score)).collect()
}

pub(super) fn user_playbooks(result: Found<UserPlaybook>) -> Vec<UserPlaybookView> {
    let show = |row, score| UserPlaybookView { score: shown_score(score), ..UserPlaybookView::from(row) };
    result.rows.into_iter().map(|scored| show(scored.row, scored.score)).collect()
}

pub(super) fn agent_playbooks(result: Found<AgentPlaybook>) -> Vec<AgentPlaybookView> {
    let show = |row, score| AgentPlaybookView { score: shown_score(score), ..AgentPlaybookView::from(row) };
    result.rows.into_iter().map(|scored| show(scored.row, scored.score)).collect()
}
