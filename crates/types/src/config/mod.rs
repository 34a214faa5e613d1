//! The configuration of one org: one JSON document, the same in the store and on the wire.
//!
//! Canonical names are those of the user's documents (`playbook_configs`, …). Older names of the
//! public client are accepted as aliases; see `reflexio-api-types::config` for the way back.

mod budget;
mod extraction;
mod policies;
mod providers;
mod secret;
mod storage;
mod validate;

use serde::{Deserialize, Serialize};

pub use budget::{BudgetConfig, micros};
pub use extraction::{
    AgentSuccessConfig, ClusterSizeCounts, DeduplicationConfig, PlaybookAggregatorConfig, PlaybookConfig,
    ProfileExtractorConfig, ToolUseConfig,
};
pub use policies::{
    ExpiryReclamationConfig, GovernanceRetentionConfig, LineageGcConfig, PendingToolCallConfig,
    PendingToolCallToolOverrideConfig, PlaybookOptimizerConfig, RetrievalExperimentConfig,
    RetrievalExperimentRecord, RetrievalFloorConfig, ReviewConfig,
};
pub use providers::{
    ApiKeyConfig, AzureOpenAiConfig, CustomEndpointConfig, DashScopeConfig, KeyOnlyConfig, LlmConfig,
    OpenAiConfig,
};
pub use secret::{REDACTED_PREFIX, Secret, visit_secrets};
pub use storage::StorageConfig;
pub use validate::{PathPart, Violation};

/// Windows that fit common kinds of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExtractionPreset {
    QuickChat,
    Standard,
    LongForm,
    HighVolume,
}

impl ExtractionPreset {
    /// Window size and stride.
    pub fn window_and_stride(self) -> (u32, u32) {
        match self {
            ExtractionPreset::QuickChat => (5, 3),
            ExtractionPreset::Standard => (10, 8),
            ExtractionPreset::LongForm => (25, 10),
            ExtractionPreset::HighVolume => (15, 8),
        }
    }
}

/// Everything an org can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Config {
    pub storage_config: Option<StorageConfig>,
    #[serde(deserialize_with = "null_is_default")]
    pub storage_config_test: u8,
    /// What the agent is and does; told to every model that learns from it.
    pub agent_context_prompt: Option<String>,
    pub tool_can_use: Option<Vec<ToolUseConfig>>,
    pub profile_extractor_config: Option<ProfileExtractorConfig>,
    /// One entry per type of playbook to learn.
    #[serde(deserialize_with = "null_is_default")]
    pub playbook_configs: Vec<PlaybookConfig>,
    pub agent_success_config: Option<AgentSuccessConfig>,
    pub extraction_preset: Option<ExtractionPreset>,
    /// How many turns one extraction sees.
    #[serde(alias = "batch_size", alias = "extraction_window_size")]
    pub window_size: Option<u32>,
    /// How many new turns make the next extraction due.
    #[serde(alias = "batch_interval", alias = "extraction_window_stride")]
    pub stride_size: Option<u32>,
    /// A session that is silent for so long is learned from although its window is not full; 0 turns it off.
    #[serde(deserialize_with = "null_is_idle_timeout")]
    pub extraction_idle_timeout_seconds: u32,
    pub api_key_config: Option<ApiKeyConfig>,
    pub llm_config: Option<LlmConfig>,
    #[serde(deserialize_with = "null_is_default")]
    pub budget_config: BudgetConfig,
    pub retrieval_experiment_config: Option<RetrievalExperimentConfig>,
    #[serde(deserialize_with = "null_is_default")]
    pub retrieval_experiment_history: Vec<RetrievalExperimentRecord>,
    #[serde(deserialize_with = "null_is_default")]
    pub retrieval_floor: RetrievalFloorConfig,
    #[serde(deserialize_with = "null_is_default")]
    pub playbook_optimizer_config: PlaybookOptimizerConfig,
    #[serde(deserialize_with = "null_is_default")]
    pub review_config: ReviewConfig,
    #[serde(deserialize_with = "null_is_default")]
    pub lineage_gc: LineageGcConfig,
    #[serde(deserialize_with = "null_is_default")]
    pub expiry_reclamation: ExpiryReclamationConfig,
    #[serde(deserialize_with = "null_is_default")]
    pub governance_retention: GovernanceRetentionConfig,
    #[serde(deserialize_with = "null_is_default")]
    pub pending_tool_call_config: PendingToolCallConfig,
    #[serde(deserialize_with = "null_is_default")]
    pub skip_should_run_check: bool,
    #[serde(deserialize_with = "null_is_default")]
    pub enable_document_expansion: bool,
    #[serde(deserialize_with = "null_is_default")]
    pub shadow_mode_enabled: bool,
    pub eval_sample_n_per_stratum: u32,
    pub eval_concurrency_limit: u32,
    pub shadow_comparison_judge_prompt_version: String,
}

const DEFAULT_IDLE_TIMEOUT_SECONDS: u32 = 21_600;

impl Default for Config {
    fn default() -> Self {
        Self {
            storage_config: Some(StorageConfig::default()),
            storage_config_test: 0,
            agent_context_prompt: None,
            tool_can_use: None,
            profile_extractor_config: Some(ProfileExtractorConfig::default()),
            playbook_configs: vec![PlaybookConfig::general()],
            agent_success_config: Some(AgentSuccessConfig::default()),
            extraction_preset: None,
            window_size: None,
            stride_size: None,
            extraction_idle_timeout_seconds: DEFAULT_IDLE_TIMEOUT_SECONDS,
            api_key_config: None,
            llm_config: None,
            budget_config: BudgetConfig::default(),
            retrieval_experiment_config: None,
            retrieval_experiment_history: Vec::new(),
            retrieval_floor: RetrievalFloorConfig::default(),
            playbook_optimizer_config: PlaybookOptimizerConfig::default(),
            review_config: ReviewConfig::default(),
            lineage_gc: LineageGcConfig::default(),
            expiry_reclamation: ExpiryReclamationConfig::default(),
            governance_retention: GovernanceRetentionConfig::default(),
            pending_tool_call_config: PendingToolCallConfig::default(),
            skip_should_run_check: false,
            enable_document_expansion: false,
            shadow_mode_enabled: false,
            eval_sample_n_per_stratum: 200,
            eval_concurrency_limit: 10,
            shadow_comparison_judge_prompt_version: "v1".to_owned(),
        }
    }
}

impl Config {
    /// The window and stride in force: what was set, else the preset's, else 10 and 8.
    pub fn window_and_stride(&self) -> (u32, u32) {
        let preset = self.extraction_preset.unwrap_or(ExtractionPreset::Standard);
        let (window, stride) = preset.window_and_stride();
        let window = self.window_size.unwrap_or(window);
        (window, self.stride_size.unwrap_or_else(|| stride.min(window)))
    }

    pub fn playbook(&self, name: &str) -> Option<&PlaybookConfig> {
        self.playbook_configs.iter().find(|playbook| playbook.playbook_name == name)
    }
}

/// The public client sends every field, many of them null: null means "the default".
pub(crate) fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn null_is_idle_timeout<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(DEFAULT_IDLE_TIMEOUT_SECONDS))
}
