use reflexio_types::{
    BlockedRow, Run, RunChange, RunKind as DomainKind, RunLoss as DomainLoss, RunState as DomainState,
    UndoPlan, UndoRefusal,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::{NonNegative, Positive};

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    Aggregation,
    Rerun,
    Upgrade,
    Downgrade,
    Import,
    /// Approved rules of one version of the agent, proposed for another.
    CarryOver,
    /// A better wording of one playbook.
    Optimization,
    /// Takes another run back; undoing it brings that run back.
    Undo,
}

impl RunKind {
    pub fn as_str(self) -> &'static str {
        DomainKind::from(self).as_str()
    }
}

impl From<DomainKind> for RunKind {
    fn from(kind: DomainKind) -> Self {
        match kind {
            DomainKind::Aggregation => RunKind::Aggregation,
            DomainKind::Rerun => RunKind::Rerun,
            DomainKind::Upgrade => RunKind::Upgrade,
            DomainKind::Downgrade => RunKind::Downgrade,
            DomainKind::Import => RunKind::Import,
            DomainKind::CarryOver => RunKind::CarryOver,
            DomainKind::Optimization => RunKind::Optimization,
            DomainKind::Undo => RunKind::Undo,
        }
    }
}

impl From<RunKind> for DomainKind {
    fn from(kind: RunKind) -> Self {
        match kind {
            RunKind::Aggregation => DomainKind::Aggregation,
            RunKind::Rerun => DomainKind::Rerun,
            RunKind::Upgrade => DomainKind::Upgrade,
            RunKind::Downgrade => DomainKind::Downgrade,
            RunKind::Import => DomainKind::Import,
            RunKind::CarryOver => DomainKind::CarryOver,
            RunKind::Optimization => DomainKind::Optimization,
            RunKind::Undo => DomainKind::Undo,
        }
    }
}

/// Whether what a run did stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Done,
    Undone,
}

impl RunState {
    pub fn as_str(self) -> &'static str {
        DomainState::from(self).as_str()
    }
}

impl From<DomainState> for RunState {
    fn from(state: DomainState) -> Self {
        match state {
            DomainState::Done => RunState::Done,
            DomainState::Undone => RunState::Undone,
        }
    }
}

impl From<RunState> for DomainState {
    fn from(state: RunState) -> Self {
        match state {
            RunState::Done => DomainState::Done,
            RunState::Undone => DomainState::Undone,
        }
    }
}

/// Why what a run changed is not known any more, so that it cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunLoss {
    UserErased,
    Expired,
}

/// An operation that changed learned rows.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunView {
    pub run_id: String,
    pub kind: RunKind,
    pub state: RunState,
    /// What it was about.
    pub scope: String,
    /// The key that asked for it; missing for the machine itself and on a server without keys.
    pub actor: Option<String>,
    /// Nobody asked for it.
    pub automatic: bool,
    pub job_id: Option<i64>,
    pub started_at: i64,
    /// When it last changed something.
    pub ended_at: i64,
    pub added: u64,
    pub changed: u64,
    /// Rows that it deleted or took out of use.
    pub retired: u64,
    /// What its calls of models cost, as long as they are kept one by one; missing if it is no job.
    pub cost_usd: Option<f64>,
    /// The run that this one took back.
    pub undoes: Option<String>,
    /// The run that took this one back.
    pub undone_by: Option<String>,
    pub loss: Option<RunLoss>,
}

impl RunView {
    pub fn new(run: Run, cost_usd: Option<f64>) -> Self {
        Self {
            run_id: run.id.into_string(),
            kind: run.kind.into(),
            state: run.state.into(),
            scope: run.scope,
            actor: run.actor,
            automatic: run.automatic,
            job_id: run.job.map(|job| job.0),
            started_at: run.started_at.0,
            ended_at: run.ended_at.0,
            added: run.added,
            changed: run.changed,
            retired: run.retired,
            cost_usd,
            undoes: run.undoes.map(|id| id.into_string()),
            undone_by: run.undone_by.map(|id| id.into_string()),
            loss: run.loss.map(|loss| match loss {
                DomainLoss::UserErased => RunLoss::UserErased,
                DomainLoss::Expired => RunLoss::Expired,
            }),
        }
    }
}

/// One change of a run. Of a row that changed, both sides hold only the fields that differ.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunChangeView {
    /// Grows in the order in which things happened.
    pub sequence: i64,
    /// `added`, `changed` or `deleted`.
    pub action: String,
    /// `profile`, `user_playbook` or `agent_playbook`.
    pub row_kind: String,
    pub row_id: String,
    pub user_id: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub before: Option<Map<String, Value>>,
    #[schema(value_type = Option<Object>)]
    pub after: Option<Map<String, Value>>,
}

impl From<RunChange> for RunChangeView {
    fn from(change: RunChange) -> Self {
        Self {
            sequence: change.sequence,
            action: change.action.as_str().to_owned(),
            row_kind: change.row.kind().to_owned(),
            row_id: change.row.id_text(),
            user_id: change.user_id.map(|user| user.into_string()),
            before: change.before,
            after: change.after,
        }
    }
}

/// Which runs to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetRunsQuery {
    pub kind: Option<RunKind>,
    pub state: Option<RunState>,
    /// How many: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
    /// How many to pass over.
    pub offset: Option<NonNegative>,
}

impl WireRequest for GetRunsQuery {}

/// A page of runs, latest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetRunsResponse {
    pub success: bool,
    pub runs: Vec<RunView>,
    pub has_more: bool,
    pub msg: Option<String>,
}

/// Which changes of a run to show.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetRunQuery {
    /// How many changes: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
    /// How many to pass over.
    pub offset: Option<NonNegative>,
}

impl WireRequest for GetRunQuery {}

/// A run with what it changed.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetRunResponse {
    pub success: bool,
    pub run: RunView,
    pub changes: Vec<RunChangeView>,
    pub has_more: bool,
    pub msg: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct UndoRunQuery {
    /// Only say what would happen, or what stands in the way.
    pub dry_run: bool,
}

impl WireRequest for UndoRunQuery {}

/// A row that is not as the run left it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlockedRowView {
    pub row_kind: String,
    pub row_id: String,
    pub user_id: Option<String>,
    /// What happened to it since.
    pub reason: String,
}

impl From<BlockedRow> for BlockedRowView {
    fn from(blocked: BlockedRow) -> Self {
        Self {
            row_kind: blocked.row.kind().to_owned(),
            row_id: blocked.row.id_text(),
            user_id: blocked.user_id.map(|user| user.into_string()),
            reason: blocked.reason.to_string(),
        }
    }
}

/// What an undo did, or would do.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UndoRunResponse {
    /// Whether it was undone, or could be.
    pub success: bool,
    pub dry_run: bool,
    /// The run that took the other one back; undoing it brings the other one back.
    pub run: Option<RunView>,
    /// How many rows were put back, or would be.
    pub rows: u64,
    /// Some of them are approved agent playbooks, or were: the key needs the scope `review`.
    pub touches_approved: bool,
    /// The first 100 rows that stand in the way.
    pub blocked: Vec<BlockedRowView>,
    pub msg: Option<String>,
}

impl From<UndoPlan> for UndoRunResponse {
    fn from(plan: UndoPlan) -> Self {
        let msg = match &plan.refusal {
            Some(refusal) => format!("cannot be undone: {refusal}"),
            None => format!("{} row(s) would be put back", plan.rows),
        };
        Self {
            success: plan.refusal.is_none(),
            dry_run: true,
            run: None,
            rows: plan.rows,
            touches_approved: plan.touches_approved,
            blocked: match plan.refusal {
                Some(UndoRefusal::RowsChanged { rows, .. }) => {
                    rows.into_iter().map(BlockedRowView::from).collect()
                }
                _ => Vec::new(),
            },
            msg: Some(msg),
        }
    }
}
