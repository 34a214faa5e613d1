use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::field::{Id, TokenBudget};

/// For whom and what a context block is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ContextQuery {
    /// Whose profiles and playbooks; without it only what holds for everybody.
    pub user_id: Option<Id>,
    /// What the agent is asked now; what fits it best comes last.
    pub query: Option<String>,
    pub agent_version: Option<String>,
    pub playbook_name: Option<String>,
    /// The most tokens, estimated; 1500 if missing.
    pub token_budget: Option<TokenBudget>,
    /// For which session; changes nothing in the block, and tells later what its rules did.
    pub session_id: Option<Id>,
    /// Also user playbooks that a rule in the block says already.
    pub include_covered: Option<bool>,
}

impl WireRequest for ContextQuery {}

/// A block to put into the agent's prompt as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextResponse {
    pub success: bool,
    /// Empty if nothing is known.
    pub context: String,
    /// How long it is, estimated.
    pub tokens: u64,
    /// The same for the same text; also in the `ETag` header.
    pub version: String,
    /// What it holds, in order; publish it as `retrieved_learnings` to learn what helped.
    pub learnings: Vec<ContextLearning>,
    /// Rows that fit the request but not the budget.
    pub left_out: u64,
    /// User playbooks that were left out because a rule in the block says the same.
    pub covered: u64,
    /// Meaning was asked for and only words were matched.
    pub degraded: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextLearning {
    /// `profile`, `user_playbook` or `agent_playbook`.
    pub kind: String,
    pub learning_id: String,
}
