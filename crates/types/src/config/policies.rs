use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Secret;

/// A running retrieval experiment: a share of the users gets nothing, for comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RetrievalExperimentConfig {
    pub experiment_id: String,
    pub holdout_percentage: f64,
}

/// A retrieval experiment that ran or runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RetrievalExperimentRecord {
    pub experiment_id: String,
    pub holdout_percentage: f64,
    pub started_at: i64,
    #[serde(default)]
    pub ended_at: Option<i64>,
}

/// Rows below a floor are not served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RetrievalFloorConfig {
    pub enabled: bool,
    pub pool_size: u32,
    pub profile_floor: Option<f64>,
    pub user_playbook_floor: Option<f64>,
    pub agent_playbook_floor: Option<f64>,
}

impl Default for RetrievalFloorConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            pool_size: 30,
            profile_floor: None,
            user_playbook_floor: None,
            agent_playbook_floor: None,
        }
    }
}

/// The optimiser of playbook wording. Off until somebody turns it on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct PlaybookOptimizerConfig {
    pub enabled: bool,
    pub optimize_agent_playbooks: bool,
    pub optimize_user_playbooks: bool,
    pub auto_update_pending_agent_playbooks: bool,
    pub auto_update_user_playbooks: bool,
    pub max_metric_calls: u32,
    pub max_turns: u32,
    pub early_stop_score: f64,
    pub reflection_minibatch_size: u32,
    pub max_validation_windows: u32,
    pub min_commit_windows: u32,
    pub min_commit_score: f64,
    pub min_commit_likert: u32,
    pub use_merge: bool,
    pub max_merge_invocations: u32,
    pub reflection_model: Option<String>,
    pub webhook_url: Option<String>,
    pub webhook_auth_header: Option<Secret>,
    pub webhook_timeout_seconds: u32,
    pub webhook_max_retries: u32,
    pub webhook_backoff_base_seconds: f64,
    /// A script, or `playbook:FILE.md`: a program of the server.
    pub assistant_script_path: Option<String>,
    /// For a playbook `name=value`.
    pub assistant_script_args: Vec<String>,
    pub scheduler_jitter_seconds: f64,
    pub cooldown_after_aborts_seconds: u32,
    pub abort_cooldown_threshold: u32,
    /// At which hour (UTC) pending playbooks are optimised every night; null means only when somebody asks.
    pub nightly_hour_utc: Option<u32>,
    /// Whether an agent playbook can only be approved after its lift was measured and found to be positive.
    pub require_lift_for_approval: bool,
}

impl Default for PlaybookOptimizerConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            optimize_agent_playbooks: true,
            optimize_user_playbooks: false,
            auto_update_pending_agent_playbooks: true,
            auto_update_user_playbooks: false,
            max_metric_calls: 20,
            max_turns: 4,
            early_stop_score: 0.9,
            reflection_minibatch_size: 2,
            max_validation_windows: 2,
            min_commit_windows: 2,
            min_commit_score: 0.75,
            min_commit_likert: 4,
            use_merge: true,
            max_merge_invocations: 5,
            reflection_model: None,
            webhook_url: None,
            webhook_auth_header: None,
            webhook_timeout_seconds: 60,
            webhook_max_retries: 3,
            webhook_backoff_base_seconds: 1.0,
            assistant_script_path: None,
            assistant_script_args: Vec::new(),
            scheduler_jitter_seconds: 1.0,
            cooldown_after_aborts_seconds: 3600,
            abort_cooldown_threshold: 2,
            nightly_hour_utc: Some(3),
            require_lift_for_approval: false,
        }
    }
}

/// When retired rows are really deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct LineageGcConfig {
    pub enabled: bool,
    pub tombstone_grace_window_days: u32,
    pub poll_interval_seconds: u32,
}

impl Default for LineageGcConfig {
    fn default() -> Self {
        Self { enabled: true, tombstone_grace_window_days: 90, poll_interval_seconds: 86_400 }
    }
}

/// Whether expired profiles are deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ExpiryReclamationConfig {
    pub enabled: bool,
}

/// How long audit events are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct GovernanceRetentionConfig {
    pub audit_events_retention_enabled: bool,
    pub audit_events_retention_days: u32,
    pub audit_events_delete_batch_limit: u32,
}

impl Default for GovernanceRetentionConfig {
    fn default() -> Self {
        Self {
            audit_events_retention_enabled: false,
            audit_events_retention_days: 365,
            audit_events_delete_batch_limit: 500,
        }
    }
}

/// Questions a learner may put to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct PendingToolCallConfig {
    pub enabled: bool,
    pub max_pending_followups_per_scope: u32,
    pub pending_ttl_seconds: u32,
    pub dedup_cache_seconds: u32,
    pub prior_answer_valid_seconds: u32,
    pub similarity_threshold: f64,
    pub resume_poll_interval_seconds: f64,
    pub resume_claim_ttl_seconds: u32,
    pub max_resume_attempts: u32,
    pub max_finalization_attempts: u32,
    pub hmac_secrets: Vec<Secret>,
    pub tool_overrides: BTreeMap<String, PendingToolCallToolOverrideConfig>,
}

impl Default for PendingToolCallConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            max_pending_followups_per_scope: 10,
            pending_ttl_seconds: 86_400,
            dedup_cache_seconds: 300,
            prior_answer_valid_seconds: 2_592_000,
            similarity_threshold: 0.0,
            resume_poll_interval_seconds: 5.0,
            resume_claim_ttl_seconds: 600,
            max_resume_attempts: 3,
            max_finalization_attempts: 3,
            hmac_secrets: Vec::new(),
            tool_overrides: BTreeMap::new(),
        }
    }
}

/// What differs for one tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct PendingToolCallToolOverrideConfig {
    pub max_pending_followups_per_scope: Option<u32>,
    pub pending_ttl_seconds: Option<u32>,
    pub dedup_cache_seconds: Option<u32>,
    pub prior_answer_valid_seconds: Option<u32>,
    pub similarity_threshold: Option<f64>,
}

/// How agent playbooks are reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ReviewConfig {
    /// Whoever wrote or last edited a rule cannot approve or reject it with the same key. Callers without a key, on a server
    /// that has none, are not bound.
    pub another_key: bool,
}

impl Default for ReviewConfig {
    fn default() -> Self {
        Self { another_key: true }
    }
}
