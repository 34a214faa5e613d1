use reflexio_types::Injection;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::{IntoParams, ToSchema};

use crate::body::WireRequest;
use crate::detail::Detail;
use crate::field::{Id, Positive, UpToThousand};
use crate::object::objects;
use crate::publish::{RetrievedLearning, RetrievedLearningKind};
use crate::requests::check_ids;
use crate::time::{When, has_time_range};

/// More rules than this are in no prompt.
const MOST_RULES: usize = 500;

/// Rules that an agent put into a prompt by its own choice.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddInjectionRequest {
    /// The session as it is published.
    pub session_id: Id,
    /// User and agent playbooks; profiles may be named and are left out.
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1, max_items = 500)]
    pub rules: Vec<RetrievedLearning>,
    pub user_id: Option<Id>,
    pub agent_version: Option<String>,
    pub request_id: Option<Id>,
    /// The `version` of the context block that they came from.
    pub block_version: Option<Id>,
}

impl WireRequest for AddInjectionRequest {
    fn check(&self, _: &[String]) -> Vec<Detail> {
        let mut problems = check_ids("rules", self.rules.len(), MOST_RULES);
        if self.session_id.as_str().trim().is_empty() {
            let message = "Value error, give the session in which the rules are used";
            problems.push(Detail::body("value_error", &["session_id"], message));
        }
        problems
    }
}

/// What was recorded.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddInjectionResponse {
    pub success: bool,
    /// Missing if only profiles were named.
    pub injection_id: Option<i64>,
    /// How many rules.
    pub recorded: u64,
    /// Rules that are not there; the others were recorded.
    pub unknown: Vec<RetrievedLearning>,
    pub msg: Option<String>,
}

/// Which records of retrieved rules, newest first.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetInjectionsQuery {
    pub session_id: Option<String>,
    pub user_id: Option<String>,
    /// Only those that hold this agent playbook.
    pub agent_playbook_id: Option<Positive>,
    #[param(value_type = Option<String>)]
    pub start_time: Option<When>,
    #[param(value_type = Option<String>)]
    pub end_time: Option<When>,
    /// 100 if missing.
    pub limit: Option<UpToThousand>,
}

has_time_range!(GetInjectionsQuery);

/// A rule as the agent got it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InjectedRuleView {
    pub kind: RetrievedLearningKind,
    pub learning_id: String,
    /// A fingerprint of its words.
    pub wording: String,
}

/// Rules that an agent got for a prompt.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InjectionView {
    pub injection_id: i64,
    pub created_at: i64,
    /// `context`, `search`, `search_agent_playbooks`, `search_user_playbooks` or `reported`.
    pub route: String,
    pub session_id: Option<String>,
    pub user_id: Option<String>,
    pub agent_version: Option<String>,
    pub request_id: Option<String>,
    pub block_version: Option<String>,
    pub rules: Vec<InjectedRuleView>,
}

impl From<Injection> for InjectionView {
    fn from(row: Injection) -> Self {
        let rules = row.rules.into_iter().map(|rule| InjectedRuleView {
            kind: rule.kind.into(),
            learning_id: rule.id,
            wording: rule.wording,
        });
        Self {
            injection_id: row.id.0,
            created_at: row.at.0,
            route: row.route.as_str().to_owned(),
            session_id: row.session_id.map(|id| id.into_string()),
            user_id: row.user_id.map(|id| id.into_string()),
            agent_version: row.agent_version,
            request_id: row.request_id.map(|id| id.into_string()),
            block_version: row.block,
            rules: rules.collect(),
        }
    }
}

/// Records of retrieved rules, newest first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GetInjectionsResponse {
    pub success: bool,
    pub injections: Vec<InjectionView>,
    pub msg: Option<String>,
}
