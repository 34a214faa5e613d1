use reflexio_types::{
    AnswerOrder as DomainOrder, RegularVsShadow as DomainVerdict, ShadowComparison, ShadowTally,
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::field::{NonNegative, Positive};
use crate::time::{When, has_time_range};

/// Which answer served the user better: the one that was given, or the one in `shadow_content`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegularVsShadow {
    RegularIsBetter,
    RegularIsSlightlyBetter,
    ShadowIsBetter,
    ShadowIsSlightlyBetter,
    Tied,
}

impl RegularVsShadow {
    pub fn as_str(self) -> &'static str {
        DomainVerdict::from(self).as_str()
    }
}

impl From<DomainVerdict> for RegularVsShadow {
    fn from(verdict: DomainVerdict) -> Self {
        match verdict {
            DomainVerdict::RegularIsBetter => RegularVsShadow::RegularIsBetter,
            DomainVerdict::RegularIsSlightlyBetter => RegularVsShadow::RegularIsSlightlyBetter,
            DomainVerdict::ShadowIsBetter => RegularVsShadow::ShadowIsBetter,
            DomainVerdict::ShadowIsSlightlyBetter => RegularVsShadow::ShadowIsSlightlyBetter,
            DomainVerdict::Tied => RegularVsShadow::Tied,
        }
    }
}

impl From<RegularVsShadow> for DomainVerdict {
    fn from(verdict: RegularVsShadow) -> Self {
        match verdict {
            RegularVsShadow::RegularIsBetter => DomainVerdict::RegularIsBetter,
            RegularVsShadow::RegularIsSlightlyBetter => DomainVerdict::RegularIsSlightlyBetter,
            RegularVsShadow::ShadowIsBetter => DomainVerdict::ShadowIsBetter,
            RegularVsShadow::ShadowIsSlightlyBetter => DomainVerdict::ShadowIsSlightlyBetter,
            RegularVsShadow::Tied => DomainVerdict::Tied,
        }
    }
}

/// In which order the judge saw the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOrder {
    RegularFirst,
    ShadowFirst,
}

/// The two answers of one turn, compared.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShadowComparisonView {
    pub shadow_comparison_id: i64,
    pub interaction_id: i64,
    pub request_id: String,
    pub session_id: String,
    pub user_id: String,
    pub agent_version: String,
    pub verdict: RegularVsShadow,
    pub reason: String,
    /// Missing if no model was asked.
    pub order: Option<AnswerOrder>,
    /// The prompt of the judge, `name@version`; missing if no model was asked.
    pub prompt_version: Option<String>,
    /// The model, or `builtin`.
    pub judged_by: String,
    pub created_at: i64,
}

impl From<ShadowComparison> for ShadowComparisonView {
    fn from(row: ShadowComparison) -> Self {
        Self {
            shadow_comparison_id: row.id.0,
            interaction_id: row.interaction_id.0,
            request_id: row.request_id.into_string(),
            session_id: row.session_id.into_string(),
            user_id: row.user_id.into_string(),
            agent_version: row.agent_version,
            verdict: row.verdict.into(),
            reason: row.body.reason,
            order: row.body.order.map(|order| match order {
                DomainOrder::RegularFirst => AnswerOrder::RegularFirst,
                DomainOrder::ShadowFirst => AnswerOrder::ShadowFirst,
            }),
            prompt_version: row.body.prompt_version,
            judged_by: row.body.judged_by,
            created_at: row.created_at.0,
        }
    }
}

/// How often the shadow answers of an agent version won.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShadowRateView {
    pub agent_version: String,
    pub comparisons: u64,
    /// The shadow answer was better, slightly or clearly.
    pub wins: u64,
    /// The regular answer was better.
    pub losses: u64,
    pub ties: u64,
    pub clear_wins: u64,
    pub clear_losses: u64,
    /// Wins among the comparisons that one of the two won; null while all are tied.
    pub win_rate: Option<f64>,
    /// The 95 % interval of `win_rate` (Wilson).
    pub win_rate_low: Option<f64>,
    pub win_rate_high: Option<f64>,
    /// Wins less losses, of all comparisons: from -1 to 1.
    pub net_win: f64,
}

impl From<ShadowTally> for ShadowRateView {
    fn from(tally: ShadowTally) -> Self {
        let (wins, losses, comparisons) = (tally.wins(), tally.losses(), tally.count());
        let rate = tally.win_rate();
        Self {
            comparisons,
            wins,
            losses,
            ties: tally.tied,
            clear_wins: tally.shadow_is_better,
            clear_losses: tally.regular_is_better,
            win_rate: rate.map(|rate| rate.rate),
            win_rate_low: rate.map(|rate| rate.low),
            win_rate_high: rate.map(|rate| rate.high),
            net_win: (wins as f64 - losses as f64) / comparisons.max(1) as f64,
            agent_version: tally.agent_version,
        }
    }
}

/// Which comparisons to list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetShadowComparisonsQuery {
    pub user_id: Option<String>,
    pub session_id: Option<String>,
    pub agent_version: Option<String>,
    pub verdict: Option<RegularVsShadow>,
    /// When they were made: ISO 8601, or seconds since 1970.
    #[param(value_type = Option<String>)]
    pub start_time: Option<When>,
    #[param(value_type = Option<String>)]
    pub end_time: Option<When>,
    /// How many: 100 if missing, 1000 at most.
    pub limit: Option<Positive>,
    /// How many to pass over.
    pub offset: Option<NonNegative>,
}

/// A page of comparisons, the newest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetShadowComparisonsResponse {
    pub success: bool,
    pub comparisons: Vec<ShadowComparisonView>,
    pub has_more: bool,
    /// Per agent version, of all comparisons that match whatever their verdict.
    pub rates: Vec<ShadowRateView>,
    pub msg: Option<String>,
}

/// Which answers to compare.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunShadowComparisonsRequest {
    pub user_id: Option<String>,
    pub session_id: Option<String>,
    pub agent_version: Option<String>,
    /// When they were published.
    pub start_time: Option<When>,
    pub end_time: Option<When>,
    /// Also those that were compared already; the new comparison takes the place of the old one.
    #[serde(default)]
    pub again: bool,
}

has_time_range!(GetShadowComparisonsQuery, RunShadowComparisonsRequest);

#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunShadowComparisonsResponse {
    pub success: bool,
    /// Requests whose answers will be compared.
    pub queued: u64,
    pub msg: Option<String>,
}

/// How many of the latest comparisons.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RecentShadowComparisonsQuery {
    /// 10 if missing, 1000 at most.
    pub limit: Option<Positive>,
}

impl crate::body::WireRequest for RecentShadowComparisonsQuery {}

/// The latest comparisons, in the words of the public contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetRecentShadowComparisonsResponse {
    pub verdicts: Vec<ShadowComparisonVerdict>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShadowComparisonVerdict {
    pub verdict_id: i64,
    pub interaction_id: String,
    pub session_id: String,
    pub agent_version: String,
    /// Whether the shadow answer was shown to the judge as the first one.
    pub reflexio_is_request_1: bool,
    pub output: ShadowComparisonOutput,
    pub judge_prompt_version: String,
    #[schema(format = DateTime)]
    pub created_at: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShadowComparisonOutput {
    pub better_request: BetterRequest,
    pub is_significantly_better: bool,
    pub comparison_reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum BetterRequest {
    #[serde(rename = "1")]
    First,
    #[serde(rename = "2")]
    Second,
    #[serde(rename = "tie")]
    Tie,
}

impl From<ShadowComparison> for ShadowComparisonVerdict {
    fn from(row: ShadowComparison) -> Self {
        use reflexio_types::Answer;
        let shadow_first = row.body.order == Some(DomainOrder::ShadowFirst);
        let better_request = match (row.verdict.better(), shadow_first) {
            (None, _) => BetterRequest::Tie,
            (Some(Answer::Shadow), true) | (Some(Answer::Regular), false) => BetterRequest::First,
            (Some(Answer::Shadow), false) | (Some(Answer::Regular), true) => BetterRequest::Second,
        };
        Self {
            verdict_id: row.id.0,
            interaction_id: row.interaction_id.0.to_string(),
            session_id: row.session_id.into_string(),
            agent_version: row.agent_version,
            reflexio_is_request_1: shadow_first,
            output: ShadowComparisonOutput {
                better_request,
                is_significantly_better: row.verdict.is_clear(),
                comparison_reason: Some(row.body.reason),
            },
            judge_prompt_version: row.body.prompt_version.unwrap_or(row.body.judged_by),
            created_at: row.created_at.to_iso(),
        }
    }
}
