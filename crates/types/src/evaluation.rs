use serde::{Deserialize, Serialize};

use crate::{EvaluationId, InteractionId, LearningEvaluationId, LearningKind, SessionId, Timestamp, UserId};

/// Why a session did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureType {
    /// Something broke: a tool, a service, the agent itself.
    SystemError,
    /// The agent had no tool for it.
    MissingTool,
    WrongTool,
    /// The tool was right and did not tell enough.
    InsufficientInfoFromTool,
    WrongAnswer,
}

impl FailureType {
    pub const ALL: [FailureType; 5] = [
        FailureType::SystemError,
        FailureType::MissingTool,
        FailureType::WrongTool,
        FailureType::InsufficientInfoFromTool,
        FailureType::WrongAnswer,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            FailureType::SystemError => "system_error",
            FailureType::MissingTool => "missing_tool",
            FailureType::WrongTool => "wrong_tool",
            FailureType::InsufficientInfoFromTool => "insufficient_info_from_tool",
            FailureType::WrongAnswer => "wrong_answer",
        }
    }
}

/// Why and how a session failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFailure {
    pub kind: FailureType,
    pub reason: String,
}

/// Whether a session served its user, as it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Why not; nothing if it was a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SessionFailure>,
    /// A person had to take over, or was asked for.
    pub is_escalated: bool,
    /// How often the user corrected the agent.
    pub corrections: u32,
    /// How many turns of the user it took; nothing if it was never resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_turns_to_resolution: Option<u32>,
    /// Nothing unless the configuration asks for tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

impl Verdict {
    pub fn is_success(&self) -> bool {
        self.failure.is_none()
    }
}

/// How far the learnings that were served in a session are judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearningsStatus {
    /// None were served, or they are not judged.
    #[default]
    NotApplicable,
    Complete,
    /// Some have no verdict: the judge left them out, or their rows are gone.
    Degraded,
}

impl LearningsStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            LearningsStatus::NotApplicable => "not_applicable",
            LearningsStatus::Complete => "complete",
            LearningsStatus::Degraded => "degraded",
        }
    }
}

/// A judged session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    pub id: EvaluationId,
    pub user_id: UserId,
    pub session_id: SessionId,
    pub agent_version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation_name: Option<String>,
    pub verdict: Verdict,
    pub learnings: LearningsStatus,
    /// The last turn that was judged; with a later one the session can be judged anew.
    pub covered: InteractionId,
    /// The model with its prompt, or `builtin`.
    pub evaluated_by: String,
    /// The regeneration that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub created_at: Timestamp,
}

/// What a served learning did to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Impact {
    Positive,
    Neutral,
    Negative,
}

impl Impact {
    pub const ALL: [Impact; 3] = [Impact::Positive, Impact::Neutral, Impact::Negative];

    pub fn as_str(self) -> &'static str {
        match self {
            Impact::Positive => "positive",
            Impact::Neutral => "neutral",
            Impact::Negative => "negative",
        }
    }
}

/// Whether a learning that was served to the agent was to the point, and whether it helped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearningEvaluation {
    pub id: LearningEvaluationId,
    pub user_id: UserId,
    pub session_id: SessionId,
    pub agent_version: String,
    /// The turn it was served for.
    pub interaction_id: InteractionId,
    pub interaction_created_at: Timestamp,
    pub kind: LearningKind,
    pub learning_id: String,
    /// Missing when nobody could tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_relevant: Option<bool>,
    #[serde(default)]
    pub relevance_reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<Impact>,
    #[serde(default)]
    pub impact_reason: String,
    pub evaluated_by: String,
    pub created_at: Timestamp,
}
