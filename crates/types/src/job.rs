use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{JobId, Timestamp, UserId};

/// How often a job is tried before it is given up, unless it says otherwise.
pub const DEFAULT_ATTEMPTS: u32 = 5;

/// The kinds of background work that this program can do. A database may hold others, of a newer version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Learn from the interactions of one user that are not covered yet.
    Learn,
    /// Make vectors of texts that have none yet.
    Embed,
    /// Learn anew from everything that users published.
    Rerun,
    /// Judge one session that has fallen silent.
    Evaluate,
    /// Judge a sample of past sessions anew.
    Regenerate,
    /// Compare the answers of one request with their alternatives.
    CompareShadow,
    /// Make agent playbooks of the user playbooks of one type and version.
    Aggregate,
    /// Look for a better wording of one playbook, or for playbooks that are due.
    Optimize,
    /// Propose the approved rules of the version before for a new version of the agent.
    CarryOver,
    /// Go on with the run of a Markdown playbook.
    PlaybookRun,
}

impl JobKind {
    pub const ALL: [JobKind; 10] = [
        JobKind::Learn,
        JobKind::Embed,
        JobKind::Rerun,
        JobKind::Evaluate,
        JobKind::Regenerate,
        JobKind::CompareShadow,
        JobKind::Aggregate,
        JobKind::Optimize,
        JobKind::CarryOver,
        JobKind::PlaybookRun,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            JobKind::Learn => "learn",
            JobKind::Embed => "embed",
            JobKind::Rerun => "rerun",
            JobKind::Evaluate => "evaluate",
            JobKind::Regenerate => "regenerate",
            JobKind::CompareShadow => "compare_shadow",
            JobKind::Aggregate => "aggregate",
            JobKind::Optimize => "optimize",
            JobKind::CarryOver => "carry_over",
            JobKind::PlaybookRun => "playbook_run",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Jobs of one lane run one at a time, in the order of arrival. A lane never reaches beyond its org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Lane {
    /// The lane of the job's user and kind; without a user, that of the kind.
    #[default]
    OfUser,
    Named(String),
    /// Waits for nobody.
    Free,
}

/// Work to be queued in the transaction that makes it necessary.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    pub user_id: Option<UserId>,
    pub kind: JobKind,
    /// A queued job with the same key already covers this one.
    pub dedup_key: Option<String>,
    /// The queued job that covers this one waits until this one's time and does this one's work instead.
    pub rearms: bool,
    pub lane: Lane,
    pub payload: Value,
    /// Not before this time; at once if missing.
    pub run_after: Option<Timestamp>,
    pub max_attempts: u32,
}

impl NewJob {
    pub fn new(kind: JobKind, payload: Value) -> Self {
        Self {
            user_id: None,
            kind,
            dedup_key: None,
            rearms: false,
            lane: Lane::OfUser,
            payload,
            run_after: None,
            max_attempts: DEFAULT_ATTEMPTS,
        }
    }

    pub fn of_user(kind: JobKind, user_id: UserId, payload: Value) -> Self {
        Self { user_id: Some(user_id), ..Self::new(kind, payload) }
    }

    /// The name of the lane within the org.
    pub fn lane_name(&self) -> Option<String> {
        match (&self.lane, &self.user_id) {
            (Lane::OfUser, Some(user)) => Some(format!("{}:{user}", self.kind.as_str())),
            (Lane::OfUser, None) => Some(self.kind.as_str().to_owned()),
            (Lane::Named(name), _) => Some(name.clone()),
            (Lane::Free, _) => None,
        }
    }
}

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    Queued,
    Running,
    Done,
    /// Given up: every attempt failed, or one said that another would not help.
    Dead,
    Cancelled,
}

impl JobState {
    pub const ALL: [JobState; 5] =
        [JobState::Queued, JobState::Running, JobState::Done, JobState::Dead, JobState::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Done => "done",
            JobState::Dead => "dead",
            JobState::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Nothing more will happen by itself.
    pub fn is_over(self) -> bool {
        matches!(self, JobState::Done | JobState::Dead | JobState::Cancelled)
    }
}

/// How far a job says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobProgress {
    pub done: u64,
    /// Missing while nobody knows.
    pub total: Option<u64>,
    pub message: Option<String>,
}

/// How an attempt ended, or what else happened between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    Done,
    Failed,
    /// The worker was not heard of in time; it may have crashed.
    Expired,
    /// Given back; does not count as an attempt.
    Released,
    Cancelled,
    /// Somebody asked for new attempts.
    Retried,
}

impl AttemptOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            AttemptOutcome::Done => "done",
            AttemptOutcome::Failed => "failed",
            AttemptOutcome::Expired => "expired",
            AttemptOutcome::Released => "released",
            AttemptOutcome::Cancelled => "cancelled",
            AttemptOutcome::Retried => "retried",
        }
    }
}

/// One line of a job's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub at: Timestamp,
    /// Which attempt it was; 0 before the first.
    pub number: u32,
    pub outcome: AttemptOutcome,
    pub reason: Option<String>,
}

/// A stored job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub user_id: Option<UserId>,
    /// The word of a [`JobKind`], or one that a newer version wrote.
    pub kind: String,
    pub lane: Option<String>,
    pub dedup_key: Option<String>,
    pub payload: Value,
    pub state: JobState,
    /// Attempts that began, the running one included.
    pub attempts: u32,
    pub max_attempts: u32,
    pub run_after: Timestamp,
    /// Until when the worker has to be heard of; only while it runs.
    pub lease_until: Option<Timestamp>,
    /// Who runs it, or ran it last.
    pub worker: Option<String>,
    /// It runs, and somebody wants it to stop.
    pub cancel_asked: bool,
    pub progress: Option<JobProgress>,
    pub last_error: Option<String>,
    pub created_at: Timestamp,
    /// When the latest attempt began.
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// The latest [`Job::LONGEST_HISTORY`] attempts, oldest first.
    pub history: Vec<Attempt>,
}

impl Job {
    pub const LONGEST_HISTORY: usize = 20;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_read_back() {
        for kind in JobKind::ALL {
            assert_eq!(JobKind::parse(kind.as_str()), Some(kind));
        }
        for state in JobState::ALL {
            assert_eq!(JobState::parse(state.as_str()), Some(state));
        }
        assert_eq!((JobKind::parse("brew"), JobState::parse("")), (None, None));
    }

    #[test]
    fn a_job_without_a_lane_takes_that_of_its_user_and_kind() {
        let check = |job: NewJob, expected: Option<&str>| assert_eq!(job.lane_name().as_deref(), expected);
        let job = NewJob::of_user(JobKind::Learn, "u1".into(), Value::Null);
        check(job.clone(), Some("learn:u1"));
        check(NewJob { user_id: None, ..job.clone() }, Some("learn"));
        check(NewJob { lane: Lane::Named("nightly".to_owned()), ..job.clone() }, Some("nightly"));
        check(NewJob { lane: Lane::Free, ..job }, None);
    }
}
