use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::agent_playbooks::AgentPlaybookView;
use crate::body::WireRequest;
use crate::field::{NonNegative, UpToThousand};
use crate::impact::{DifferenceView, ShareView};
use crate::time::{When, has_time_range};

/// Which playbooks are counted.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AnalyticsQuery {
    /// The last so many days count as recent; 7 if missing.
    pub days: Option<UpToThousand>,
    /// Instead of `days`.
    #[param(value_type = Option<String>)]
    pub start_time: Option<When>,
    #[param(value_type = Option<String>)]
    pub end_time: Option<When>,
    pub playbook_name: Option<String>,
    /// One version, or several with commas between them.
    pub agent_version: Option<String>,
    /// For the review: how many proposals, 50 if missing.
    pub limit: Option<UpToThousand>,
}

has_time_range!(AnalyticsQuery);

/// How many of something, in all and recently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CountView {
    pub key: String,
    pub total: u64,
    pub recent: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DayCountView {
    /// UTC.
    pub day: String,
    pub count: u64,
}

/// User playbooks, counted. Those that live on in another row count only in `by_status`.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserPlaybookCountsView {
    pub total: u64,
    pub recent: u64,
    pub daily_average: Option<f64>,
    /// The most first.
    pub by_type: Vec<CountView>,
    pub by_version: Vec<CountView>,
    pub by_status: Vec<CountView>,
    /// Recent ones; days without any are missing.
    pub by_day: Vec<DayCountView>,
}

/// Agent playbooks, counted. Those that are not in use count only in `by_status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybookCountsView {
    pub total: u64,
    pub recent: u64,
    /// What people decided: `pending`, `approved`, `rejected`.
    pub by_decision: Vec<CountView>,
    pub by_type: Vec<CountView>,
    pub by_version: Vec<CountView>,
    pub by_status: Vec<CountView>,
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookAnalyticsResponse {
    pub success: bool,
    /// What counts as recent.
    pub since: i64,
    pub until: Option<i64>,
    pub days: Option<f64>,
    pub user_playbooks: UserPlaybookCountsView,
    pub agent_playbooks: AgentPlaybookCountsView,
}

/// What conversations of one version of the agent taught.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VersionAnalyticsView {
    pub agent_version: String,
    /// User playbooks that were made.
    pub playbooks: u64,
    /// Different requests that they came from.
    pub unique_requests: u64,
    /// Missing if there are none.
    pub playbooks_per_request: Option<f64>,
    pub published_requests: u64,
    /// Of the published requests, those that taught something.
    pub taught: ShareView,
    /// Of that share, to the first version of the answer.
    pub difference_to_first: Option<DifferenceView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VersionAnalyticsResponse {
    pub success: bool,
    pub since: i64,
    /// In the order in which they were asked for; by name if all were.
    pub versions: Vec<VersionAnalyticsView>,
}

/// An agent playbook that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WaitingPlaybookView {
    pub waiting_days: i64,
    #[serde(flatten)]
    pub playbook: AgentPlaybookView,
}

/// What a person should look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookReviewResponse {
    pub success: bool,
    pub since: i64,
    /// New since then, by type.
    pub new_user_playbooks: Vec<CountView>,
    pub new_agent_playbooks: Vec<CountView>,
    pub waiting: u64,
    /// The longest waiting first.
    pub longest_waiting: Vec<WaitingPlaybookView>,
}

/// What is expected.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HealthQuery {
    /// So many new user playbooks in 24 hours; any number will do if missing.
    pub min_daily: Option<NonNegative>,
    /// Proposals are decided within so many days; 7 if missing.
    pub pending_days: Option<UpToThousand>,
}

impl WireRequest for HealthQuery {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    Ok,
    /// A person should look at it.
    Attention,
}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthCheckView {
    /// `collection`, `types`, `learning`, `jobs`, `budget`, `review` or `embeddings`.
    pub name: String,
    pub status: HealthStatus,
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Whether playbooks come, are learned and reviewed as they should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookHealthResponse {
    pub success: bool,
    pub status: HealthStatus,
    pub checks: Vec<HealthCheckView>,
}
