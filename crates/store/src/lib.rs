//! What Reflexio needs of a database: one trait per kind of row, and the error they share.
//!
//! A backend implements all of them. The contract every backend must keep, checked by
//! `reflexio-store-tests`:
//!
//! * A method that returned `Ok` is durable; one that returned an error changed nothing.
//! * Every method takes the org, and no method ever reads or writes a row of another org. Only
//!   the queue's workers, its totals, the age of calls, runs and injections, and what the server spent are about all of them.
//! * A row and its text index entry are written, changed and deleted in one transaction.
//! * Scoped deletes are predicates: they delete what matches and say how much that was.
//!
//! This crate must never know a concrete database, the wire format or the clock.

mod agent_playbook_revisions;
mod agent_playbooks;
mod aggregations;
mod analytics;
mod answers;
mod ask;
mod configs;
mod costs;
mod error;
mod evaluations;
mod filter;
mod injections;
mod interactions;
mod jobs;
mod keys;
mod learning;
mod lineage;
mod maintenance;
mod operations;
mod optimizations;
mod outcomes;
mod playbook_runs;
mod profiles;
mod requests;
mod runs;
mod shadow_comparisons;
mod transfer;
mod user_playbooks;
mod vectors;
mod words;

use std::sync::Arc;

pub use agent_playbook_revisions::{AgentPlaybookRevisions, AgentPlaybookWrite};
pub use agent_playbooks::{AgentPlaybookChange, AgentPlaybookSelector, AgentPlaybooks};
pub use aggregations::{Aggregated, AggregationScope, Aggregations, Clustering, Grown, Proposed};
pub use analytics::{
    AgentPlaybookCount, Analytics, DayCount, PlaybookCounts, PlaybookScope, UserPlaybookCount, VersionCount,
};
pub use answers::{Answers, SavedAnswer};
pub use ask::{Ask, Scored, Shortlist};
pub use configs::{Configs, StoredConfig};
pub use costs::{CostFilter, CostGroup, CostGrouping, CostReport, Costs};
pub use error::{Error, Result};
pub use evaluations::{EvaluationFilter, Evaluations, JudgedBy, Judgement, SessionRef};
pub use filter::{
    AgentPlaybookFilter, InteractionFilter, InteractionOrder, Page, ProfileFilter, RequestFilter,
    UserPlaybookFilter,
};
pub use injections::{
    InjectionFilter, Injections, JudgedSession, JudgedSessions, Peers, RuleRef, RuleUses, SessionWord,
    WordingUse,
};
pub use interactions::{InteractionSelector, Interactions};
pub use jobs::{Claim, Claimed, Enqueued, Held, JobCounts, JobFilter, Jobs, Lease, Retry};
pub use keys::Keys;
pub use learning::{
    Confirmed, Cursor, CursorMove, JobEnd, Learning, Lesson, PublishedTurn, PublisherFilter, Reach, Retired,
    Retirement, Superseded,
};
pub use lineage::{Lineage, ProfileChange};
pub use maintenance::{IntegrityReport, Maintenance, StorageStats, UserDataCounts};
pub use operations::Operations;
pub use optimizations::{OptimizationEnd, OptimizationFilter, OptimizationStep, Optimizations, Successor};
pub use outcomes::{OutcomeFilter, Outcomes, Recorded};
pub use playbook_runs::{
    JournalPiece, NewPlaybookRun, PlaybookRest, PlaybookRunFilter, PlaybookRuns, StoredPlaybookRun,
};
pub use profiles::{ProfileSelector, Profiles};
pub use requests::{NewRequest, Published, RequestDetail, RequestSelector, Requests, SessionGroup};
pub use runs::{RunFilter, RunStart, Runs, Undone};
pub use shadow_comparisons::{ShadowComparisonFilter, ShadowComparisons, ShadowJudgement, ShadowTurnFilter};
pub use transfer::{Record, Transfer};
pub use user_playbooks::{Downgrade, Upgrade, UserPlaybookChange, UserPlaybookSelector, UserPlaybooks};
pub use vectors::{Embedded, RowRef, Unembedded, VectorCounts, VectorIndex, VectorModel, Vectors};
pub use words::Words;

/// A whole database.
pub trait Store:
    Requests
    + Interactions
    + Profiles
    + UserPlaybooks
    + AgentPlaybooks
    + AgentPlaybookRevisions
    + Configs
    + Keys
    + Operations
    + Optimizations
    + Jobs
    + Costs
    + Answers
    + Aggregations
    + Learning
    + Outcomes
    + Evaluations
    + Injections
    + Analytics
    + Lineage
    + Runs
    + PlaybookRuns
    + ShadowComparisons
    + Maintenance
    + Transfer
    + Vectors
    + Words
{
}

impl<T> Store for T where
    T: Requests
        + Interactions
        + Profiles
        + UserPlaybooks
        + AgentPlaybooks
        + AgentPlaybookRevisions
        + Configs
        + Keys
        + Operations
        + Optimizations
        + Jobs
        + Costs
        + Answers
        + Aggregations
        + Learning
        + Outcomes
        + Evaluations
        + Injections
        + Analytics
        + Lineage
        + Runs
        + PlaybookRuns
        + ShadowComparisons
        + Maintenance
        + Transfer
        + Vectors
        + Words
{
}

/// A store that several owners share.
pub type SharedStore = Arc<dyn Store>;
