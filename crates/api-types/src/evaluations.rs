use std::collections::BTreeMap;

use reflexio_types::{Evaluation, LearningEvaluation};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{EpochSeconds, NonBlank, Positive, UpToThousand};
use crate::time::{When, has_time_range};

/// Which judged sessions to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetAgentSuccessEvaluationResultsRequest {
    /// How many: 100 if missing.
    pub limit: Option<Positive>,
    pub agent_version: Option<String>,
    pub user_id: Option<String>,
    pub session_id: Option<String>,
    /// When they were judged.
    pub start_time: Option<When>,
    pub end_time: Option<When>,
}

/// Which judged learnings to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetRetrievedLearningEvaluationResultsRequest {
    pub user_id: Option<String>,
    pub session_id: Option<String>,
    /// When they were judged.
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// How many: 100 if missing.
    pub limit: Option<UpToThousand>,
}

has_time_range!(GetAgentSuccessEvaluationResultsRequest, GetRetrievedLearningEvaluationResultsRequest);

/// A judged session.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EvaluationResultView {
    pub result_id: i64,
    pub user_id: String,
    pub agent_version: String,
    pub session_id: String,
    pub is_success: bool,
    /// `system_error`, `missing_tool`, `wrong_tool`, `insufficient_info_from_tool` or `wrong_answer`.
    pub failure_type: Option<String>,
    pub failure_reason: Option<String>,
    pub evaluation_name: Option<String>,
    pub created_at: i64,
    pub number_of_correction_per_session: u32,
    pub user_turns_to_resolution: Option<u32>,
    pub is_escalated: bool,
    pub tags: Option<Vec<String>>,
    /// The model with the version of its prompt, or `builtin`.
    pub evaluated_by: String,
    /// Whether the learnings that were served in the session are judged: `complete`, `degraded`, `not_applicable`.
    pub retrieved_learning_status: String,
}

impl From<Evaluation> for EvaluationResultView {
    fn from(row: Evaluation) -> Self {
        let is_success = row.verdict.is_success();
        let (failure_type, failure_reason) =
            row.verdict.failure.map(|failure| (failure.kind.as_str().to_owned(), failure.reason)).unzip();
        Self {
            result_id: row.id.0,
            user_id: row.user_id.into_string(),
            agent_version: row.agent_version,
            session_id: row.session_id.into_string(),
            is_success,
            failure_type,
            failure_reason,
            evaluation_name: row.evaluation_name,
            created_at: row.created_at.0,
            number_of_correction_per_session: row.verdict.corrections,
            user_turns_to_resolution: row.verdict.user_turns_to_resolution,
            is_escalated: row.verdict.is_escalated,
            tags: row.verdict.tags,
            evaluated_by: row.evaluated_by,
            retrieved_learning_status: row.learnings.as_str().to_owned(),
        }
    }
}

/// Judged sessions, latest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetEvaluationResultsViewResponse {
    pub success: bool,
    pub agent_success_evaluation_results: Vec<EvaluationResultView>,
    pub msg: Option<String>,
}

/// A learning that was served to the agent: whether it was to the point, and whether it helped.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RetrievedLearningEvaluationResult {
    pub result_id: i64,
    pub user_id: String,
    pub session_id: String,
    pub agent_version: String,
    pub interaction_id: i64,
    pub interaction_created_at: i64,
    /// `profile`, `user_playbook` or `agent_playbook`.
    pub kind: String,
    pub learning_id: String,
    /// Missing when nobody could tell.
    pub is_relevant: Option<bool>,
    pub relevance_reason: String,
    /// `positive`, `neutral` or `negative`.
    pub impact: Option<String>,
    pub impact_reason: String,
    pub created_at: i64,
    pub evaluated_by: String,
}

impl From<LearningEvaluation> for RetrievedLearningEvaluationResult {
    fn from(row: LearningEvaluation) -> Self {
        Self {
            result_id: row.id.0,
            user_id: row.user_id.into_string(),
            session_id: row.session_id.into_string(),
            agent_version: row.agent_version,
            interaction_id: row.interaction_id.0,
            interaction_created_at: row.interaction_created_at.0,
            kind: row.kind.as_str().to_owned(),
            learning_id: row.learning_id,
            is_relevant: row.is_relevant,
            relevance_reason: row.relevance_reason,
            impact: row.impact.map(|impact| impact.as_str().to_owned()),
            impact_reason: row.impact_reason,
            created_at: row.created_at.0,
            evaluated_by: row.evaluated_by,
        }
    }
}

/// Judged learnings, latest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetRetrievedLearningEvaluationResultsResponse {
    pub success: bool,
    pub results: Vec<RetrievedLearningEvaluationResult>,
    pub msg: Option<String>,
}

/// Which sessions to judge anew: those with a request in this time.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RegenerateRequest {
    /// Accepted for older clients; there is one evaluation.
    pub evaluation_name: Option<String>,
    pub from_ts: EpochSeconds,
    pub to_ts: EpochSeconds,
}

impl WireRequest for RegenerateRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        if self.from_ts.0 < self.to_ts.0 {
            return Vec::new();
        }
        vec![Detail::body("value_error", &["to_ts"], "Value error, to_ts must be after from_ts")]
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegenerateStartResponse {
    pub job_id: String,
    /// How many sessions are judged.
    pub total: u64,
}

/// How far a regeneration is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RegenerateStatusResponse {
    pub job_id: String,
    /// `running`, `completed`, `cancelled` or `error`.
    pub status: String,
    pub total: u64,
    pub completed: u64,
    pub failed: u64,
    /// At most 100 of them.
    pub failures: Vec<RegenerateFailure>,
    pub started_at: f64,
    /// Null while it runs: the public client insists on the field.
    pub finished_at: Option<f64>,
    pub total_candidates: u64,
    pub sampled_count: u64,
    pub concurrency_limit: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegenerateFailure {
    pub session_id: String,
    pub reason: String,
}

/// How a regeneration stands after it was asked to stop: `{"status": "cancelled"}`.
pub type CancelRegenerationResponse = BTreeMap<String, String>;

/// Which session to judge now.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GradeOnDemandRequest {
    pub session_id: NonBlank,
    pub agent_version: NonBlank,
    /// Accepted for older clients; there is one evaluation.
    pub evaluation_name: Option<String>,
    /// Whose session, where several users have one of this name.
    pub user_id: Option<String>,
}

impl WireRequest for GradeOnDemandRequest {}

/// The judgement, or why there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GradeOnDemandResponse {
    pub session_id: String,
    pub result_id: Option<i64>,
    /// Judged before, within a day and up to the last turn.
    pub cached: bool,
    pub skipped_reason: Option<String>,
    pub retrieved_learning_status: Option<String>,
}
