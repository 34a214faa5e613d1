use std::collections::BTreeMap;

use reflexio_types::{InteractionId, ProfileBody, ProfileTimeToLive, UserPlaybookBody};
use serde_json::{Map, Value};

/// What `learned_by` says on every row that comes from here.
pub const LEARNED_BY: &str = "builtin";

/// What in the conversation taught an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    Correction,
    Preference,
    Fact,
    Failure,
    Confirmation,
    Action,
    ExpertGap,
}

impl Signal {
    pub const ALL: [Signal; 7] = [
        Signal::Correction,
        Signal::Preference,
        Signal::Fact,
        Signal::Failure,
        Signal::Confirmation,
        Signal::Action,
        Signal::ExpertGap,
    ];

    /// The word for it in `reader_angle`.
    pub fn as_str(self) -> &'static str {
        match self {
            Signal::Correction => "correction",
            Signal::Preference => "preference",
            Signal::Fact => "fact",
            Signal::Failure => "observed-failure",
            Signal::Confirmation => "verified-success",
            Signal::Action => "user-action",
            Signal::ExpertGap => "expert-gap",
        }
    }
}

/// Everything one window taught.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    pub profiles: Vec<LearnedProfile>,
    pub playbooks: Vec<LearnedPlaybook>,
    /// What the user wants removed. Whether and what to remove is the caller's decision.
    pub forget: Vec<ForgetRequest>,
    pub dropped: Dropped,
}

/// A fact about the user.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedProfile {
    pub content: String,
    pub time_to_live: ProfileTimeToLive,
    pub signal: Signal,
    /// Labels of the turns that show it, in window order, never empty.
    pub evidence: Vec<String>,
    /// The user's own words.
    pub source_span: String,
    /// Only fields that the extractor's `metadata_definition_prompt` names.
    pub custom_features: Option<Map<String, Value>>,
}

impl LearnedProfile {
    pub fn into_body(self, sources: Vec<InteractionId>) -> ProfileBody {
        ProfileBody {
            content: self.content,
            custom_features: self.custom_features,
            source_interaction_ids: sources,
            source_span: Some(self.source_span),
            reader_angle: Some(self.signal.as_str().to_owned()),
            learned_by: Some(LEARNED_BY.to_owned()),
            ..ProfileBody::default()
        }
    }
}

/// A rule for the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedPlaybook {
    pub playbook_name: String,
    pub trigger: String,
    pub instruction: String,
    pub pitfall: Option<String>,
    pub rationale: String,
    /// Trigger, instruction and pitfall as one readable text.
    pub content: String,
    pub signal: Signal,
    /// Labels of the turns that show it, in window order, never empty.
    pub evidence: Vec<String>,
    /// The words that taught it.
    pub source_span: String,
    /// Only fields that the definition's `metadata_definition_prompt` names.
    pub metadata: Map<String, Value>,
}

impl LearnedPlaybook {
    pub fn into_body(self, sources: Vec<InteractionId>) -> UserPlaybookBody {
        let metadata =
            if self.metadata.is_empty() { String::new() } else { Value::Object(self.metadata).to_string() };
        UserPlaybookBody {
            content: self.content,
            trigger: Some(self.trigger),
            instruction: Some(self.instruction),
            pitfall: self.pitfall,
            rationale: Some(self.rationale),
            playbook_metadata: metadata,
            source_interaction_ids: sources,
            source_span: Some(self.source_span),
            reader_angle: Some(self.signal.as_str().to_owned()),
            learned_by: Some(LEARNED_BY.to_owned()),
            ..UserPlaybookBody::default()
        }
    }
}

/// "Forget that …": what the user no longer wants remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetRequest {
    /// In the user's words, to be matched against what is stored.
    pub what: String,
    pub evidence: Vec<String>,
}

/// Why something that looked like a lesson is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DropReason {
    /// It is asked, not said.
    Question,
    /// "If I were …", "suppose …".
    Hypothetical,
    /// Somebody else said it.
    Reported,
    /// A document, code or a quotation inside the turn.
    Pasted,
    /// The turn tries to talk the agent out of its rules.
    Injection,
    /// Our own words came back.
    OwnText,
    /// A password or a number that must not be kept.
    Secret,
    /// A choice between the options at hand, which says nothing about the next time.
    Choice,
    Sarcasm,
    /// It refers to something the window does not show.
    NoContext,
    /// The expert said the same in other words.
    StyleOnly,
    /// An action that tells nothing about the user.
    Uninformative,
    /// No definition that is due wants it.
    NoDefinition,
    Duplicate,
}

/// How many candidates were dropped, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dropped(pub BTreeMap<DropReason, u32>);

impl Dropped {
    pub fn count(&self, reason: DropReason) -> u32 {
        self.0.get(&reason).copied().unwrap_or(0)
    }

    pub(super) fn add(&mut self, reason: DropReason) {
        *self.0.entry(reason).or_insert(0) += 1;
    }
}
