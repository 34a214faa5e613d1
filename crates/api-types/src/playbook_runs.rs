use reflexio_types::{PlaybookRun, PlaybookRunStatus as DomainStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::{NonNegative, Positive};

/// How a run stands. The first three go on, the others are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaybookRunStatus {
    Running,
    /// For the user, an approval or a time; `reason` says what.
    Waiting,
    /// A step needs a model, and there is none or it cannot be asked.
    NeedsModel,
    Done,
    Ended,
    /// A limit was reached; `reason` says which.
    Partial,
    HandedOff,
    Failed,
    Cancelled,
}

impl From<DomainStatus> for PlaybookRunStatus {
    fn from(status: DomainStatus) -> Self {
        match status {
            DomainStatus::Running => Self::Running,
            DomainStatus::Waiting => Self::Waiting,
            DomainStatus::NeedsModel => Self::NeedsModel,
            DomainStatus::Done => Self::Done,
            DomainStatus::Ended => Self::Ended,
            DomainStatus::Partial => Self::Partial,
            DomainStatus::HandedOff => Self::HandedOff,
            DomainStatus::Failed => Self::Failed,
            DomainStatus::Cancelled => Self::Cancelled,
        }
    }
}

impl From<PlaybookRunStatus> for DomainStatus {
    fn from(status: PlaybookRunStatus) -> Self {
        match status {
            PlaybookRunStatus::Running => Self::Running,
            PlaybookRunStatus::Waiting => Self::Waiting,
            PlaybookRunStatus::NeedsModel => Self::NeedsModel,
            PlaybookRunStatus::Done => Self::Done,
            PlaybookRunStatus::Ended => Self::Ended,
            PlaybookRunStatus::Partial => Self::Partial,
            PlaybookRunStatus::HandedOff => Self::HandedOff,
            PlaybookRunStatus::Failed => Self::Failed,
            PlaybookRunStatus::Cancelled => Self::Cancelled,
        }
    }
}

/// A run of a Markdown playbook.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookRunView {
    pub run_id: String,
    pub playbook: String,
    /// The fingerprint of the program.
    pub version: String,
    pub user_id: String,
    pub status: PlaybookRunStatus,
    pub reason: Option<String>,
    /// How many entries its journal has.
    pub entries: u64,
    pub created_at: i64,
    pub updated_at: i64,
}

impl From<PlaybookRun> for PlaybookRunView {
    fn from(run: PlaybookRun) -> Self {
        Self {
            run_id: run.id.into_string(),
            playbook: run.program,
            version: run.version,
            user_id: run.user_id.into_string(),
            status: run.status.into(),
            reason: run.reason,
            entries: run.entries,
            created_at: run.created_at.0,
            updated_at: run.updated_at.0,
        }
    }
}

/// How a run begins.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StartPlaybookRunRequest {
    /// The name of a program, as `GET /api/playbooks` lists it.
    pub playbook: String,
    /// Who talks to it; `anonymous` if missing.
    pub user_id: Option<String>,
    /// The playbook of the program to start; without it, those that begin by themselves.
    pub start: Option<String>,
    /// Parameters of what starts.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Variables that every agent starts with.
    #[serde(default)]
    pub variables: Map<String, Value>,
    /// The first message of the user.
    pub message: Option<String>,
    pub max_model_calls: Option<Positive>,
    pub max_seconds: Option<Positive>,
    /// US dollars, by the prices the server knows.
    pub max_cost_usd: Option<f64>,
    /// Publish the conversation, to be learned from; yes if missing.
    pub publish: Option<bool>,
    /// Show approved rules and the user's profile to the model; yes if missing.
    pub recall: Option<bool>,
}

impl WireRequest for StartPlaybookRunRequest {}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookRunResponse {
    pub success: bool,
    pub run: PlaybookRunView,
    pub msg: Option<String>,
}

/// What the user says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TellPlaybookRunRequest {
    pub text: String,
}

impl WireRequest for TellPlaybookRunRequest {}

/// What somebody decided about the approval that a run waits for.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecidePlaybookRunRequest {
    pub approved: bool,
    /// Who decided.
    pub by: Option<String>,
}

impl WireRequest for DecidePlaybookRunRequest {}

/// Which runs to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetPlaybookRunsQuery {
    pub user_id: Option<String>,
    pub playbook: Option<String>,
    pub status: Option<PlaybookRunStatus>,
    /// How many: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
    /// How many to pass over.
    pub offset: Option<NonNegative>,
}

impl WireRequest for GetPlaybookRunsQuery {}

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetPlaybookRunsResponse {
    pub success: bool,
    /// The newest first.
    pub runs: Vec<PlaybookRunView>,
    pub has_more: bool,
    pub msg: Option<String>,
}

/// Which moment of a run.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetPlaybookStateQuery {
    /// After so many entries of the journal; now if missing.
    pub at: Option<Positive>,
}

impl WireRequest for GetPlaybookStateQuery {}

/// A message of a run.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookMessageView {
    pub id: String,
    /// `user` or `agent`.
    pub from: String,
    pub to: String,
    pub text: String,
    /// `Agent.Playbook` and the step that said it.
    pub playbook: Option<String>,
    pub step: Option<String>,
}

/// A run at a moment.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookStateResponse {
    pub success: bool,
    pub run: PlaybookRunView,
    /// Entries of the journal that led here.
    pub position: u64,
    pub conversation: Vec<PlaybookMessageView>,
    pub variables: Map<String, Value>,
    pub model_calls: u64,
    pub tokens: u64,
    pub cost_usd: f64,
    pub steps: u64,
    pub waits_for_user: bool,
    pub waits_for_approval: bool,
    /// When the next timer is due.
    pub next_timer: Option<u64>,
    /// What a playbook that was started returned.
    pub result: Option<Value>,
}

/// Which entries of a journal.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetPlaybookJournalQuery {
    /// Only those after this position.
    pub after: Option<NonNegative>,
    /// How many: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
}

impl WireRequest for GetPlaybookJournalQuery {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookEntryView {
    pub position: u64,
    /// What happened: `entry` says which kind it is.
    pub entry: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetPlaybookJournalResponse {
    pub success: bool,
    pub entries: Vec<PlaybookEntryView>,
}

/// A program that can be run.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookProgramView {
    pub name: String,
    pub version: String,
    /// `Agent.Playbook`, in the order of the files.
    pub playbooks: Vec<String>,
    /// Why it cannot run.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GetPlaybooksResponse {
    pub success: bool,
    pub playbooks: Vec<PlaybookProgramView>,
}

/// A conversation to answer, with rules to try.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookAssistantRequest {
    pub messages: Vec<PlaybookAssistantMessage>,
    #[serde(default)]
    pub playbooks: Vec<PlaybookAssistantRule>,
}

impl WireRequest for PlaybookAssistantRequest {}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookAssistantMessage {
    /// `user`; anything else is the assistant.
    pub role: String,
    #[serde(default)]
    pub content: String,
}

#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookAssistantRule {
    pub id: Option<Value>,
    pub content: String,
    pub trigger: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaybookAssistantResponse {
    pub content: String,
}
