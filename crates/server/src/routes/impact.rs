use axum::Json;
use axum::extract::Path;
use reflexio_api_types::{
    AgentPlaybookImpactResponse, ComparisonView, DifferenceView, ImpactEffect, ImpactPeers, ImpactQuery,
    ShareView, WordingImpactView,
};
use reflexio_app::{Comparison, Effect, IMPACT_CAVEAT, RuleImpact, WordingImpact};
use reflexio_store::Peers;
use reflexio_types::{AgentPlaybookId, Difference, Proportion};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Query, UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(agent_playbook_impact))
}

/// How often agents got a rule, and how sessions with it ended beside sessions without it
#[utoipa::path(get, path = "/api/agent_playbooks/{agent_playbook_id}/impact", tag = "agent playbooks",
    params(("agent_playbook_id" = i64, Path, description = "as in `agent_playbook_id`"), ImpactQuery),
    responses((status = 200, body = AgentPlaybookImpactResponse), Failure))]
async fn agent_playbook_impact(
    UseCases(app): UseCases,
    Who(caller): Who,
    Path(id): Path<String>,
    Query(query): Query<ImpactQuery>,
) -> Result<Json<AgentPlaybookImpactResponse>> {
    let compared_with = query.compared_with.unwrap_or_default();
    let peers = match compared_with {
        ImpactPeers::WithRules => Peers::WithRules,
        ImpactPeers::All => Peers::All,
    };
    let impact = app.agent_playbook_impact(&caller, rule(&id)?, peers).await?;
    Ok(Json(shown(impact, compared_with)))
}

/// What is no number names no rule.
fn rule(text: &str) -> Result<AgentPlaybookId> {
    let missing = || reflexio_app::Error::NotFound { what: "agent playbook", id: text.to_owned() };
    Ok(AgentPlaybookId(text.parse().map_err(|_| missing())?))
}

fn shown(impact: RuleImpact, compared_with: ImpactPeers) -> AgentPlaybookImpactResponse {
    AgentPlaybookImpactResponse {
        success: true,
        comparison: ComparisonView { summary: impact.sentence(), ..comparison(&impact.comparison) },
        agent_playbook_id: impact.rule.id.0,
        playbook_name: impact.rule.playbook_name,
        content: impact.rule.body.content,
        retrievals: impact.retrievals,
        sessions: impact.sessions,
        since: impact.span.map(|(first, _)| first.0),
        until: impact.span.map(|(_, last)| last.0),
        agent_versions: impact.agent_versions,
        compared_with,
        wordings: impact.wordings.iter().map(wording).collect(),
        incomplete: impact.cut,
        caveat: IMPACT_CAVEAT.to_owned(),
    }
}

fn wording(impact: &WordingImpact) -> WordingImpactView {
    WordingImpactView {
        revision: impact.revision as u64,
        wording: impact.used.wording.clone(),
        is_current: impact.is_current,
        retrievals: impact.used.retrievals,
        sessions: impact.used.sessions,
        first_used_at: impact.used.first.0,
        last_used_at: impact.used.last.0,
        comparison: comparison(&impact.comparison),
    }
}

fn comparison(found: &Comparison) -> ComparisonView {
    ComparisonView {
        effect: match found.effect() {
            Effect::TooFew => ImpactEffect::TooFew,
            Effect::Unclear => ImpactEffect::Unclear,
            Effect::Helps => ImpactEffect::Helps,
            Effect::Hurts => ImpactEffect::Hurts,
        },
        summary: found.sentence(),
        with: share(found.with),
        without: share(found.without),
        difference: found.difference.map(difference),
        told_sessions: found.told,
        judged_sessions: (found.with.total + found.without.total).saturating_sub(found.told),
    }
}

pub(super) fn share(of: Proportion) -> ShareView {
    let interval = of.interval();
    ShareView {
        count: of.successes,
        total: of.total,
        share: of.rate(),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    }
}

pub(super) fn difference(of: Difference) -> DifferenceView {
    DifferenceView { value: of.value, low: of.interval.low, high: of.interval.high }
}
