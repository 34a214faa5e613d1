use std::collections::BTreeMap;

use axum::Json;
use reflexio_api_types::{
    ClearUserDataRequest, ClearUserDataResponse, StorageStatsQuery, StorageStatsResponse, WhoamiResponse,
};
use reflexio_types::UserId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given;
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(whoami))
        .routes(routes!(storage_stats))
        .routes(routes!(clear_user_data))
}

/// Who the caller is to this server
#[utoipa::path(get, path = "/api/whoami", tag = "server", responses((status = 200, body = WhoamiResponse), Failure))]
async fn whoami(UseCases(app): UseCases, Who(caller): Who) -> Json<WhoamiResponse> {
    let who = app.whoami(&caller);
    Json(WhoamiResponse {
        success: true,
        org_id: who.org.into_string(),
        storage_type: who.storage_type.to_owned(),
        storage_label: who.storage_label,
        storage_configured: true,
        message: String::new(),
        scopes: caller.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        key_id: caller.key.map(|key| key.0),
    })
}

/// How much is stored
#[utoipa::path(get, path = "/api/storage_stats", tag = "server", params(StorageStatsQuery),
    responses((status = 200, body = StorageStatsResponse), Failure))]
async fn storage_stats(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<StorageStatsQuery>,
) -> Result<Json<StorageStatsResponse>> {
    let user_id = given(query.user_id).map(UserId::new);
    let stats = app.storage_stats(&caller, user_id.as_ref()).await?;
    // Agent playbooks belong to nobody, so they do not count for one user.
    let shared = if user_id.is_some() { 0 } else { stats.agent_playbook_count };
    let playbook_count = stats.user_playbook_count + shared;
    Ok(Json(StorageStatsResponse {
        success: true,
        profile_count: stats.profile_count,
        playbook_count,
        user_playbook_count: stats.user_playbook_count,
        agent_playbook_count: stats.agent_playbook_count,
        interaction_count: stats.interaction_count,
        request_count: stats.request_count,
        oldest_profile_modified: stats.oldest_profile_modified.map(|at| at.to_iso()),
        newest_profile_modified: stats.newest_profile_modified.map(|at| at.to_iso()),
        msg: Some(format!("Found {} profile(s) and {playbook_count} playbook(s)", stats.profile_count)),
    }))
}

/// Erase everything that belongs to one user; agent playbooks stay
#[utoipa::path(post, path = "/api/clear_user_data", tag = "server", request_body = ClearUserDataRequest,
    responses((status = 200, body = ClearUserDataResponse), Failure))]
async fn clear_user_data(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<ClearUserDataRequest>,
) -> Result<Json<ClearUserDataResponse>> {
    let user_id = UserId::new(body.value().user_id.into_string());
    let counts = app.clear_user(&caller, &user_id).await?;
    let deleted_counts = BTreeMap::from([
        ("interactions".to_owned(), counts.interactions),
        ("requests".to_owned(), counts.requests),
        ("profiles".to_owned(), counts.profiles),
        ("user_playbooks".to_owned(), counts.user_playbooks),
        ("jobs".to_owned(), counts.jobs),
        ("images".to_owned(), counts.images),
        ("model_calls".to_owned(), counts.model_calls),
        ("session_outcomes".to_owned(), counts.session_outcomes),
        ("evaluations".to_owned(), counts.evaluations),
        ("shadow_comparisons".to_owned(), counts.shadow_comparisons),
        ("optimizations".to_owned(), counts.optimizations),
        ("injections".to_owned(), counts.injections),
        // The public client's names for things that this server does not keep apart.
        ("purged_profiles".to_owned(), 0),
        ("purged_user_playbooks".to_owned(), 0),
    ]);
    let total: u64 = deleted_counts.values().sum();
    let message = Some(format!("Cleared {total} row(s) for user '{user_id}'"));
    Ok(Json(ClearUserDataResponse { success: true, deleted_counts, message }))
}
