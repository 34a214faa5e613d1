use std::collections::BTreeMap;

use reflexio_types::{
    CandidateFate, Optimization, OptimizationCandidate, OptimizationEvent, OptimizationState as DomainState,
    OptimizationTarget, OptimizationTrial, OptimizationWindow, RolloutJudgement, RolloutMessage, WindowRole,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::JobView;
use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{NonNegative, Positive};

/// How far an optimisation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OptimizationState {
    Queued,
    Running,
    /// A better wording waits for a person.
    Committed,
    /// It ran to its end, and everything stays as it is.
    Unchanged,
    Failed,
    Cancelled,
}

impl From<DomainState> for OptimizationState {
    fn from(state: DomainState) -> Self {
        match state {
            DomainState::Queued => OptimizationState::Queued,
            DomainState::Running => OptimizationState::Running,
            DomainState::Committed => OptimizationState::Committed,
            DomainState::Unchanged => OptimizationState::Unchanged,
            DomainState::Failed => OptimizationState::Failed,
            DomainState::Cancelled => OptimizationState::Cancelled,
        }
    }
}

impl From<OptimizationState> for DomainState {
    fn from(state: OptimizationState) -> Self {
        match state {
            OptimizationState::Queued => DomainState::Queued,
            OptimizationState::Running => DomainState::Running,
            OptimizationState::Committed => DomainState::Committed,
            OptimizationState::Unchanged => DomainState::Unchanged,
            OptimizationState::Failed => DomainState::Failed,
            OptimizationState::Cancelled => DomainState::Cancelled,
        }
    }
}

impl OptimizationState {
    pub fn as_str(self) -> &'static str {
        DomainState::from(self).as_str()
    }

    pub fn is_over(self) -> bool {
        DomainState::from(self).is_over()
    }
}

/// A situation that is replayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OptimizationWindowView {
    /// As `window` of a trial.
    pub window: u32,
    /// `train`, `validation` (held out), or `both` for the only one there is.
    pub role: String,
    pub user_id: String,
    pub user_playbook_id: i64,
    pub request_id: String,
    pub interaction_ids: Vec<i64>,
}

pub fn window_views(windows: &[OptimizationWindow]) -> Vec<OptimizationWindowView> {
    let view = |(number, window): (usize, &OptimizationWindow)| OptimizationWindowView {
        window: u32::try_from(number).unwrap_or(u32::MAX),
        role: match window.role {
            WindowRole::Train => "train",
            WindowRole::Validation => "validation",
            WindowRole::Both => "both",
        }
        .to_owned(),
        user_id: window.user_id.as_str().to_owned(),
        user_playbook_id: window.user_playbook_id.0,
        request_id: window.request_id.as_str().to_owned(),
        interaction_ids: window.interaction_ids.iter().map(|id| id.0).collect(),
    };
    windows.iter().enumerate().map(view).collect()
}

/// A run that looks for a better wording of one playbook.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OptimizationView {
    pub optimization_id: i64,
    pub agent_playbook_id: Option<i64>,
    pub user_playbook_id: Option<i64>,
    pub state: OptimizationState,
    /// The playbook with the better wording, of the same kind.
    pub successor_id: Option<i64>,
    /// Why it ended as it did.
    pub decision: Option<String>,
    /// The wording that was there.
    pub incumbent: String,
    pub trigger: String,
    pub windows: Vec<OptimizationWindowView>,
    pub warnings: Vec<String>,
    /// The settings in force when it was started.
    #[schema(value_type = Object)]
    pub policy: Value,
    /// What it may cost at most: calls, tokens and dollars.
    #[schema(value_type = Object)]
    pub estimate: Value,
    /// What it came to: the decision, what was spent, what was left out.
    #[schema(value_type = Option<Object>)]
    pub report: Option<Value>,
    pub job_id: Option<i64>,
    pub created_at: i64,
    pub finished_at: Option<i64>,
}

impl From<Optimization> for OptimizationView {
    fn from(run: Optimization) -> Self {
        let (agent, user) = match run.target {
            OptimizationTarget::AgentPlaybook(id) => (Some(id.0), None),
            OptimizationTarget::UserPlaybook(id) => (None, Some(id.0)),
        };
        Self {
            optimization_id: run.id.0,
            agent_playbook_id: agent,
            user_playbook_id: user,
            state: run.state.into(),
            successor_id: run.successor.map(OptimizationTarget::id),
            decision: run.body.decision,
            incumbent: run.body.incumbent,
            trigger: run.body.trigger,
            windows: window_views(&run.body.windows),
            warnings: run.body.warnings,
            policy: run.body.policy,
            estimate: run.body.estimate,
            report: run.body.report,
            job_id: run.job_id.map(|id| id.0),
            created_at: run.created_at.0,
            finished_at: run.finished_at.map(|at| at.0),
        }
    }
}

/// A wording that was tried.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OptimizationCandidateView {
    /// 0 is the wording that was there.
    pub candidate: u32,
    pub content: String,
    /// The candidates it was made of.
    pub parents: Vec<u32>,
    /// Over the held-out windows; missing for one that did not get so far.
    pub mean: Option<f64>,
    /// By window.
    pub scores: BTreeMap<u32, f64>,
    /// `incumbent`, `accepted`, `rejected` or `winner`.
    pub fate: String,
}

impl From<OptimizationCandidate> for OptimizationCandidateView {
    fn from(candidate: OptimizationCandidate) -> Self {
        let fate = match candidate.fate {
            CandidateFate::Incumbent => "incumbent",
            CandidateFate::Accepted => "accepted",
            CandidateFate::Rejected => "rejected",
            CandidateFate::Winner => "winner",
        };
        Self {
            candidate: candidate.number,
            content: candidate.content,
            parents: candidate.parents,
            mean: candidate.mean,
            scores: candidate.scores,
            fate: fate.to_owned(),
        }
    }
}

/// One message of a replayed conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RolloutMessageView {
    /// `user` or `assistant`.
    pub role: String,
    pub content: String,
}

fn messages(rollout: Vec<RolloutMessage>) -> Vec<RolloutMessageView> {
    let view = |message: RolloutMessage| RolloutMessageView { role: message.role, content: message.content };
    rollout.into_iter().map(view).collect()
}

/// What the judge says of two conversations, whichever of them stood first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RolloutJudgementView {
    /// From 0 to 1; 0.5 means equally good, more that the candidate is better.
    pub score: f64,
    /// `candidate`, `incumbent` or `tie`.
    pub verdict: String,
    /// From 1 to 5; 3 means the same.
    pub likert: u8,
    pub rationale: String,
    pub failure_modes: Vec<String>,
    pub regressions: Vec<String>,
    pub winning_behaviors: Vec<String>,
    pub missing_instruction: Option<String>,
    pub recommended_mutation: Option<String>,
    /// Whether the judge said the same in both orders.
    pub orders_agree: bool,
    pub judged_by: String,
}

impl From<RolloutJudgement> for RolloutJudgementView {
    fn from(judgement: RolloutJudgement) -> Self {
        Self {
            score: judgement.score,
            verdict: judgement.verdict.as_str().to_owned(),
            likert: judgement.likert,
            rationale: judgement.rationale,
            failure_modes: judgement.failure_modes,
            regressions: judgement.regressions,
            winning_behaviors: judgement.winning_behaviors,
            missing_instruction: judgement.missing_instruction,
            recommended_mutation: judgement.recommended_mutation,
            orders_agree: judgement.orders_agree,
            judged_by: judgement.judged_by,
        }
    }
}

/// One wording replayed in one window.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OptimizationTrialView {
    pub candidate: u32,
    pub window: u32,
    pub incumbent_rollout: Vec<RolloutMessageView>,
    /// Empty for the wording that was there.
    pub candidate_rollout: Vec<RolloutMessageView>,
    pub judgement: Option<RolloutJudgementView>,
}

impl From<OptimizationTrial> for OptimizationTrialView {
    fn from(trial: OptimizationTrial) -> Self {
        Self {
            candidate: trial.candidate,
            window: trial.window,
            incumbent_rollout: messages(trial.incumbent_rollout),
            candidate_rollout: messages(trial.candidate_rollout),
            judgement: trial.judgement.map(RolloutJudgementView::from),
        }
    }
}

/// Something that happened in a run, under its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OptimizationEventView {
    /// Counts from 1.
    pub number: u64,
    pub at: i64,
    #[schema(value_type = Object)]
    pub event: Value,
}

impl From<OptimizationEvent> for OptimizationEventView {
    fn from(event: OptimizationEvent) -> Self {
        Self { number: event.number, at: event.at.0, event: event.body }
    }
}

/// What to optimise: exactly one of the two ids.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StartOptimizationRequest {
    pub agent_playbook_id: Option<i64>,
    pub user_playbook_id: Option<i64>,
    /// Only say what it would cost; nothing is started.
    #[serde(default)]
    pub estimate_only: bool,
}

impl WireRequest for StartOptimizationRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        match (self.agent_playbook_id, self.user_playbook_id) {
            (Some(_), None) | (None, Some(_)) => Vec::new(),
            (None, None) => vec![Detail::body(
                "missing",
                &["agent_playbook_id"],
                "Field required: name an agent_playbook_id or a user_playbook_id",
            )],
            (Some(_), Some(_)) => vec![Detail::body(
                "value_error",
                &["user_playbook_id"],
                "Value error, name either agent_playbook_id or user_playbook_id, not both",
            )],
        }
    }
}

/// A run that was started, or what it would cost.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StartOptimizationResponse {
    pub success: bool,
    /// Missing if only an estimate was asked for.
    pub optimization: Option<OptimizationView>,
    #[schema(value_type = Object)]
    pub estimate: Value,
    pub windows: Vec<OptimizationWindowView>,
    pub warnings: Vec<String>,
    pub msg: Option<String>,
}

/// Which runs to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetOptimizationsQuery {
    pub agent_playbook_id: Option<i64>,
    pub user_playbook_id: Option<i64>,
    pub state: Option<OptimizationState>,
    /// How many: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
    /// How many to pass over.
    pub offset: Option<NonNegative>,
}

impl WireRequest for GetOptimizationsQuery {}

/// A page of runs, the newest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetOptimizationsResponse {
    pub success: bool,
    pub optimizations: Vec<OptimizationView>,
    pub has_more: bool,
    pub msg: Option<String>,
}

/// A run with everything that was tried.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OptimizationResponse {
    pub success: bool,
    pub optimization: OptimizationView,
    pub candidates: Vec<OptimizationCandidateView>,
    pub trials: Vec<OptimizationTrialView>,
    /// While it is under way.
    pub job: Option<JobView>,
    pub msg: Option<String>,
}

/// From where on events are told.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OptimizationEventsQuery {
    /// Only events with a greater number; all if missing.
    pub after: Option<NonNegative>,
}

impl WireRequest for OptimizationEventsQuery {}

/// How much a playbook helps.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LiftResponse {
    pub success: bool,
    pub agent_playbook_id: i64,
    pub state: OptimizationState,
    /// From -1 (it ruins conversations) over 0 (no difference) to 1 (they fail without it); missing until it is measured.
    pub lift: Option<f64>,
    /// The bounds within which it lies with 95 %; missing with fewer than two windows.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub windows: Vec<LiftWindowView>,
    /// What came of it, or why nothing did.
    pub decision: Option<String>,
    /// The wording that was measured.
    pub content: String,
    pub measured_at: Option<i64>,
    pub job_id: Option<i64>,
}

/// One window with and without the playbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LiftWindowView {
    pub window: u32,
    pub lift: f64,
    /// `candidate` is the conversation with the playbook, `incumbent` the one without.
    pub judgement: RolloutJudgementView,
    pub with_playbook: Vec<RolloutMessageView>,
    pub without_playbook: Vec<RolloutMessageView>,
}

impl LiftWindowView {
    pub fn new(
        window: usize,
        lift: f64,
        judgement: RolloutJudgement,
        with: Vec<RolloutMessage>,
        without: Vec<RolloutMessage>,
    ) -> Self {
        Self {
            window: u32::try_from(window).unwrap_or(u32::MAX),
            lift,
            judgement: judgement.into(),
            with_playbook: messages(with),
            without_playbook: messages(without),
        }
    }
}
