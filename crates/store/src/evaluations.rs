use async_trait::async_trait;
use reflexio_types::{
    Evaluation, EvaluationId, InteractionId, LearningEvaluation, Operation, OrgId, SessionId, TimeRange,
    Timestamp, UserId,
};

use crate::{JobEnd, Lease, Result};

/// Which judged sessions, or judged learnings. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EvaluationFilter {
    pub user_id: Option<UserId>,
    pub session_id: Option<SessionId>,
    pub agent_version: Option<String>,
    /// When they were judged.
    pub time: TimeRange,
}

/// A session that could be judged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionRef {
    pub user_id: UserId,
    pub session_id: SessionId,
    /// Of its last request in the asked time.
    pub agent_version: String,
    pub last_at: Timestamp,
}

/// What was found out about one session. It takes the place of what was found out before.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    pub user_id: UserId,
    pub session_id: SessionId,
    /// The last turn that was judged. If it is not there any more, nothing is stored.
    pub covered: InteractionId,
    /// Its id is still 0. It replaces the one of the same session and agent version.
    pub evaluation: Option<Evaluation>,
    /// Their ids are still 0. They replace all of the session; missing leaves those as they are.
    pub learnings: Option<Vec<LearningEvaluation>>,
}

/// The job that judged: whether it is done with this, and how far its operation is.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedBy<'a> {
    pub lease: &'a Lease,
    pub end: JobEnd,
    pub operation: Option<Operation>,
}

/// Judged sessions and the learnings that were served in them.
#[async_trait]
pub trait Evaluations: Send + Sync {
    /// Stores a judgement, how far the operation is and the end of the job, or nothing: without a good lease it
    /// fails with `LostLease`. Somebody who judges without a job has none. Answers the id of the judged session, if
    /// it was stored.
    async fn judge(
        &self,
        org: &OrgId,
        judgement: Option<Judgement>,
        by: Option<JudgedBy<'_>>,
        at: Timestamp,
    ) -> Result<Option<EvaluationId>>;

    /// Latest first.
    async fn evaluations(
        &self,
        org: &OrgId,
        filter: &EvaluationFilter,
        limit: usize,
    ) -> Result<Vec<Evaluation>>;

    /// Latest first.
    async fn learning_evaluations(
        &self,
        org: &OrgId,
        filter: &EvaluationFilter,
        limit: usize,
    ) -> Result<Vec<LearningEvaluation>>;

    /// Sessions with a request in this time, by user and session.
    async fn sessions_within(&self, org: &OrgId, time: TimeRange) -> Result<Vec<SessionRef>>;
}
