use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::NonBlank;

/// Propose the approved rules of one agent version for another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CarryAgentPlaybooksRequest {
    pub from_version: NonBlank,
    pub to_version: NonBlank,
    /// Only say what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// `to_version` may be one that nothing was published with yet.
    #[serde(default)]
    pub allow_new_version: bool,
}

impl WireRequest for CarryAgentPlaybooksRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        if self.from_version != self.to_version {
            return Vec::new();
        }
        let message = "Value error, to_version is the same as from_version; name another one";
        vec![Detail::body("value_error", &["to_version"], message)]
    }
}

/// A rule that is proposed for the new version.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CarriedPlaybookView {
    pub carried_from: i64,
    /// Missing in a dry run.
    pub agent_playbook_id: Option<i64>,
}

/// A rule that is not proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeftOutPlaybookView {
    pub agent_playbook_id: i64,
    pub reason: String,
}

/// What was carried over, or would be.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CarryAgentPlaybooksResponse {
    pub success: bool,
    pub dry_run: bool,
    pub carried: Vec<CarriedPlaybookView>,
    pub left_out: Vec<LeftOutPlaybookView>,
    /// As which it can be undone; missing if nothing was carried.
    pub run_id: Option<String>,
    pub msg: Option<String>,
}
