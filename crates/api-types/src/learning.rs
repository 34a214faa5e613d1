use reflexio_types::{Operation, OperationState, Stall, StallReason as DomainReason};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{NonBlank, SourceLabel};
use crate::time::{When, check_range};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LearningStatusQuery {
    pub request_id: String,
}

impl WireRequest for LearningStatusQuery {}

/// How far learning from a request is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LearningStatusResponse {
    /// `pending`, `processing`, `done` or `not_tracked`.
    pub status: String,
    pub reason: String,
}

#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OperationStatusQuery {
    /// `profile_generation` (if missing) or `playbook_generation`.
    pub service_name: Option<String>,
}

impl WireRequest for OperationStatusQuery {}

/// How a long operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationStatus {
    InProgress,
    Completed,
    Failed,
    Cancelled,
}

/// A long operation and how far it is.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OperationStatusInfo {
    pub service_name: String,
    pub status: OperationStatus,
    pub started_at: i64,
    pub completed_at: Option<i64>,
    pub total_users: u64,
    pub processed_users: u64,
    pub failed_users: u64,
    pub current_user_id: Option<String>,
    pub processed_user_ids: Vec<String>,
    #[schema(value_type = Vec<Object>)]
    pub failed_user_ids: Vec<Map<String, Value>>,
    #[schema(value_type = Object)]
    pub request_params: Map<String, Value>,
    #[schema(value_type = Object)]
    pub stats: Map<String, Value>,
    pub error_message: Option<String>,
    pub progress_percentage: f64,
}

impl From<Operation> for OperationStatusInfo {
    fn from(operation: Operation) -> Self {
        let processed = operation.processed_user_ids.len() as u64;
        let failed = operation.failed_user_ids.len() as u64;
        let done = if operation.total_users == 0 {
            0.0
        } else {
            (processed + failed) as f64 / operation.total_users as f64
        };
        Self {
            service_name: operation.service_name,
            status: match operation.state {
                OperationState::InProgress => OperationStatus::InProgress,
                OperationState::Completed => OperationStatus::Completed,
                OperationState::Failed => OperationStatus::Failed,
                OperationState::Cancelled => OperationStatus::Cancelled,
            },
            started_at: operation.started_at.0,
            completed_at: operation.completed_at.map(|at| at.0),
            total_users: operation.total_users,
            processed_users: processed,
            failed_users: failed,
            current_user_id: operation.current_user_id,
            processed_user_ids: operation.processed_user_ids,
            failed_user_ids: operation.failed_user_ids,
            request_params: operation.request_params,
            stats: operation.stats,
            error_message: operation.error_message,
            progress_percentage: (done * 100.0).clamp(0.0, 100.0),
        }
    }
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetOperationStatusResponse {
    pub success: bool,
    pub operation_status: Option<OperationStatusInfo>,
    pub msg: Option<String>,
}

/// Stop reruns.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CancelOperationRequest {
    /// `profile_generation` or `playbook_generation`; both if missing.
    pub service_name: Option<String>,
}

impl WireRequest for CancelOperationRequest {}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CancelOperationResponse {
    pub success: bool,
    #[serde(default)]
    pub cancelled_services: Vec<String>,
    pub msg: Option<String>,
}

/// Learn profiles again from all interactions.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RerunProfileGenerationRequest {
    pub user_id: Option<String>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    pub source: Option<SourceLabel>,
    /// Accepted for older clients; selects nothing.
    pub extractor_names: Option<Vec<String>>,
}

impl WireRequest for RerunProfileGenerationRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        check_range(self.start_time, self.end_time)
    }
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RerunProfileGenerationResponse {
    pub success: bool,
    pub msg: Option<String>,
    pub profiles_generated: Option<u64>,
    pub operation_id: Option<String>,
    /// As which what it changes can be undone.
    pub run_id: Option<String>,
}

/// Learn profiles now from the last window.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ManualProfileGenerationRequest {
    pub user_id: Option<String>,
    pub source: Option<SourceLabel>,
    /// Accepted for older clients; selects nothing.
    pub extractor_names: Option<Vec<String>>,
}

impl WireRequest for ManualProfileGenerationRequest {}

/// Learn playbooks again from all interactions.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RerunPlaybookGenerationRequest {
    pub agent_version: Option<String>,
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// Accepted for older clients; selects nothing.
    pub playbook_name: Option<String>,
    pub source: Option<SourceLabel>,
}

impl WireRequest for RerunPlaybookGenerationRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        check_range(self.start_time, self.end_time)
    }
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RerunPlaybookGenerationResponse {
    pub success: bool,
    pub msg: Option<String>,
    pub playbooks_generated: Option<u64>,
    pub operation_id: Option<String>,
    /// As which what it changes can be undone.
    pub run_id: Option<String>,
}

/// Learn playbooks now from the last window.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ManualPlaybookGenerationRequest {
    pub agent_version: Option<String>,
    pub source: Option<SourceLabel>,
    /// Accepted for older clients; selects nothing.
    pub playbook_name: Option<String>,
}

impl WireRequest for ManualPlaybookGenerationRequest {}

/// Make agent playbooks of user playbooks now.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunPlaybookAggregationRequest {
    pub agent_version: Option<String>,
    pub playbook_name: Option<NonBlank>,
}

impl WireRequest for RunPlaybookAggregationRequest {}

/// What an aggregation came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunPlaybookAggregationResponse {
    pub success: bool,
    pub message: String,
    pub clusters_found: u64,
    /// Proposals that wait for a person now.
    pub playbooks_generated: u64,
    /// As which what it changed can be undone: one for each type and version in which something changed.
    #[serde(default)]
    pub run_ids: Vec<String>,
}

/// Why learning is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StallReason {
    BillingError,
    AuthError,
}

/// Whether learning is paused. Nulls are sent: clients look for the keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StallStateResponse {
    pub stalled: bool,
    pub reason: Option<StallReason>,
    pub stalled_at: Option<String>,
    pub reset_estimate: Option<String>,
    pub notified_in_cc: bool,
    pub error_message: Option<String>,
}

impl From<Option<Stall>> for StallStateResponse {
    fn from(stall: Option<Stall>) -> Self {
        let Some(stall) = stall else { return Self::default() };
        Self {
            stalled: true,
            reason: Some(match stall.reason {
                // Clients know two reasons; the message says which money it is.
                DomainReason::BillingError | DomainReason::BudgetSpent => StallReason::BillingError,
                DomainReason::AuthError => StallReason::AuthError,
            }),
            stalled_at: Some(stall.stalled_at.to_iso()),
            reset_estimate: stall.reset_estimate.map(|at| at.to_iso()),
            notified_in_cc: stall.notified,
            error_message: stall.error_message,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MarkNotifiedResponse {
    pub notified_in_cc: bool,
}
