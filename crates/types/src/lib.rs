//! The records of Reflexio and the words for them: ids, statuses, times, configuration.
//!
//! Everything here is plain data. This crate does no I/O, has no async code and never reads the
//! clock; it knows nothing of JSON field names on the wire (that is `reflexio-api-types`).
//! Start reading at [`Interaction`] (what happened), [`UserPlaybook`] (what was learned) and
//! [`AgentPlaybook`] (what a person may approve).

mod agent_playbook;
mod agent_playbook_revision;
mod caller;
mod clock;
pub mod config;
mod context_mark;
mod cost;
mod day;
mod evaluation;
mod ids;
mod image;
mod injection;
mod interaction;
mod job;
mod lineage;
mod operation;
mod optimization;
mod outcome;
mod playbook_run;
mod profile;
mod request;
mod row_kind;
mod run;
mod shadow_comparison;
mod share;
mod speaker;
mod stall;
mod status;
mod undo;
mod user_playbook;

pub use agent_playbook::{AgentPlaybook, AgentPlaybookBody, Review, Signature, SourceWindow};
pub use agent_playbook_revision::{AgentPlaybookEvent, AgentPlaybookRevision, FieldChange, RuleField};
pub use caller::{ApiKey, Caller, KeyId, Scope, Scopes};
pub use clock::{Clock, SystemClock, TimeRange, Timestamp};
pub use config::Config;
pub use context_mark::{CONTEXT_BEGINS, CONTEXT_ENDS, within_context_block, without_context_blocks};
pub use cost::{CallOutcome, CostTotals, ModelCall};
pub use day::Day;
pub use evaluation::{
    Evaluation, FailureType, Impact, LearningEvaluation, LearningsStatus, SessionFailure, Verdict,
};
pub use ids::{
    AgentPlaybookId, AgentPlaybookRevisionId, EvaluationId, InjectionId, InteractionId, JobId,
    LearningEvaluationId, OptimizationId, OrgId, PlaybookRunId, ProfileId, RequestId, RunId, SessionId,
    ShadowComparisonId, UserId, UserPlaybookId,
};
pub use image::{Image, ImageId, ImageRef, MediaType, UnsupportedImage};
pub use injection::{InjectedRule, Injection, InjectionRoute};
pub use interaction::{
    Citation, CitationKind, Interaction, LearningKind, RetrievedLearning, ToolUse, Turn, UserAction,
};
pub use job::{Attempt, AttemptOutcome, DEFAULT_ATTEMPTS, Job, JobKind, JobProgress, JobState, Lane, NewJob};
pub use lineage::{LineageAction, LineageEvent, LineageSubject};
pub use operation::{Operation, OperationState};
pub use optimization::{
    CandidateFate, Optimization, OptimizationBody, OptimizationCandidate, OptimizationEvent,
    OptimizationPurpose, OptimizationState, OptimizationTarget, OptimizationTrial, OptimizationWindow,
    RolloutJudgement, RolloutMessage, RolloutVerdict, WindowRole,
};
pub use outcome::{OutcomeKind, SessionOutcome};
pub use playbook_run::{PlaybookRun, PlaybookRunStatus};
pub use profile::{NEVER_EXPIRES, Profile, ProfileBody, ProfileTimeToLive};
pub use request::{Experiment, ExperimentArm, LearningIntent, Request};
pub use row_kind::RowKind;
pub use run::{Run, RunAction, RunChange, RunKind, RunLoss, RunState};
pub use shadow_comparison::{
    Answer, AnswerOrder, Margin, RegularVsShadow, ShadowComparison, ShadowComparisonBody, ShadowTally,
    WinRate,
};
pub use share::{Difference, Interval, Proportion, difference};
pub use speaker::{Speaker, speaker_name};
pub use stall::{Stall, StallReason};
pub use status::{PlaybookStatus, Status};
pub use undo::{BlockReason, BlockedRow, UndoPlan, UndoRefusal};
pub use user_playbook::{BlockingIssue, BlockingIssueKind, UserPlaybook, UserPlaybookBody, rule_content};

/// The agent version of a publish that names none.
pub const DEFAULT_AGENT_VERSION: &str = "agent-v0";
