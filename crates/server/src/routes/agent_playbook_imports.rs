use axum::Json;
use reflexio_api_types::{
    ImportAction, ImportAgentPlaybooksRequest, ImportAgentPlaybooksResponse, ImportResult,
    ImportedAgentPlaybook,
};
use reflexio_app::{ImportAction as DomainAction, ImportOutcome, ImportedRule, RuleOutcome};
use reflexio_types::AgentPlaybookId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(import_agent_playbooks))
}

/// Bring agent playbooks back from files: edits become proposals, all of them or none
#[utoipa::path(post, path = "/api/agent_playbooks/import", tag = "agent playbooks",
    request_body = ImportAgentPlaybooksRequest,
    responses((status = 200, body = ImportAgentPlaybooksResponse), Failure))]
async fn import_agent_playbooks(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<ImportAgentPlaybooksRequest>,
) -> Result<Json<ImportAgentPlaybooksResponse>> {
    let request = body.value();
    let rules: Vec<ImportedRule> = request.agent_playbooks.into_iter().map(read).collect();
    let outcome = app.import_agent_playbooks(&caller, &rules, request.dry_run).await?;
    let (refused, msg) = (outcome.refused(), message(&outcome, request.dry_run));
    let results = outcome.rules.into_iter().map(result).collect();
    Ok(Json(ImportAgentPlaybooksResponse {
        success: refused == 0,
        applied: outcome.applied,
        results,
        msg: Some(msg),
    }))
}

fn message(outcome: &ImportOutcome, dry_run: bool) -> String {
    match outcome.refused() {
        0 if outcome.applied => "Imported".to_owned(),
        0 if dry_run => "Nothing was stored: this was a dry run".to_owned(),
        0 => "Nothing was changed in these files".to_owned(),
        refused => format!("Nothing was stored: {refused} rule(s) were refused"),
    }
}

fn read(rule: ImportedAgentPlaybook) -> ImportedRule {
    ImportedRule {
        id: rule.agent_playbook_id.map(|id| AgentPlaybookId(id.0)),
        exported_hash: given(rule.exported_hash),
        playbook_name: rule.playbook_name.unwrap_or_default(),
        agent_version: rule.agent_version,
        playbook_status: rule.playbook_status.unwrap_or_default().into(),
        trigger: rule.trigger,
        instruction: rule.instruction,
        pitfall: rule.pitfall,
        rationale: rule.rationale,
        content: rule.content,
    }
}

fn result(rule: RuleOutcome) -> ImportResult {
    let action = match rule.action {
        DomainAction::Unchanged => ImportAction::Unchanged,
        DomainAction::Added => ImportAction::Added,
        DomainAction::Proposed => ImportAction::Proposed,
        DomainAction::Edited => ImportAction::Edited,
        DomainAction::Approved => ImportAction::Approved,
        DomainAction::Rejected => ImportAction::Rejected,
        DomainAction::Refused => ImportAction::Refused,
    };
    ImportResult { action, agent_playbook_id: rule.id.map(|id| id.0), message: rule.message }
}
