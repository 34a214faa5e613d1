use reflexio_types::{InteractionId, Profile, ProfileTimeToLive as DomainTtl};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{EpochSeconds, NonBlank, Positive, Share, SourceLabel, StatusName, shown_status};
use crate::object::objects;
use crate::requests::{MOST_IDS, check_ids};
use crate::search::{ScoreParts, SearchMode};
use crate::time::{When, has_time_range};

/// How long a fact about a user stays true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileTimeToLive {
    OneDay,
    OneWeek,
    OneMonth,
    OneQuarter,
    OneYear,
    #[default]
    Infinity,
}

impl From<DomainTtl> for ProfileTimeToLive {
    fn from(ttl: DomainTtl) -> Self {
        match ttl {
            DomainTtl::OneDay => ProfileTimeToLive::OneDay,
            DomainTtl::OneWeek => ProfileTimeToLive::OneWeek,
            DomainTtl::OneMonth => ProfileTimeToLive::OneMonth,
            DomainTtl::OneQuarter => ProfileTimeToLive::OneQuarter,
            DomainTtl::OneYear => ProfileTimeToLive::OneYear,
            DomainTtl::Infinity => ProfileTimeToLive::Infinity,
        }
    }
}

impl From<ProfileTimeToLive> for DomainTtl {
    fn from(ttl: ProfileTimeToLive) -> Self {
        match ttl {
            ProfileTimeToLive::OneDay => DomainTtl::OneDay,
            ProfileTimeToLive::OneWeek => DomainTtl::OneWeek,
            ProfileTimeToLive::OneMonth => DomainTtl::OneMonth,
            ProfileTimeToLive::OneQuarter => DomainTtl::OneQuarter,
            ProfileTimeToLive::OneYear => DomainTtl::OneYear,
            ProfileTimeToLive::Infinity => DomainTtl::Infinity,
        }
    }
}

/// A fact about one user.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProfileView {
    pub profile_id: String,
    pub user_id: String,
    pub content: String,
    pub last_modified_timestamp: i64,
    pub generated_from_request_id: String,
    pub profile_time_to_live: ProfileTimeToLive,
    pub expiration_timestamp: i64,
    #[schema(value_type = Option<Object>)]
    pub custom_features: Option<Map<String, Value>>,
    pub source: Option<String>,
    pub status: Option<StatusName>,
    pub extractor_names: Option<Vec<String>>,
    pub source_span: Option<String>,
    pub source_interaction_ids: Vec<i64>,
    pub tags: Vec<String>,
    pub learned_by: Option<String>,
    pub score: Option<f64>,
    /// What the score is made of, if that was asked for.
    pub score_parts: Option<ScoreParts>,
}

impl From<Profile> for ProfileView {
    fn from(row: Profile) -> Self {
        Self {
            profile_id: row.id.into_string(),
            user_id: row.user_id.into_string(),
            content: row.body.content,
            last_modified_timestamp: row.last_modified.0,
            generated_from_request_id: row.request_id.into_string(),
            profile_time_to_live: row.time_to_live.into(),
            expiration_timestamp: row.expires_at.0,
            custom_features: row.body.custom_features,
            source: row.source,
            status: shown_status(row.status),
            extractor_names: row.body.extractor_names,
            source_span: row.body.source_span,
            source_interaction_ids: row
                .body
                .source_interaction_ids
                .into_iter()
                .map(|InteractionId(id)| id)
                .collect(),
            tags: row.body.tags.unwrap_or_default(),
            learned_by: row.body.learned_by,
            score: None,
            score_parts: None,
        }
    }
}

/// Profiles of one user.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetUserProfilesRequest {
    pub user_id: NonBlank,
    pub profile_id: Option<String>,
    pub query: Option<String>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// 30 if missing.
    pub top_k: Option<Positive>,
    pub source: Option<SourceLabel>,
    pub profile_time_to_live: Option<ProfileTimeToLive>,
    /// CURRENT ones if missing.
    pub status_filter: Option<Vec<Option<StatusName>>>,
    pub tags: Option<Vec<String>>,
}

has_time_range!(GetUserProfilesRequest);

/// Profiles of everybody.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetAllProfilesQuery {
    /// 100 if missing.
    #[param(value_type = Option<i64>, minimum = 1)]
    pub limit: Option<Positive>,
    /// `current` if missing.
    #[param(inline)]
    pub status_filter: Option<StatusName>,
    pub user_id: Option<String>,
    pub profile_id: Option<String>,
    pub query: Option<String>,
    #[param(value_type = Option<String>, pattern = "^([a-z0-9][a-z0-9._:-]{0,127})?$")]
    pub source: Option<SourceLabel>,
    #[param(inline)]
    pub profile_time_to_live: Option<ProfileTimeToLive>,
    /// Seconds since 1970.
    #[param(inline)]
    pub start_time: Option<When>,
    #[param(inline)]
    pub end_time: Option<When>,
}

has_time_range!(GetAllProfilesQuery);

/// Profiles of one user that fit a query.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchUserProfileRequest {
    pub user_id: NonBlank,
    pub generated_from_request_id: Option<String>,
    pub request_id: Option<String>,
    pub session_id: Option<String>,
    pub query: Option<String>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// 10 if missing.
    pub top_k: Option<Positive>,
    pub source: Option<SourceLabel>,
    pub custom_feature: Option<String>,
    pub extractor_name: Option<String>,
    pub tags: Option<Vec<String>>,
    pub threshold: Option<Share>,
    pub enable_reformulation: Option<bool>,
    pub search_mode: Option<SearchMode>,
    /// Show what each score is made of.
    pub explain: Option<bool>,
    /// How much newer rows gain, 0 to 1; nothing if missing.
    pub recency: Option<Share>,
}

has_time_range!(SearchUserProfileRequest);

/// Profiles found.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProfilesViewResponse {
    pub success: bool,
    pub user_profiles: Vec<ProfileView>,
    pub msg: Option<String>,
    /// Meaning was asked for and only words were matched.
    pub degraded: Option<bool>,
}

/// A profile to add.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserProfile {
    /// Made by the server if missing or empty.
    pub profile_id: Option<String>,
    pub user_id: NonBlank,
    pub content: NonBlank,
    pub last_modified_timestamp: Option<EpochSeconds>,
    pub generated_from_request_id: Option<String>,
    pub profile_time_to_live: Option<ProfileTimeToLive>,
    pub expiration_timestamp: Option<EpochSeconds>,
    #[schema(value_type = Option<Object>)]
    pub custom_features: Option<Map<String, Value>>,
    pub source: Option<String>,
    pub status: Option<StatusName>,
    pub extractor_names: Option<Vec<String>>,
    pub expanded_terms: Option<String>,
    pub tags: Option<Vec<String>>,
    pub source_interaction_ids: Option<Vec<i64>>,
    pub source_span: Option<String>,
    pub notes: Option<String>,
    pub reader_angle: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddUserProfileRequest {
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 1000)]
    pub user_profiles: Vec<UserProfile>,
}

impl WireRequest for AddUserProfileRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        check_ids("user_profiles", self.user_profiles.len(), 1_000)
    }
}

/// By id, or every profile of the user that holds all words of `search_query`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteUserProfileRequest {
    pub user_id: NonBlank,
    pub profile_id: Option<String>,
    pub search_query: Option<String>,
}

impl WireRequest for DeleteUserProfileRequest {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteProfilesByIdsRequest {
    #[schema(min_items = 1, max_items = 10_000)]
    pub profile_ids: Vec<String>,
}

impl WireRequest for DeleteProfilesByIdsRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        check_ids("profile_ids", self.profile_ids.len(), MOST_IDS)
    }
}

/// Put a rerun's pending profiles into use.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpgradeProfilesRequest {
    /// Everybody if missing.
    pub user_id: Option<String>,
    pub profile_ids: Option<Vec<String>>,
    /// Leave users without pending profiles alone.
    pub only_affected_users: Option<bool>,
}

impl WireRequest for UpgradeProfilesRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        whole_users("an upgrade", self.profile_ids.as_deref())
    }
}

/// Half a user's profiles of one generation and half of another would contradict each other.
fn whole_users(step: &str, profile_ids: Option<&[String]>) -> Vec<Detail> {
    match profile_ids {
        Some([_, ..]) => {
            let message =
                format!("Value error, {step} is per user and cannot pick single profiles; use user_id");
            vec![Detail::body("value_error", &["profile_ids"], message)]
        }
        _ => Vec::new(),
    }
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpgradeProfilesResponse {
    pub success: bool,
    pub profiles_archived: u64,
    pub profiles_promoted: u64,
    pub profiles_deleted: u64,
    #[serde(default)]
    pub message: String,
    /// As which it can be undone; missing if nothing changed.
    pub run_id: Option<String>,
}

/// Take an upgrade of profiles back.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DowngradeProfilesRequest {
    /// Everybody if missing.
    pub user_id: Option<String>,
    pub profile_ids: Option<Vec<String>>,
    /// Leave users without archived profiles alone.
    pub only_affected_users: Option<bool>,
}

impl WireRequest for DowngradeProfilesRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        whole_users("a downgrade", self.profile_ids.as_deref())
    }
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DowngradeProfilesResponse {
    pub success: bool,
    pub profiles_demoted: u64,
    pub profiles_restored: u64,
    #[serde(default)]
    pub message: String,
    /// As which it can be undone; missing if nothing changed.
    pub run_id: Option<String>,
}

/// A profile in the one answer whose clients look for every key: what is missing is null.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct WithNulls(pub ProfileView);

impl Serialize for WithNulls {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut profile = serde_json::to_value(&self.0).map_err(serde::ser::Error::custom)?;
        if let Some(fields) = profile.as_object_mut() {
            for key in ["custom_features", "source", "status", "extractor_names", "source_span"] {
                fields.entry(key).or_insert(Value::Null);
            }
        }
        profile.serialize(serializer)
    }
}

/// What one request did to a user's profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProfileChangeLogView {
    pub id: i64,
    pub user_id: String,
    pub request_id: String,
    pub created_at: i64,
    #[schema(value_type = Vec<ProfileView>)]
    pub added_profiles: Vec<WithNulls>,
    #[schema(value_type = Vec<ProfileView>)]
    pub removed_profiles: Vec<WithNulls>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProfileChangeLogViewResponse {
    pub success: bool,
    pub profile_change_logs: Vec<ProfileChangeLogView>,
}
