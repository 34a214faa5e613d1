use std::collections::HashMap;

use async_trait::async_trait;
use reflexio_types::{AgentPlaybook, AgentPlaybookId, JobProgress, OrgId, Timestamp, UserPlaybookId};
use serde_json::Value;

use crate::{JobEnd, Lease, Result};

/// The user playbooks that are clustered together: those of one type and one version of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AggregationScope {
    pub agent_version: String,
    pub playbook_name: String,
}

/// What is remembered from one aggregation to the next. Only whoever clusters understands it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clustering {
    /// Grows with every change; 0 before the first.
    pub revision: u64,
    pub state: Value,
}

/// A rule that a cluster came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    pub cluster: u64,
    /// Its id is still 0.
    pub row: AgentPlaybook,
    /// The pending rule of the same cluster that it replaces, as it was read. If a person decided about it or changed it
    /// meanwhile, the whole step fails with `Changed`.
    pub replaces: Option<AgentPlaybook>,
}

/// A pending rule that says the same as before and stands on other evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Grown {
    /// As it was read; if a person decided about it or changed it meanwhile, the whole step fails with `Changed`.
    pub before: AgentPlaybook,
    /// The same rule with new counts and windows. Its text for searches is the same.
    pub after: AgentPlaybook,
}

/// Everything that an aggregation changes, in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregated {
    pub scope: AggregationScope,
    /// The revision that was read; another one now fails with `Changed`.
    pub revision: u64,
    /// What to remember; the ids of the proposed rules are added to it.
    pub state: Value,
    pub proposed: Vec<Proposed>,
    pub grown: Vec<Grown>,
    /// Pending rules of clusters that are no more, as they were read.
    pub outdated: Vec<AgentPlaybook>,
    pub progress: Option<JobProgress>,
    pub end: JobEnd,
}

/// Agent playbooks out of user playbooks.
#[async_trait]
pub trait Aggregations: Send + Sync {
    async fn clustering(&self, org: &OrgId, scope: &AggregationScope) -> Result<Clustering>;

    /// Which types and versions have user playbooks that are in use.
    async fn aggregation_scopes(&self, org: &OrgId) -> Result<Vec<AggregationScope>>;

    /// Vectors of the model in use, of those rows that have one.
    async fn user_playbook_vectors(
        &self,
        org: &OrgId,
        ids: &[UserPlaybookId],
    ) -> Result<HashMap<UserPlaybookId, Vec<f32>>>;

    /// Stores what a job aggregated; needs its lease. Approved and rejected rules are never touched. Answers the ids of the
    /// proposed rules; they are noted in the state under `playbooks`, by cluster.
    async fn aggregate(
        &self,
        lease: &Lease,
        aggregated: Aggregated,
        at: Timestamp,
    ) -> Result<Vec<AgentPlaybookId>>;
}
