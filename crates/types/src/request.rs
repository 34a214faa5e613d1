use serde::{Deserialize, Serialize};

use crate::{RequestId, SessionId, Timestamp, UserId};

/// Which half of a retrieval experiment a user was in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExperimentArm {
    Treatment,
    Holdout,
}

/// The retrieval experiment a request took part in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    pub id: String,
    pub arm: ExperimentArm,
}

/// What the publisher asked of learning; kept with the request, because learning comes later.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearningIntent {
    /// Store and evaluate, but never learn from it.
    pub evaluation_only: bool,
    /// Learn from it even if the window is not full.
    pub force_extraction: bool,
    /// Learned rows of it do not start an aggregation.
    pub skip_aggregation: bool,
    /// Learn although learning is stalled.
    pub override_learning_stall: bool,
    /// No more turns will come in this session.
    pub session_finished: bool,
}

/// One publish call: the frame around its interactions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub id: RequestId,
    pub user_id: UserId,
    pub session_id: SessionId,
    pub created_at: Timestamp,
    pub source: String,
    pub agent_version: String,
    pub experiment: Option<Experiment>,
    pub intent: LearningIntent,
}
