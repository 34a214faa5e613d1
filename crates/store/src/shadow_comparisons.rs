use async_trait::async_trait;
use reflexio_types::{
    Interaction, InteractionId, OrgId, RegularVsShadow, RequestId, SessionId, ShadowComparison, ShadowTally,
    TimeRange, Timestamp, UserId,
};

use crate::{JobEnd, Lease, Page, Result};

/// Which comparisons. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShadowComparisonFilter {
    pub user_id: Option<UserId>,
    pub session_id: Option<SessionId>,
    pub request_id: Option<RequestId>,
    pub agent_version: Option<String>,
    pub verdict: Option<RegularVsShadow>,
    /// When they were made.
    pub time: TimeRange,
}

/// Which turns with an alternative answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShadowTurnFilter {
    pub user_id: Option<UserId>,
    pub session_id: Option<SessionId>,
    pub agent_version: Option<String>,
    /// When their requests came.
    pub time: TimeRange,
    /// Also those that were compared already.
    pub judged_too: bool,
}

/// What a job that compares has to say.
#[derive(Debug, Clone, PartialEq)]
pub struct ShadowJudgement {
    /// Its id is still 0. It takes the place of an earlier one of the same turn; if the turn is gone, it goes too.
    pub comparison: Option<ShadowComparison>,
    pub end: JobEnd,
}

/// The answers of agents, compared with the alternatives that were not shown. A comparison lives as long as its turn.
#[async_trait]
pub trait ShadowComparisons: Send + Sync {
    /// The newest first, and whether more follow.
    async fn shadow_comparisons(
        &self,
        org: &OrgId,
        filter: &ShadowComparisonFilter,
        page: Page,
    ) -> Result<(Vec<ShadowComparison>, bool)>;

    /// How often which answer was better, for each agent version in the order of their names.
    async fn shadow_tallies(&self, org: &OrgId, filter: &ShadowComparisonFilter) -> Result<Vec<ShadowTally>>;

    /// Turns with something in `shadow_content`, in the order of arrival, from the one after `after` on.
    async fn shadow_turns(
        &self,
        org: &OrgId,
        filter: &ShadowTurnFilter,
        after: Option<InteractionId>,
        limit: usize,
    ) -> Result<Vec<Interaction>>;

    /// Stores a comparison together with the end of its job. Needs the lease and fails with `LostLease` otherwise.
    async fn judge_shadow(&self, lease: &Lease, judgement: ShadowJudgement, at: Timestamp) -> Result<()>;
}
