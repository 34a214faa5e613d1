use axum::Json;
use reflexio_api_types::{
    AddUserProfileRequest, Added, BulkDeleteResponse, DeleteProfilesByIdsRequest, DeleteUserProfileRequest,
    Done, DowngradeProfilesRequest, DowngradeProfilesResponse, GetAllProfilesQuery, GetUserProfilesRequest,
    ProfileChangeLogView, ProfileChangeLogViewResponse, ProfileView, ProfilesViewResponse,
    SearchUserProfileRequest, UpgradeProfilesRequest, UpgradeProfilesResponse, UserProfile, WithNulls,
    statuses,
};
use reflexio_app::{AsRun, Found, NewProfile, SearchOptions};
use reflexio_store::{ProfileChange, ProfileFilter};
use reflexio_types::{
    InteractionId, Profile, ProfileBody, ProfileId, RequestId, RunId, Status, Timestamp, UserId,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::search::Explain;
use super::{found, given};
use crate::AppState;
use crate::error::{Failure, Result};
use crate::extract::{Body, Query, UseCases, Who};

const DEFAULT_LISTED: usize = 30;
const DEFAULT_ALL: usize = 100;
const DEFAULT_FOUND: usize = 10;
/// The request id of profiles that no conversation taught.
const ADDED_BY_HAND: &str = "api-manual";

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_profiles))
        .routes(routes!(get_all_profiles))
        .routes(routes!(search_profiles))
        .routes(routes!(add_user_profile))
        .routes(routes!(delete_profile))
        .routes(routes!(delete_profiles_by_ids))
        .routes(routes!(delete_all_profiles))
        .routes(routes!(upgrade_all_profiles))
        .routes(routes!(downgrade_all_profiles))
        .routes(routes!(profile_change_log))
}

fn current_unless_asked(asked: Vec<Status>) -> Vec<Status> {
    if asked.is_empty() { vec![Status::Current] } else { asked }
}

/// Profiles of one user, newest change first
#[utoipa::path(post, path = "/api/get_profiles", tag = "profiles", request_body(content = GetUserProfilesRequest, example = json!({"user_id": "user_123"})),
    responses((status = 200, body = ProfilesViewResponse), Failure))]
async fn get_profiles(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<GetUserProfilesRequest>,
) -> Result<Json<ProfilesViewResponse>> {
    let request = body.value();
    let filter = ProfileFilter {
        time: request.time(),
        user_id: Some(UserId::new(request.user_id.into_string())),
        profile_id: given(request.profile_id).map(ProfileId::new),
        source: request.source.map(|source| source.into_string()).filter(|source| !source.is_empty()),
        time_to_live: request.profile_time_to_live.map(Into::into),
        status: current_unless_asked(statuses(request.status_filter)),
        tags: request.tags.unwrap_or_default(),
        ..ProfileFilter::default()
    };
    let limit = request.top_k.map_or(DEFAULT_LISTED, |k| k.as_usize());
    let query = given(request.query);
    Ok(Json(listed(app.profiles(&caller, filter, query.as_deref(), limit).await?)))
}

/// Profiles of everybody, newest change first
#[utoipa::path(get, path = "/api/get_all_profiles", tag = "profiles", params(GetAllProfilesQuery),
    responses((status = 200, body = ProfilesViewResponse), Failure))]
async fn get_all_profiles(
    UseCases(app): UseCases,
    Who(caller): Who,
    Query(query): Query<GetAllProfilesQuery>,
) -> Result<Json<ProfilesViewResponse>> {
    let filter = ProfileFilter {
        time: query.time(),
        user_id: given(query.user_id).map(UserId::new),
        profile_id: given(query.profile_id).map(ProfileId::new),
        source: query.source.map(|source| source.into_string()).filter(|source| !source.is_empty()),
        time_to_live: query.profile_time_to_live.map(Into::into),
        status: vec![query.status_filter.map_or(Status::Current, |name| name.0)],
        ..ProfileFilter::default()
    };
    let limit = query.limit.map_or(DEFAULT_ALL, |limit| limit.as_usize());
    let text = given(query.query);
    Ok(Json(listed(app.profiles(&caller, filter, text.as_deref(), limit).await?)))
}

/// Profiles of one user that fit a query
#[utoipa::path(post, path = "/api/search_profiles", tag = "profiles", request_body = SearchUserProfileRequest,
    responses((status = 200, body = ProfilesViewResponse), Failure))]
async fn search_profiles(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<SearchUserProfileRequest>,
) -> Result<Json<ProfilesViewResponse>> {
    let request = body.value();
    let filter = ProfileFilter {
        time: request.time(),
        user_id: Some(UserId::new(request.user_id.into_string())),
        request_id: given(request.generated_from_request_id).map(RequestId::new),
        source: request.source.map(|source| source.into_string()).filter(|source| !source.is_empty()),
        tags: request.tags.unwrap_or_default(),
        custom_feature: given(request.custom_feature),
        extractor_name: given(request.extractor_name),
        status: vec![Status::Current],
        ..ProfileFilter::default()
    };
    let options = SearchOptions {
        query: given(request.query),
        mode: super::search::mode(request.search_mode),
        top_k: request.top_k.map_or(DEFAULT_FOUND, |k| k.as_usize()),
        threshold: request.threshold.map(|share| share.0),
        recency: request.recency.map_or(0.0, |share| share.0),
        reformulate: super::search::reformulate(request.enable_reformulation, None),
    };
    let explain = Explain::asked(request.explain);
    Ok(Json(matched(app.search_profiles(&caller, filter, &options).await?, explain)))
}

/// Add profiles by hand
#[utoipa::path(post, path = "/api/add_user_profile", tag = "profiles", request_body = AddUserProfileRequest,
    responses((status = 200, body = Added), Failure))]
async fn add_user_profile(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<AddUserProfileRequest>,
) -> Result<Json<Added>> {
    let new = body.value().user_profiles.into_iter().map(read).collect();
    let count = app.add_profiles(&caller, new).await?;
    let message = Some(format!("Added {count} profile(s)"));
    Ok(Json(Added { success: true, message, added_count: count as u64, ids: None }))
}

fn read(profile: UserProfile) -> NewProfile {
    NewProfile {
        id: given(profile.profile_id).map(ProfileId::new),
        user_id: UserId::new(profile.user_id.into_string()),
        request_id: RequestId::new(
            given(profile.generated_from_request_id).unwrap_or_else(|| ADDED_BY_HAND.to_owned()),
        ),
        last_modified: profile.last_modified_timestamp.map(|at| Timestamp(at.0)),
        time_to_live: profile.profile_time_to_live.unwrap_or_default().into(),
        expires_at: profile.expiration_timestamp.map(|at| Timestamp(at.0)),
        source: profile.source,
        status: profile.status.map_or(Status::Current, |name| name.0),
        body: ProfileBody {
            content: profile.content.into_string(),
            custom_features: profile.custom_features,
            extractor_names: profile.extractor_names,
            expanded_terms: profile.expanded_terms,
            tags: profile.tags,
            source_interaction_ids: profile
                .source_interaction_ids
                .unwrap_or_default()
                .into_iter()
                .map(InteractionId)
                .collect(),
            source_span: profile.source_span,
            notes: profile.notes,
            reader_angle: profile.reader_angle,
            ..ProfileBody::default()
        },
    }
}

/// Delete a user's profile by id, or those that hold every word of a query
#[utoipa::path(delete, path = "/api/delete_profile", tag = "profiles", request_body = DeleteUserProfileRequest,
    responses((status = 200, body = Done), Failure))]
async fn delete_profile(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteUserProfileRequest>,
) -> Result<Json<Done>> {
    let request = body.value();
    let user_id = UserId::new(request.user_id.into_string());
    let message = match (given(request.profile_id), given(request.search_query)) {
        (Some(id), _) => {
            app.delete_profile(&caller, user_id, ProfileId::new(id)).await?;
            "Deleted successfully".to_owned()
        }
        (None, Some(query)) => {
            let count = app.delete_profiles_matching(&caller, user_id, &query).await?;
            format!("Deleted {count} profile(s)")
        }
        (None, None) => {
            let message = "nothing was deleted: give profile_id or search_query".to_owned();
            return Ok(Json(Done { success: false, message }));
        }
    };
    Ok(Json(Done { success: true, message }))
}

/// Delete several profiles
#[utoipa::path(delete, path = "/api/delete_profiles_by_ids", tag = "profiles",
    request_body = DeleteProfilesByIdsRequest, responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_profiles_by_ids(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DeleteProfilesByIdsRequest>,
) -> Result<Json<BulkDeleteResponse>> {
    let ids = body.value().profile_ids.into_iter().map(ProfileId::new).collect();
    Ok(Json(BulkDeleteResponse::new(app.delete_profiles(&caller, ids).await?)))
}

/// Delete every profile of the org
#[utoipa::path(delete, path = "/api/delete_all_profiles", tag = "profiles",
    responses((status = 200, body = BulkDeleteResponse), Failure))]
async fn delete_all_profiles(UseCases(app): UseCases, Who(caller): Who) -> Result<Json<BulkDeleteResponse>> {
    Ok(Json(BulkDeleteResponse::new(app.delete_all_profiles(&caller).await?)))
}

/// Put a rerun's pending profiles into use
#[utoipa::path(post, path = "/api/upgrade_all_profiles", tag = "profiles", request_body = UpgradeProfilesRequest,
    responses((status = 200, body = UpgradeProfilesResponse), Failure))]
async fn upgrade_all_profiles(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<UpgradeProfilesRequest>,
) -> Result<Json<UpgradeProfilesResponse>> {
    let request = body.value();
    let user_id = given(request.user_id).map(UserId::new);
    let only_affected = request.only_affected_users.unwrap_or_default();
    let AsRun { done, run } = app.upgrade_profiles(&caller, user_id.as_ref(), only_affected).await?;
    Ok(Json(UpgradeProfilesResponse {
        success: done.promoted > 0,
        profiles_archived: done.archived,
        profiles_promoted: done.promoted,
        profiles_deleted: done.deleted,
        message: super::upgraded(done),
        run_id: run.map(RunId::into_string),
    }))
}

/// Take an upgrade back: archived and current profiles change places
#[utoipa::path(post, path = "/api/downgrade_all_profiles", tag = "profiles",
    request_body = DowngradeProfilesRequest,
    responses((status = 200, body = DowngradeProfilesResponse), Failure))]
async fn downgrade_all_profiles(
    UseCases(app): UseCases,
    Who(caller): Who,
    body: Body<DowngradeProfilesRequest>,
) -> Result<Json<DowngradeProfilesResponse>> {
    let request = body.value();
    let user_id = given(request.user_id).map(UserId::new);
    let only_affected = request.only_affected_users.unwrap_or_default();
    let AsRun { done, run } = app.downgrade_profiles(&caller, user_id.as_ref(), only_affected).await?;
    Ok(Json(DowngradeProfilesResponse {
        success: done.restored > 0,
        profiles_demoted: done.demoted,
        profiles_restored: done.restored,
        message: super::downgraded(done),
        run_id: run.map(RunId::into_string),
    }))
}

/// What conversations did to profiles, newest first
#[utoipa::path(get, path = "/api/profile_change_log", tag = "profiles",
    responses((status = 200, body = ProfileChangeLogViewResponse), Failure))]
async fn profile_change_log(
    UseCases(app): UseCases,
    Who(caller): Who,
) -> Result<Json<ProfileChangeLogViewResponse>> {
    let changes = app.profile_changes(&caller).await?;
    let profile_change_logs = changes.into_iter().map(shown_change).collect();
    Ok(Json(ProfileChangeLogViewResponse { success: true, profile_change_logs }))
}

fn shown_change(change: ProfileChange) -> ProfileChangeLogView {
    let shown =
        |profiles: Vec<Profile>| profiles.into_iter().map(|row| WithNulls(ProfileView::from(row))).collect();
    ProfileChangeLogView {
        id: change.id,
        user_id: change.user_id.into_string(),
        request_id: change.request_id.into_string(),
        created_at: change.created_at.0,
        added_profiles: shown(change.added),
        removed_profiles: shown(change.removed),
    }
}

fn listed(rows: Vec<Profile>) -> ProfilesViewResponse {
    let msg = found(rows.len(), "profile");
    let user_profiles = rows.into_iter().map(ProfileView::from).collect();
    ProfilesViewResponse { success: true, user_profiles, msg, degraded: None }
}

fn matched(result: Found<Profile>, explain: Explain) -> ProfilesViewResponse {
    let msg = found(result.rows.len(), "matching profile");
    let degraded = result.degraded.then_some(true);
    ProfilesViewResponse {
        success: true,
        user_profiles: super::search::profiles(result, explain),
        msg,
        degraded,
    }
}
