use serde::{Deserialize, Serialize};

use super::null_is_default;

const DEFAULT_PROFILE_DEFINITION: &str = "Facts about the user that will still matter in later conversations: \
    who they are, what they do, what they prefer, and the surroundings they work in.";
const DEFAULT_PLAYBOOK_DEFINITION: &str = "How the agent should act: what helped the user, what went wrong, what \
    the user corrected, and what to do differently in the same situation.";
const DEFAULT_SUCCESS_DEFINITION: &str = "A session succeeds when the user's goal was understood and reached, with \
    correct and usable answers. It fails when the goal was missed, an answer was wrong, a stated constraint was \
    ignored, or the user left dissatisfied.";

/// A tool the agent has; told to the models that learn from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ToolUseConfig {
    pub tool_name: String,
    pub tool_description: String,
}

/// What to learn about users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProfileExtractorConfig {
    #[serde(default)]
    pub extractor_name: Option<String>,
    #[serde(alias = "profile_content_definition_prompt")]
    pub extraction_definition_prompt: String,
    #[serde(default)]
    pub context_prompt: Option<String>,
    #[serde(default)]
    pub metadata_definition_prompt: Option<String>,
    #[serde(default)]
    pub tagging_definition_prompt: Option<String>,
    #[serde(default)]
    pub should_extract_profile_prompt_override: Option<String>,
    #[serde(default)]
    pub request_sources_enabled: Option<Vec<String>>,
    /// Only a manual run learns profiles.
    #[serde(default, deserialize_with = "null_is_default")]
    pub manual_trigger: bool,
    /// A manual run may include this extractor.
    #[serde(default, deserialize_with = "null_is_default")]
    pub allow_manual_trigger: bool,
    #[serde(default)]
    pub window_size_override: Option<u32>,
    #[serde(default)]
    pub stride_size_override: Option<u32>,
}

impl Default for ProfileExtractorConfig {
    fn default() -> Self {
        Self {
            extractor_name: None,
            extraction_definition_prompt: DEFAULT_PROFILE_DEFINITION.to_owned(),
            context_prompt: None,
            metadata_definition_prompt: None,
            tagging_definition_prompt: None,
            should_extract_profile_prompt_override: None,
            request_sources_enabled: None,
            manual_trigger: false,
            allow_manual_trigger: false,
            window_size_override: None,
            stride_size_override: None,
        }
    }
}

/// One type of playbook to learn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PlaybookConfig {
    #[serde(alias = "extractor_name", alias = "feedback_name")]
    pub playbook_name: String,
    #[serde(alias = "extraction_definition_prompt", alias = "feedback_definition_prompt")]
    pub playbook_definition_prompt: String,
    /// Extra fields to learn with each entry; they come back as `playbook_metadata`.
    #[serde(default)]
    pub metadata_definition_prompt: Option<String>,
    #[serde(default)]
    pub context_prompt: Option<String>,
    #[serde(default)]
    pub tagging_definition_prompt: Option<String>,
    #[serde(default, alias = "aggregation_config", deserialize_with = "null_is_default")]
    pub playbook_aggregator_config: PlaybookAggregatorConfig,
    #[serde(default)]
    pub deduplication_config: Option<DeduplicationConfig>,
    #[serde(default)]
    pub request_sources_enabled: Option<Vec<String>>,
    /// A manual run may include this playbook.
    #[serde(default, deserialize_with = "null_is_default")]
    pub allow_manual_trigger: bool,
    #[serde(default)]
    pub window_size_override: Option<u32>,
    #[serde(default)]
    pub stride_size_override: Option<u32>,
}

impl PlaybookConfig {
    /// The name of rows that no configured type claims.
    pub const GENERAL_NAME: &'static str = "playbook";

    pub fn named(name: impl Into<String>, definition: impl Into<String>) -> Self {
        Self {
            playbook_name: name.into(),
            playbook_definition_prompt: definition.into(),
            metadata_definition_prompt: None,
            context_prompt: None,
            tagging_definition_prompt: None,
            playbook_aggregator_config: PlaybookAggregatorConfig::default(),
            deduplication_config: None,
            request_sources_enabled: None,
            allow_manual_trigger: false,
            window_size_override: None,
            stride_size_override: None,
        }
    }

    /// What a fresh server learns before anybody configured it.
    pub fn general() -> Self {
        Self::named(Self::GENERAL_NAME, DEFAULT_PLAYBOOK_DEFINITION)
    }
}

/// When and how user playbooks become agent playbooks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct PlaybookAggregatorConfig {
    #[serde(alias = "min_feedback_threshold")]
    pub min_cluster_size: u32,
    #[serde(alias = "refresh_count")]
    pub reaggregation_trigger_count: u32,
    #[serde(alias = "similarity_threshold")]
    pub clustering_similarity: Option<f64>,
    pub direction_overlap_threshold: f64,
    /// What `min_cluster_size` counts.
    pub cluster_size_counts: ClusterSizeCounts,
}

/// Rows, or the different users or sessions that taught them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClusterSizeCounts {
    #[default]
    Rows,
    Users,
    Sessions,
}

impl Default for PlaybookAggregatorConfig {
    fn default() -> Self {
        Self {
            min_cluster_size: 2,
            reaggregation_trigger_count: 2,
            clustering_similarity: None,
            direction_overlap_threshold: 0.6,
            cluster_size_counts: ClusterSizeCounts::default(),
        }
    }
}

/// How near an existing row must be to be looked at as a duplicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct DeduplicationConfig {
    pub strategy: Option<String>,
    pub search_threshold: f64,
    pub search_top_k: u32,
    pub max_unified_content_chars: u32,
}

impl Default for DeduplicationConfig {
    fn default() -> Self {
        Self { strategy: None, search_threshold: 0.4, search_top_k: 5, max_unified_content_chars: 1200 }
    }
}

/// What counts as a successful session, and how many are judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AgentSuccessConfig {
    #[serde(default)]
    pub evaluation_name: Option<String>,
    pub success_definition_prompt: String,
    #[serde(default)]
    pub tagging_definition_prompt: Option<String>,
    #[serde(default)]
    pub request_sources_enabled: Option<Vec<String>>,
    #[serde(default = "default_sampling_rate")]
    pub sampling_rate: f64,
    #[serde(default)]
    pub evaluation_only_sampling_rate: Option<f64>,
    #[serde(default)]
    pub retrieved_learning_sampling_rate: Option<f64>,
    /// A session is judged when it has been silent for so many seconds.
    #[serde(default = "default_evaluation_delay", deserialize_with = "null_is_evaluation_delay")]
    pub evaluation_delay_seconds: u32,
    #[serde(default)]
    pub window_size_override: Option<u32>,
    #[serde(default)]
    pub stride_size_override: Option<u32>,
}

fn default_sampling_rate() -> f64 {
    0.05
}

fn default_evaluation_delay() -> u32 {
    600
}

fn null_is_evaluation_delay<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_else(default_evaluation_delay))
}

impl Default for AgentSuccessConfig {
    fn default() -> Self {
        Self {
            evaluation_name: Some("agent_success".to_owned()),
            success_definition_prompt: DEFAULT_SUCCESS_DEFINITION.to_owned(),
            tagging_definition_prompt: None,
            request_sources_enabled: None,
            sampling_rate: default_sampling_rate(),
            evaluation_only_sampling_rate: None,
            retrieved_learning_sampling_rate: None,
            evaluation_delay_seconds: default_evaluation_delay(),
            window_size_override: None,
            stride_size_override: None,
        }
    }
}
