use reflexio_types::{OutcomeKind as DomainKind, SessionOutcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{EpochSeconds, Label, NonBlank, NonNegative, SourceLabel, UpToThousand};

/// The most that metadata may take up, as JSON.
const MOST_METADATA_BYTES: usize = 16_384;
const MOST_SESSIONS: usize = 100;

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionOutcomeKind {
    Success,
    Failure,
    Unknown,
}

impl From<SessionOutcomeKind> for DomainKind {
    fn from(kind: SessionOutcomeKind) -> Self {
        match kind {
            SessionOutcomeKind::Success => DomainKind::Success,
            SessionOutcomeKind::Failure => DomainKind::Failure,
            SessionOutcomeKind::Unknown => DomainKind::Unknown,
        }
    }
}

impl From<DomainKind> for SessionOutcomeKind {
    fn from(kind: DomainKind) -> Self {
        match kind {
            DomainKind::Success => SessionOutcomeKind::Success,
            DomainKind::Failure => SessionOutcomeKind::Failure,
            DomainKind::Unknown => SessionOutcomeKind::Unknown,
        }
    }
}

/// How a session ended. It can be said once; saying the same again changes nothing.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SetSessionOutcomeRequest {
    pub session_id: NonBlank,
    pub outcome: SessionOutcomeKind,
    /// When it showed; seconds since 1970.
    pub occurred_at: EpochSeconds,
    pub label: Option<Label>,
    pub value: Option<f64>,
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// Whose session, where several users have one of this name; else that of its earliest request.
    pub user_id: Option<String>,
}

impl WireRequest for SetSessionOutcomeRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        let size = self
            .metadata
            .as_ref()
            .map_or(0, |fields| serde_json::to_vec(fields).map_or(0, |bytes| bytes.len()));
        if size <= MOST_METADATA_BYTES {
            return Vec::new();
        }
        let message = format!("Value error, metadata must encode to at most {MOST_METADATA_BYTES} bytes");
        vec![Detail::body("value_error", &["metadata"], message)]
    }
}

/// Why an outcome was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionOutcomeFailureReason {
    ConflictingFinalization,
    UnknownSession,
    OccurredBeforeSession,
    OccurredInFuture,
    AfterOutcomeWindow,
    SubjectNotWritable,
    StorageError,
}

/// What became of an outcome. The four fields of its identity come together or not at all.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SetSessionOutcomeResponse {
    pub success: bool,
    /// Whether it was stored now; false for a repetition.
    pub recorded: bool,
    pub reason: Option<SessionOutcomeFailureReason>,
    #[serde(default)]
    pub message: String,
    pub user_id: Option<String>,
    pub source: Option<String>,
    pub outcome_id: Option<String>,
    pub outcome_revision: Option<u32>,
    pub outcome_contract_digest: Option<String>,
    pub finalized_trajectory_digest: Option<String>,
}

/// An outcome is never changed, so there is one revision of it.
const REVISION: u32 = 1;

impl SetSessionOutcomeResponse {
    /// With the outcome that the session has.
    pub fn about(self, outcome: SessionOutcome) -> Self {
        Self {
            user_id: Some(outcome.user_id.into_string()),
            source: Some(outcome.source),
            outcome_id: Some(outcome.id),
            outcome_revision: Some(REVISION),
            outcome_contract_digest: Some(outcome.contract_digest),
            finalized_trajectory_digest: Some(outcome.trajectory_digest),
            ..self
        }
    }
}

/// Which outcomes to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetSessionOutcomesRequest {
    /// At most 100.
    pub session_ids: Option<Vec<NonBlank>>,
    pub user_id: Option<String>,
    pub source: Option<SourceLabel>,
    pub outcome: Option<SessionOutcomeKind>,
    pub label: Option<String>,
    /// When it occurred; seconds since 1970.
    pub start_time: Option<EpochSeconds>,
    pub end_time: Option<EpochSeconds>,
    /// How many: 100 if missing.
    pub top_k: Option<UpToThousand>,
    /// How many to pass over.
    pub offset: Option<NonNegative>,
}

impl WireRequest for GetSessionOutcomesRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        let mut problems = Vec::new();
        if self.session_ids.as_ref().is_some_and(|ids| ids.len() > MOST_SESSIONS) {
            let message = format!("List should have at most {MOST_SESSIONS} items");
            problems.push(Detail::body("too_long", &["session_ids"], message));
        }
        if let (Some(start), Some(end)) = (self.start_time, self.end_time)
            && start.0 > end.0
        {
            let message = "Value error, start_time must be less than or equal to end_time";
            problems.push(Detail::body("value_error", &["start_time"], message));
        }
        problems
    }
}

/// The outcome of a session.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionOutcomeRecord {
    pub outcome_id: String,
    pub outcome_revision: u32,
    pub user_id: String,
    pub session_id: String,
    pub outcome: SessionOutcomeKind,
    pub occurred_at: i64,
    pub source: String,
    pub label: Option<String>,
    pub value: Option<f64>,
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    pub outcome_contract_digest: String,
    pub finalized_trajectory_digest: String,
    pub created_at: i64,
    /// Always false: outcomes are told, not guessed.
    pub is_inferred: bool,
}

impl From<SessionOutcome> for SessionOutcomeRecord {
    fn from(outcome: SessionOutcome) -> Self {
        Self {
            outcome_id: outcome.id,
            outcome_revision: REVISION,
            user_id: outcome.user_id.into_string(),
            session_id: outcome.session_id.into_string(),
            outcome: outcome.kind.into(),
            occurred_at: outcome.occurred_at.0,
            source: outcome.source,
            label: outcome.label,
            value: outcome.value,
            metadata: outcome.metadata,
            outcome_contract_digest: outcome.contract_digest,
            finalized_trajectory_digest: outcome.trajectory_digest,
            created_at: outcome.created_at.0,
            is_inferred: false,
        }
    }
}

/// Outcomes, latest occurrence first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetSessionOutcomesResponse {
    pub success: bool,
    pub session_outcomes: Vec<SessionOutcomeRecord>,
    #[serde(default)]
    pub message: String,
}
