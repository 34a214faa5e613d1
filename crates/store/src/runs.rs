use async_trait::async_trait;
use reflexio_types::{
    JobId, OrgId, Run, RunChange, RunId, RunKind, RunState, Timestamp, UndoPlan, UndoRefusal, UserId,
};

use crate::{Page, Result};

/// Makes an operation a run: what it changes in learned rows is recorded in the transaction that changes it. A run that
/// changes nothing leaves no trace; one that is named again goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStart {
    pub id: RunId,
    pub kind: RunKind,
    pub actor: Option<String>,
    /// Nobody asked for it.
    pub automatic: bool,
    pub job: Option<JobId>,
    /// What it is about, for people.
    pub scope: String,
    /// The one user it is about; `scope` is forgotten with them.
    pub user_id: Option<UserId>,
}

/// Which runs. An empty filter means all of the org.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    pub kind: Option<RunKind>,
    pub state: Option<RunState>,
}

/// What came of an undo.
#[derive(Debug, Clone, PartialEq)]
pub enum Undone {
    /// The run that took the other one back.
    Done(Run),
    Refused(UndoRefusal),
    /// There is no such run.
    Unknown,
}

/// Operations that changed learned rows, and taking them back.
#[async_trait]
pub trait Runs: Send + Sync {
    /// Latest first; also says whether there are more.
    async fn runs(&self, org: &OrgId, filter: &RunFilter, page: Page) -> Result<(Vec<Run>, bool)>;

    async fn run(&self, org: &OrgId, id: &RunId) -> Result<Option<Run>>;

    /// In the order in which they happened.
    async fn run_changes(&self, org: &OrgId, id: &RunId, page: Page) -> Result<(Vec<RunChange>, bool)>;

    /// Looks without changing anything; nothing for a run that is not there.
    async fn undo_plan(&self, org: &OrgId, id: &RunId) -> Result<Option<UndoPlan>>;

    /// Puts every row of a run back as it was before, in one transaction that is itself a run. If one row is not as the
    /// run left it, nothing is changed.
    async fn undo_run(&self, org: &OrgId, id: &RunId, undo: &RunStart, at: Timestamp) -> Result<Undone>;

    /// Of all orgs: forgets what runs changed that ended before this time, at most so many changes; says how many. The
    /// runs themselves stay.
    async fn forget_run_changes(&self, before: Timestamp, limit: usize) -> Result<u64>;
}
