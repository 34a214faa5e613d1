use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::NonBlank;

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthResponse {
    /// `healthy`, or `unhealthy` with a 503.
    pub status: String,
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

#[skip_serializing_none]
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
    pub key_id: Option<String>,
}

#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StorageStatsQuery {
    pub user_id: Option<String>,
}

impl WireRequest for StorageStatsQuery {}

#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StorageStatsResponse {
    pub success: bool,
    pub profile_count: u64,
    /// User and agent playbooks together; of one user, only the user playbooks.
    pub playbook_count: u64,
    pub user_playbook_count: u64,
    pub agent_playbook_count: u64,
    pub interaction_count: u64,
    pub request_count: u64,
    pub oldest_profile_modified: Option<String>,
    pub newest_profile_modified: Option<String>,
    pub msg: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClearUserDataRequest {
    pub user_id: NonBlank,
}

impl WireRequest for ClearUserDataRequest {}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClearUserDataResponse {
    pub success: bool,
    pub deleted_counts: BTreeMap<String, u64>,
    pub message: Option<String>,
}
