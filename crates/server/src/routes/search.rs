use axum::Json;
use reflexio_api_types::{
    AgentPlaybookView, ConversationTurn, EntityType, ProfileView, ScoreParts, SearchMode as WireMode,
    UnifiedSearchRequest, UnifiedSearchViewResponse, UserPlaybookView,
};
use reflexio_app::{EntityKind, Found, Hit, PastTurn, SearchMode, SearchOptions, UnifiedSearch};
use reflexio_types::{AgentPlaybook, Profile, RequestId, SessionId, UserId, UserPlaybook};
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
    let explain = Explain::asked(request.explain);
    let search = UnifiedSearch {
        options: SearchOptions {
            query: Some(request.query.into_string()),
            mode: mode(request.search_mode),
            top_k: request.top_k.map_or(DEFAULT_FOUND, |k| k.as_usize()),
            threshold: request.threshold.map(|share| share.0),
            recency: request.recency.map_or(0.0, |share| share.0),
            reformulate: reformulate(request.enable_reformulation, request.conversation_history),
        },
        user_id: given(request.user_id.map(|id| id.into_string())).map(UserId::new),
        agent_version: given(request.agent_version),
        playbook_name: given(request.playbook_name),
        source: given(request.source.map(|source| source.into_string())),
        tags: request.tags.unwrap_or_default(),
        entity_types: request
            .entity_types
            .filter(|kinds| !kinds.is_empty())
            .map(|kinds| kinds.into_iter().map(kind).collect()),
        session_id: given(request.session_id.map(|id| id.into_string())).map(SessionId::new),
        serve_again: request.skip_served == Some(false),
        request_id: given(request.request_id.map(|id| id.into_string())).map(RequestId::new),
        include_covered: request.include_covered == Some(true),
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
        profiles: profiles(result.profiles, explain),
        agent_playbooks: agent_playbooks(result.agent_playbooks, explain),
        user_playbooks: user_playbooks(result.user_playbooks, explain),
        reformulated_query: result.reformulated,
        msg: if hidden > 0 { found_and_hidden(count, hidden) } else { found(count, "row") },
        hidden_unapproved: (hidden > 0).then_some(hidden),
        covered: (result.covered > 0).then_some(result.covered),
        degraded: Some(degraded),
    }))
}

/// The turns before the query, if it may be worded anew.
pub(super) fn reformulate(
    enabled: Option<bool>,
    history: Option<Vec<ConversationTurn>>,
) -> Option<Vec<PastTurn>> {
    let turn = |turn: ConversationTurn| PastTurn {
        role: turn.role.into_string(),
        content: turn.content.into_string(),
    };
    (enabled == Some(true)).then(|| history.unwrap_or_default().into_iter().map(turn).collect())
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

/// Whether the parts of scores are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Explain {
    Yes,
    No,
}

impl Explain {
    pub(super) fn asked(explain: Option<bool>) -> Self {
        if explain == Some(true) { Explain::Yes } else { Explain::No }
    }

    /// The score of a row that was searched for, and its parts if they were asked for.
    pub(super) fn show<T>(self, hit: &Hit<T>) -> (Option<f64>, Option<ScoreParts>) {
        let shown = hit.parts.filter(|_| self == Explain::Yes).map(|parts| ScoreParts {
            words: parts.words,
            context: parts.context,
            meaning: parts.meaning,
            speaker: parts.speaker,
            standing: parts.standing,
            recency: parts.recency,
        });
        (hit.parts.map(|parts| parts.score), shown)
    }
}

pub(super) fn profiles(result: Found<Profile>, explain: Explain) -> Vec<ProfileView> {
    let show = |hit: Hit<Profile>| {
        let (score, score_parts) = explain.show(&hit);
        ProfileView { score, score_parts, ..ProfileView::from(hit.row) }
    };
    result.rows.into_iter().map(show).collect()
}

pub(super) fn user_playbooks(result: Found<UserPlaybook>, explain: Explain) -> Vec<UserPlaybookView> {
    let show = |hit: Hit<UserPlaybook>| {
        let (score, score_parts) = explain.show(&hit);
        UserPlaybookView { score, score_parts, ..UserPlaybookView::from(hit.row) }
    };
    result.rows.into_iter().map(show).collect()
}

pub(super) fn agent_playbooks(result: Found<AgentPlaybook>, explain: Explain) -> Vec<AgentPlaybookView> {
    let show = |hit: Hit<AgentPlaybook>| {
        let (score, score_parts) = explain.show(&hit);
        AgentPlaybookView { score, score_parts, ..AgentPlaybookView::from(hit.row) }
    };
    result.rows.into_iter().map(show).collect()
}
