use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AgentPlaybookId, InteractionId, JobId, OptimizationId, RequestId, Timestamp, UserId, UserPlaybookId,
};

/// One message of a replayed conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolloutMessage {
    /// `user` or `assistant`.
    pub role: String,
    pub content: String,
}

impl RolloutMessage {
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: "user".to_owned(), content: content.into() }
    }

    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: "assistant".to_owned(), content: content.into() }
    }
}

/// Under which wording a replayed conversation went better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RolloutVerdict {
    Candidate,
    Incumbent,
    Tie,
}

impl RolloutVerdict {
    pub fn as_str(self) -> &'static str {
        match self {
            RolloutVerdict::Candidate => "candidate",
            RolloutVerdict::Incumbent => "incumbent",
            RolloutVerdict::Tie => "tie",
        }
    }
}

/// What a judge says of two conversations that differ only in the wording of a playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RolloutJudgement {
    /// From 0 to 1: how much better the candidate's conversation is; 0.5 means equally good.
    pub score: f64,
    pub verdict: RolloutVerdict,
    /// From 1 to 5; 3 means the same.
    pub likert: u8,
    pub rationale: String,
    /// What went wrong under the candidate.
    pub failure_modes: Vec<String>,
    /// What went better under the incumbent.
    pub regressions: Vec<String>,
    /// What went better under the candidate.
    pub winning_behaviors: Vec<String>,
    pub missing_instruction: Option<String>,
    pub recommended_mutation: Option<String>,
    /// Whether the judge said the same whichever of the two stood first.
    pub orders_agree: bool,
    pub judged_by: String,
}

/// What is optimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum OptimizationTarget {
    AgentPlaybook(AgentPlaybookId),
    UserPlaybook(UserPlaybookId),
}

impl OptimizationTarget {
    pub fn kind(self) -> &'static str {
        match self {
            OptimizationTarget::AgentPlaybook(_) => "agent_playbook",
            OptimizationTarget::UserPlaybook(_) => "user_playbook",
        }
    }

    pub fn id(self) -> i64 {
        match self {
            OptimizationTarget::AgentPlaybook(id) => id.0,
            OptimizationTarget::UserPlaybook(id) => id.0,
        }
    }

    pub fn parse(kind: &str, id: i64) -> Option<Self> {
        match kind {
            "agent_playbook" => Some(OptimizationTarget::AgentPlaybook(AgentPlaybookId(id))),
            "user_playbook" => Some(OptimizationTarget::UserPlaybook(UserPlaybookId(id))),
            _ => None,
        }
    }
}

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptimizationPurpose {
    /// To find a better wording.
    Wording,
    /// To measure how much the playbook helps; it changes nothing.
    Lift,
}

impl OptimizationPurpose {
    pub fn as_str(self) -> &'static str {
        match self {
            OptimizationPurpose::Wording => "wording",
            OptimizationPurpose::Lift => "lift",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [OptimizationPurpose::Wording, OptimizationPurpose::Lift].into_iter().find(|one| one.as_str() == text)
    }
}

/// How far an optimisation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptimizationState {
    Queued,
    Running,
    /// A better wording waits as a successor.
    Committed,
    /// It ran to its end, and the wording stays as it is.
    Unchanged,
    Failed,
    Cancelled,
}

impl OptimizationState {
    pub const ALL: [OptimizationState; 6] = [
        OptimizationState::Queued,
        OptimizationState::Running,
        OptimizationState::Committed,
        OptimizationState::Unchanged,
        OptimizationState::Failed,
        OptimizationState::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            OptimizationState::Queued => "queued",
            OptimizationState::Running => "running",
            OptimizationState::Committed => "committed",
            OptimizationState::Unchanged => "unchanged",
            OptimizationState::Failed => "failed",
            OptimizationState::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    pub fn is_over(self) -> bool {
        !matches!(self, OptimizationState::Queued | OptimizationState::Running)
    }
}

/// What a source window is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowRole {
    Train,
    /// Held out: only what wins here can be committed.
    Validation,
    /// The only window there is serves as both.
    Both,
}

/// A situation that is replayed. It holds no text, so it outlives what was said in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimizationWindow {
    pub user_playbook_id: UserPlaybookId,
    pub user_id: UserId,
    pub request_id: RequestId,
    pub interaction_ids: Vec<InteractionId>,
    pub role: WindowRole,
}

/// A wording that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimizationCandidate {
    /// 0 is the wording that was there.
    pub number: u32,
    pub content: String,
    pub parents: Vec<u32>,
    /// Over the held-out windows; missing for one that did not get so far.
    pub mean: Option<f64>,
    /// By number of the window.
    pub scores: BTreeMap<u32, f64>,
    pub fate: CandidateFate,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateFate {
    /// The wording that was there.
    Incumbent,
    /// It did better on its training windows and was validated.
    Accepted,
    /// It did no better on its training windows.
    Rejected,
    /// The best of all.
    Winner,
}

/// One wording replayed in one window, beside the wording that was there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimizationTrial {
    /// Number of the candidate.
    pub candidate: u32,
    /// Number of the window.
    pub window: u32,
    pub incumbent_rollout: Vec<RolloutMessage>,
    pub candidate_rollout: Vec<RolloutMessage>,
    /// Missing where only the wording that was there was replayed.
    pub judgement: Option<RolloutJudgement>,
}

/// Something that happened while a wording was optimised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimizationEvent {
    /// Counts from 1.
    pub number: u64,
    pub at: Timestamp,
    pub body: Value,
}

/// The parts of an optimisation that no query selects by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimizationBody {
    /// The wording that was there, as it was read.
    pub incumbent: String,
    pub trigger: String,
    pub windows: Vec<OptimizationWindow>,
    /// The settings in force when it was started.
    pub policy: Value,
    /// What it may cost at most.
    pub estimate: Value,
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Why it ended as it did.
    #[serde(default)]
    pub decision: Option<String>,
    /// What it came to.
    #[serde(default)]
    pub report: Option<Value>,
}

/// A run that looks for a better wording of one playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Optimization {
    pub id: OptimizationId,
    pub purpose: OptimizationPurpose,
    pub target: OptimizationTarget,
    pub state: OptimizationState,
    pub job_id: Option<JobId>,
    /// The playbook with the better wording.
    pub successor: Option<OptimizationTarget>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub body: OptimizationBody,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_read_back() {
        for state in OptimizationState::ALL {
            assert_eq!(OptimizationState::parse(state.as_str()), Some(state));
            assert_eq!(serde_json::to_value(state).expect("a word"), state.as_str());
        }
        for target in [
            OptimizationTarget::AgentPlaybook(AgentPlaybookId(3)),
            OptimizationTarget::UserPlaybook(UserPlaybookId(4)),
        ] {
            assert_eq!(OptimizationTarget::parse(target.kind(), target.id()), Some(target));
        }
        assert_eq!(OptimizationTarget::parse("profile", 1), None);
    }
}
