use reflexio_types::{ExperimentArm as DomainArm, Request};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{NonBlank, NonNegative, Positive, SourceLabel};
use crate::interactions::InteractionView;
use crate::publish::ExperimentArm;
use crate::time::{When, has_time_range};

/// The most ids one bulk delete may name.
pub const MOST_IDS: usize = 10_000;

/// One publish call.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestView {
    pub request_id: String,
    pub user_id: String,
    pub created_at: i64,
    pub source: String,
    pub agent_version: String,
    pub session_id: String,
    pub evaluation_only: bool,
    pub retrieval_experiment_id: Option<String>,
    pub retrieval_experiment_arm: Option<ExperimentArm>,
}

impl From<Request> for RequestView {
    fn from(request: Request) -> Self {
        let (experiment_id, arm) = request.experiment.map(|it| (it.id, it.arm.into())).unzip();
        Self {
            request_id: request.id.into_string(),
            user_id: request.user_id.into_string(),
            created_at: request.created_at.0,
            source: request.source,
            agent_version: request.agent_version,
            session_id: request.session_id.into_string(),
            evaluation_only: request.intent.evaluation_only,
            retrieval_experiment_id: experiment_id,
            retrieval_experiment_arm: arm,
        }
    }
}

impl From<DomainArm> for ExperimentArm {
    fn from(arm: DomainArm) -> Self {
        match arm {
            DomainArm::Treatment => ExperimentArm::Treatment,
            DomainArm::Holdout => ExperimentArm::Holdout,
        }
    }
}

impl From<ExperimentArm> for DomainArm {
    fn from(arm: ExperimentArm) -> Self {
        match arm {
            ExperimentArm::Treatment => DomainArm::Treatment,
            ExperimentArm::Holdout => DomainArm::Holdout,
        }
    }
}

/// A publish call with its turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RequestDataView {
    pub request: RequestView,
    pub interactions: Vec<InteractionView>,
}

/// The publish calls of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionView {
    pub session_id: String,
    pub requests: Vec<RequestDataView>,
}

/// Sessions with a matching request.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetRequestsRequest {
    pub user_id: Option<String>,
    pub request_id: Option<String>,
    pub session_id: Option<String>,
    pub source: Option<SourceLabel>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// How many sessions: 30 if missing.
    pub top_k: Option<Positive>,
    /// How many sessions to pass over.
    pub offset: Option<NonNegative>,
}

has_time_range!(GetRequestsRequest);

/// A page of sessions.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetRequestsViewResponse {
    pub success: bool,
    pub sessions: Vec<SessionView>,
    pub has_more: bool,
    pub msg: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteRequestRequest {
    pub request_id: NonBlank,
}

impl WireRequest for DeleteRequestRequest {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteSessionRequest {
    pub session_id: NonBlank,
}

impl WireRequest for DeleteSessionRequest {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeleteSessionResponse {
    pub success: bool,
    #[serde(default)]
    pub message: String,
    pub deleted_requests_count: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeleteRequestsByIdsRequest {
    #[schema(min_items = 1, max_items = 10_000)]
    pub request_ids: Vec<String>,
}

impl WireRequest for DeleteRequestsByIdsRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        check_ids("request_ids", self.request_ids.len(), MOST_IDS)
    }
}

/// A list that must hold something, but not too much.
pub(crate) fn check_ids(field: &str, length: usize, most: usize) -> Vec<Detail> {
    let (kind, message) = match length {
        0 => ("too_short", "List should have at least 1 item after validation, not 0".to_owned()),
        _ if length > most => ("too_long", format!("List should have at most {most} items, not {length}")),
        _ => return Vec::new(),
    };
    vec![Detail::body(kind, &[field], message)]
}
