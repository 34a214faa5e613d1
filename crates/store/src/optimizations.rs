use async_trait::async_trait;
use reflexio_types::{
    AgentPlaybook, JobId, JobProgress, NewJob, Optimization, OptimizationBody, OptimizationCandidate,
    OptimizationEvent, OptimizationId, OptimizationPurpose, OptimizationState, OptimizationTarget,
    OptimizationTrial, OrgId, Timestamp, UserPlaybook,
};
use serde_json::Value;

use crate::{Lease, Page, Result, RunStart};

/// Which runs. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OptimizationFilter {
    pub purpose: Option<OptimizationPurpose>,
    pub target: Option<OptimizationTarget>,
    pub state: Option<OptimizationState>,
}

/// What a step of a run brought.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimizationStep {
    /// The search as it now stands.
    pub run: String,
    pub candidates: Vec<OptimizationCandidate>,
    pub trials: Vec<OptimizationTrial>,
    pub events: Vec<Value>,
    pub progress: JobProgress,
}

/// The playbook with the better wording, and the one whose place it takes, as it was read. Its id is still 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Successor {
    Agent { row: Box<AgentPlaybook>, replaces: Box<AgentPlaybook> },
    User { row: Box<UserPlaybook>, replaces: Box<UserPlaybook> },
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimizationEnd {
    pub state: OptimizationState,
    pub body: OptimizationBody,
    pub candidates: Vec<OptimizationCandidate>,
    pub successor: Option<Successor>,
    /// Under which the successor can be taken back.
    pub run: RunStart,
}

/// Runs that look for a better wording of a playbook, with everything that was tried.
#[async_trait]
pub trait Optimizations: Send + Sync {
    /// Stores a run whose id is still 0 together with its job. Fails with `Duplicate` while another run of the same playbook
    /// and for the same purpose is under way; its id is named.
    async fn start_optimization(&self, org: &OrgId, run: Optimization, job: NewJob) -> Result<Optimization>;

    async fn optimization(&self, org: &OrgId, id: OptimizationId) -> Result<Option<Optimization>>;

    /// The run that a job carries out, with the search as it stood after its last step.
    async fn optimization_of_job(
        &self,
        org: &OrgId,
        job: JobId,
    ) -> Result<Option<(Optimization, Option<String>)>>;

    /// The newest first, and whether more follow.
    async fn optimizations(
        &self,
        org: &OrgId,
        filter: &OptimizationFilter,
        page: Page,
    ) -> Result<(Vec<Optimization>, bool)>;

    async fn optimization_candidates(
        &self,
        org: &OrgId,
        id: OptimizationId,
    ) -> Result<Vec<OptimizationCandidate>>;

    async fn optimization_trials(&self, org: &OrgId, id: OptimizationId) -> Result<Vec<OptimizationTrial>>;

    /// In order, from the one after `after` on.
    async fn optimization_events(
        &self,
        org: &OrgId,
        id: OptimizationId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OptimizationEvent>>;

    /// Stores a step of a run that its job still holds.
    async fn advance_optimization(
        &self,
        lease: &Lease,
        id: OptimizationId,
        step: OptimizationStep,
        at: Timestamp,
    ) -> Result<()>;

    /// Ends a run together with its job, and puts the successor in the place of what it replaces. If that is no longer in
    /// use, pending (for a rule of the agent) and worded as it was read, fails with `Changed` and changes nothing.
    async fn end_optimization(
        &self,
        lease: &Lease,
        id: OptimizationId,
        end: OptimizationEnd,
        at: Timestamp,
    ) -> Result<Optimization>;

    /// Ends a run whose job came to nothing. One that is over stays as it is.
    async fn close_optimization(
        &self,
        org: &OrgId,
        id: OptimizationId,
        state: OptimizationState,
        decision: &str,
        at: Timestamp,
    ) -> Result<Option<Optimization>>;
}
