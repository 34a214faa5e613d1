use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;

/// With which sessions those that got a rule are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImpactPeers {
    /// Sessions for which other rules were retrieved.
    #[default]
    WithRules,
    /// All other sessions of the same agent versions.
    All,
}

#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ImpactQuery {
    /// `with_rules` if missing.
    #[param(inline)]
    pub compared_with: Option<ImpactPeers>,
}

impl WireRequest for ImpactQuery {}

/// How many of how many, and the share with its 95 % interval (Wilson).
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShareView {
    pub count: u64,
    pub total: u64,
    /// Missing if there is nothing to divide by.
    pub share: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// The difference of two shares and its 95 % interval (Newcombe).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DifferenceView {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What the comparison says; an observation, not a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImpactEffect {
    /// Fewer than ten sessions on one side.
    TooFew,
    /// The interval of the difference holds zero.
    Unclear,
    Helps,
    Hurts,
}

/// Sessions with a rule beside sessions without it. Only sessions whose outcome is known count.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonView {
    pub effect: ImpactEffect,
    /// The same in words.
    pub summary: String,
    /// Sessions that got it: how many of them succeeded.
    pub with: ShareView,
    pub without: ShareView,
    pub difference: Option<DifferenceView>,
    /// Sessions whose outcome was told (`mark_session_outcome`) …
    pub told_sessions: u64,
    /// … and those that count by their evaluation, because nobody told.
    pub judged_sessions: u64,
}

/// One wording of a rule; an edit makes the next one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WordingImpactView {
    /// 1 for the wording that was used first.
    pub revision: u64,
    /// A fingerprint of the words.
    pub wording: String,
    /// Whether the rule reads so now.
    pub is_current: bool,
    pub retrievals: u64,
    pub sessions: u64,
    pub first_used_at: i64,
    pub last_used_at: i64,
    #[serde(flatten)]
    pub comparison: ComparisonView,
}

/// How often agents got a rule, and how sessions with it ended beside sessions without it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPlaybookImpactResponse {
    pub success: bool,
    pub agent_playbook_id: i64,
    pub playbook_name: String,
    pub content: String,
    /// How often it was retrieved for a prompt.
    pub retrievals: u64,
    /// Different sessions that got it.
    pub sessions: u64,
    /// Sessions without the rule count if they began between these two.
    pub since: Option<i64>,
    pub until: Option<i64>,
    /// Sessions of these versions of the agent are compared.
    pub agent_versions: Vec<String>,
    pub compared_with: ImpactPeers,
    #[serde(flatten)]
    pub comparison: ComparisonView,
    /// In the order of first use.
    pub wordings: Vec<WordingImpactView>,
    /// There are more judged sessions than were looked at; the oldest are missing.
    pub incomplete: bool,
    /// What these numbers cannot tell.
    pub caveat: String,
}
