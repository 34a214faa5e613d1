use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{InteractionId, ProfileId, RequestId, Status, Timestamp, UserId};

/// 2100-01-01: the expiry of a profile that does not expire.
pub const NEVER_EXPIRES: Timestamp = Timestamp(4_102_444_800);

/// How long a fact about a user stays true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileTimeToLive {
    OneDay,
    OneWeek,
    OneMonth,
    OneQuarter,
    OneYear,
    #[default]
    Infinity,
}

impl ProfileTimeToLive {
    pub const ALL: [ProfileTimeToLive; 6] = [
        ProfileTimeToLive::OneDay,
        ProfileTimeToLive::OneWeek,
        ProfileTimeToLive::OneMonth,
        ProfileTimeToLive::OneQuarter,
        ProfileTimeToLive::OneYear,
        ProfileTimeToLive::Infinity,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ProfileTimeToLive::OneDay => "one_day",
            ProfileTimeToLive::OneWeek => "one_week",
            ProfileTimeToLive::OneMonth => "one_month",
            ProfileTimeToLive::OneQuarter => "one_quarter",
            ProfileTimeToLive::OneYear => "one_year",
            ProfileTimeToLive::Infinity => "infinity",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ttl| ttl.as_str() == text)
    }

    /// When a profile written at `modified` stops being true.
    pub fn expiry(self, modified: Timestamp) -> Timestamp {
        let days = match self {
            ProfileTimeToLive::OneDay => 1,
            ProfileTimeToLive::OneWeek => 7,
            ProfileTimeToLive::OneMonth => 30,
            ProfileTimeToLive::OneQuarter => 90,
            ProfileTimeToLive::OneYear => 365,
            ProfileTimeToLive::Infinity => return NEVER_EXPIRES,
        };
        Timestamp(modified.0.saturating_add(days * 86_400))
    }
}

/// The parts of a profile that no query selects by, kept together so that new ones need no migration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProfileBody {
    pub content: String,
    pub custom_features: Option<Map<String, Value>>,
    pub extractor_names: Option<Vec<String>>,
    pub expanded_terms: Option<String>,
    pub tags: Option<Vec<String>>,
    pub source_interaction_ids: Vec<InteractionId>,
    pub source_span: Option<String>,
    pub notes: Option<String>,
    pub reader_angle: Option<String>,
    pub merged_into: Option<ProfileId>,
    pub superseded_by: Option<ProfileId>,
    pub learned_by: Option<String>,
}

/// A fact about one user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub id: ProfileId,
    pub user_id: UserId,
    /// The request it was learned from, or a word for how it came in.
    pub request_id: RequestId,
    pub last_modified: Timestamp,
    pub time_to_live: ProfileTimeToLive,
    pub expires_at: Timestamp,
    pub source: Option<String>,
    pub status: Status,
    pub body: ProfileBody,
}

impl Profile {
    pub fn searchable_text(&self) -> String {
        let mut parts = vec![self.body.content.clone()];
        if let Some(features) = &self.body.custom_features {
            parts.extend(features.values().map(|value| match value {
                Value::String(text) => text.clone(),
                other @ (Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_)) => other.to_string(),
            }));
        }
        parts.extend(self.body.expanded_terms.clone());
        parts.join("\n")
    }
}
