use super::{Config, PlaybookAggregatorConfig};

/// One step on the way to a field: a key or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPart {
    Key(String),
    Index(usize),
}

impl From<&str> for PathPart {
    fn from(key: &str) -> Self {
        PathPart::Key(key.to_owned())
    }
}

impl From<usize> for PathPart {
    fn from(index: usize) -> Self {
        PathPart::Index(index)
    }
}

/// Something in a document that cannot be accepted: where, what kind, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub path: Vec<PathPart>,
    /// The error type in the words of pydantic, because clients match on them.
    pub kind: String,
    pub message: String,
}

impl Violation {
    pub fn new(path: Vec<PathPart>, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path, kind: kind.into(), message: message.into() }
    }
}

/// Collects violations, so that a caller sees all of them at once.
struct Checks(Vec<Violation>);

impl Checks {
    fn add(&mut self, path: &[PathPart], kind: &'static str, message: impl Into<String>) {
        self.0.push(Violation::new(path.to_vec(), kind, message));
    }

    fn positive(&mut self, path: &[PathPart], value: Option<u32>) {
        if value == Some(0) {
            self.add(path, "greater_than", "Input should be greater than 0");
        }
    }

    fn share(&mut self, path: &[PathPart], value: Option<f64>) {
        match value {
            Some(value) if value < 0.0 => {
                self.add(path, "greater_than_equal", "Input should be greater than or equal to 0");
            }
            Some(value) if value > 1.0 => {
                self.add(path, "less_than_equal", "Input should be less than or equal to 1");
            }
            _ => {}
        }
    }

    /// A limit of nothing is a limit: no model is asked.
    fn dollars(&mut self, path: &[PathPart], value: Option<f64>) {
        if value.is_some_and(|value| value < 0.0 || !value.is_finite()) {
            self.add(path, "greater_than_equal", "Input should be greater than or equal to 0");
        }
    }

    fn not_blank(&mut self, path: &[PathPart], value: &str) {
        if value.trim().is_empty() {
            self.add(path, "value_error", "Value error, String must not be empty or whitespace-only");
        }
    }
}

macro_rules! path {
    ($($part:expr),+) => { &[$(PathPart::from($part)),+] };
}

impl Config {
    /// Everything that is wrong with this configuration; empty means it can be used.
    pub fn violations(&self) -> Vec<Violation> {
        let mut checks = Checks(Vec::new());
        self.check_windows(&mut checks);
        self.check_playbooks(&mut checks);
        self.check_profiles_and_success(&mut checks);
        self.check_optimizer(&mut checks);
        self.check_policies(&mut checks);
        checks.dollars(path!["budget_config", "per_day_usd"], self.budget_config.per_day_usd);
        checks.dollars(path!["budget_config", "per_run_usd"], self.budget_config.per_run_usd);
        checks.0
    }

    fn check_windows(&self, checks: &mut Checks) {
        checks.positive(path!["window_size"], self.window_size);
        checks.positive(path!["stride_size"], self.stride_size);
        let (window, stride) = self.window_and_stride();
        if stride > window {
            checks.add(
                path!["stride_size"],
                "value_error",
                format!("Value error, stride_size must be <= window_size ({stride} > {window})"),
            );
        }
        checks.positive(path!["eval_sample_n_per_stratum"], Some(self.eval_sample_n_per_stratum));
        checks.positive(path!["eval_concurrency_limit"], Some(self.eval_concurrency_limit));
        if self.storage_config_test > 3 {
            checks.add(path!["storage_config_test"], "enum", "Input should be 0, 1, 2 or 3");
        }
    }

    fn check_playbooks(&self, checks: &mut Checks) {
        for (index, playbook) in self.playbook_configs.iter().enumerate() {
            let at = |field: &str| vec![PathPart::from("playbook_configs"), index.into(), field.into()];
            checks.not_blank(&at("playbook_name"), &playbook.playbook_name);
            checks.not_blank(&at("playbook_definition_prompt"), &playbook.playbook_definition_prompt);
            checks.positive(&at("window_size_override"), playbook.window_size_override);
            checks.positive(&at("stride_size_override"), playbook.stride_size_override);
            check_aggregator(checks, &at("playbook_aggregator_config"), &playbook.playbook_aggregator_config);
            if let Some(dedup) = &playbook.deduplication_config {
                checks.share(&at("deduplication_config"), Some(dedup.search_threshold));
                checks.positive(&at("deduplication_config"), Some(dedup.search_top_k));
                checks.positive(&at("deduplication_config"), Some(dedup.max_unified_content_chars));
            }
            if self.playbook_configs[..index]
                .iter()
                .any(|other| other.playbook_name == playbook.playbook_name)
            {
                let message = format!(
                    "Value error, playbook_name `{}` is used twice; give each its own",
                    playbook.playbook_name
                );
                checks.add(&at("playbook_name"), "value_error", message);
            }
        }
    }

    fn check_profiles_and_success(&self, checks: &mut Checks) {
        if let Some(profile) = &self.profile_extractor_config {
            let name = "profile_extractor_config";
            checks.not_blank(
                path![name, "extraction_definition_prompt"],
                &profile.extraction_definition_prompt,
            );
            checks.positive(path![name, "window_size_override"], profile.window_size_override);
            checks.positive(path![name, "stride_size_override"], profile.stride_size_override);
        }
        if let Some(success) = &self.agent_success_config {
            let name = "agent_success_config";
            checks.not_blank(path![name, "success_definition_prompt"], &success.success_definition_prompt);
            checks.share(path![name, "sampling_rate"], Some(success.sampling_rate));
            checks.share(path![name, "evaluation_only_sampling_rate"], success.evaluation_only_sampling_rate);
            checks.share(
                path![name, "retrieved_learning_sampling_rate"],
                success.retrieved_learning_sampling_rate,
            );
            checks.positive(path![name, "window_size_override"], success.window_size_override);
            checks.positive(path![name, "stride_size_override"], success.stride_size_override);
        }
    }

    fn check_optimizer(&self, checks: &mut Checks) {
        let optimizer = &self.playbook_optimizer_config;
        let name = "playbook_optimizer_config";
        let positive = [
            ("max_metric_calls", optimizer.max_metric_calls),
            ("max_turns", optimizer.max_turns),
            ("reflection_minibatch_size", optimizer.reflection_minibatch_size),
            ("max_validation_windows", optimizer.max_validation_windows),
            ("min_commit_windows", optimizer.min_commit_windows),
            ("webhook_timeout_seconds", optimizer.webhook_timeout_seconds),
            ("abort_cooldown_threshold", optimizer.abort_cooldown_threshold),
        ];
        for (field, value) in positive {
            checks.positive(path![name, field], Some(value));
        }
        checks.share(path![name, "early_stop_score"], Some(optimizer.early_stop_score));
        checks.share(path![name, "min_commit_score"], Some(optimizer.min_commit_score));
        if !(1..=5).contains(&optimizer.min_commit_likert) {
            checks.add(
                path![name, "min_commit_likert"],
                "value_error",
                "Value error, must be between 1 and 5",
            );
        }
        if optimizer.nightly_hour_utc.is_some_and(|hour| hour > 23) {
            checks.add(
                path![name, "nightly_hour_utc"],
                "less_than_equal",
                "Input should be less than or equal to 23",
            );
        }
        if !(optimizer.webhook_backoff_base_seconds >= 0.0
            && optimizer.webhook_backoff_base_seconds.is_finite())
        {
            checks.add(
                path![name, "webhook_backoff_base_seconds"],
                "greater_than_equal",
                "Input should be greater than or equal to 0",
            );
        }
        if optimizer.webhook_url.is_some() && optimizer.assistant_script_path.is_some() {
            checks.add(
                path![name],
                "value_error",
                "Value error, set either webhook_url or assistant_script_path, not both",
            );
        }
    }

    fn check_policies(&self, checks: &mut Checks) {
        checks.positive(path!["retrieval_floor", "pool_size"], Some(self.retrieval_floor.pool_size));
        let days = self.lineage_gc.tombstone_grace_window_days;
        checks.positive(path!["lineage_gc", "tombstone_grace_window_days"], Some(days));
        checks.positive(
            path!["lineage_gc", "poll_interval_seconds"],
            Some(self.lineage_gc.poll_interval_seconds),
        );
        let retention = &self.governance_retention;
        let name = "governance_retention";
        checks.positive(
            path![name, "audit_events_retention_days"],
            Some(retention.audit_events_retention_days),
        );
        checks.positive(
            path![name, "audit_events_delete_batch_limit"],
            Some(retention.audit_events_delete_batch_limit),
        );
        let pending = &self.pending_tool_call_config;
        checks.share(
            path!["pending_tool_call_config", "similarity_threshold"],
            Some(pending.similarity_threshold),
        );
        if let Some(experiment) = &self.retrieval_experiment_config
            && !(experiment.holdout_percentage > 0.0 && experiment.holdout_percentage < 100.0)
        {
            checks.add(
                path!["retrieval_experiment_config", "holdout_percentage"],
                "value_error",
                "Value error, must be greater than 0 and less than 100",
            );
        }
    }
}

fn check_aggregator(checks: &mut Checks, path: &[PathPart], aggregator: &PlaybookAggregatorConfig) {
    let at = |field: &str| [path, &[PathPart::from(field)]].concat();
    checks.positive(&at("min_cluster_size"), Some(aggregator.min_cluster_size));
    checks.positive(&at("reaggregation_trigger_count"), Some(aggregator.reaggregation_trigger_count));
    checks.share(&at("clustering_similarity"), aggregator.clustering_similarity);
    checks.share(&at("direction_overlap_threshold"), Some(aggregator.direction_overlap_threshold));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PlaybookConfig;

    #[test]
    fn the_default_configuration_is_valid() {
        assert_eq!(Config::default().violations(), []);
    }

    #[test]
    fn stride_beyond_the_window_and_doubled_names_are_found_together() {
        let config = Config {
            window_size: Some(2),
            stride_size: Some(5),
            playbook_configs: vec![PlaybookConfig::named("a", "x"), PlaybookConfig::named("a", " ")],
            ..Config::default()
        };
        let kinds: Vec<_> = config.violations().into_iter().map(|violation| violation.path.len()).collect();
        assert_eq!(kinds, [1, 3, 3]);
    }
}
