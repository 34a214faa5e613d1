use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::NonBlank;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthResponse {
    /// `healthy`, or `unhealthy` with a 503.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VersionResponse {
    pub server_version: String,
    pub api_version: String,
    pub min_client_version: String,
}

/// Where to go from the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RootResponse {
    pub service: String,
    pub docs: String,
    pub health: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WhoamiResponse {
    pub success: bool,
    pub org_id: String,
    pub storage_type: String,
    pub storage_label: String,
    pub storage_configured: bool,
    #[serde(default)]
    pub message: String,
    /// What the key may do: `read`, `write`, `review`, `admin`.
    pub scopes: Vec<String>,
    /// The public part of the key; missing on a server without keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StorageStatsQuery {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
}

impl WireRequest for StorageStatsQuery {}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StorageStatsResponse {
    pub success: bool,
    pub profile_count: u64,
    /// User and agent playbooks together.
    pub playbook_count: u64,
    pub user_playbook_count: u64,
    pub agent_playbook_count: u64,
    pub interaction_count: u64,
    pub request_count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_profile_modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_profile_modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub msg: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClearUserDataRequest {
    pub user_id: NonBlank,
}

impl WireRequest for ClearUserDataRequest {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClearUserDataResponse {
    pub success: bool,
    pub deleted_counts: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
