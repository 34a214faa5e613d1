use reflexio_types::Config;
use reflexio_types::config::{PlaybookConfig, ProfileExtractorConfig, ToolUseConfig};
use serde::{Deserialize, Serialize};

use crate::windows::Pace;

/// As much of a configuration as learning needs, as it was when a conversation came in. It holds no secret and lies
/// in the payload of the job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    pub window_size: u32,
    pub stride_size: u32,
    /// Seconds after which a silent user's turns are learned from although no window is full; 0 for never.
    pub idle_timeout: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_context: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUseConfig>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileExtractorConfig>,
    #[serde(default)]
    pub playbooks: Vec<PlaybookConfig>,
}

/// What is to be learned now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    Profiles,
    Playbooks,
}

/// The profile extractor or one of the playbook types.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extractor<'a> {
    Profile(&'a ProfileExtractorConfig),
    Playbook(&'a PlaybookConfig),
}

impl Policy {
    pub fn of(config: &Config) -> Self {
        let (window_size, stride_size) = config.window_and_stride();
        Self {
            window_size,
            stride_size,
            idle_timeout: config.extraction_idle_timeout_seconds,
            agent_context: config.agent_context_prompt.clone().filter(|text| !text.trim().is_empty()),
            tools: config.tool_can_use.clone().unwrap_or_default(),
            profile: config.profile_extractor_config.clone(),
            playbooks: config.playbook_configs.clone(),
        }
    }

    pub fn extractors(&self) -> impl Iterator<Item = Extractor<'_>> {
        let profile = self.profile.iter().map(Extractor::Profile);
        profile.chain(self.playbooks.iter().map(Extractor::Playbook))
    }

    /// Those that learn from what is published; some wait for a person to start them.
    pub fn automatic(&self) -> impl Iterator<Item = Extractor<'_>> {
        self.extractors()
            .filter(|extractor| !matches!(extractor, Extractor::Profile(config) if config.manual_trigger))
    }

    /// Those that a person may start by hand.
    pub fn manual(&self, wanted: Wanted) -> impl Iterator<Item = Extractor<'_>> {
        self.wanted(wanted).filter(|extractor| match extractor {
            Extractor::Profile(config) => config.allow_manual_trigger || config.manual_trigger,
            Extractor::Playbook(config) => config.allow_manual_trigger,
        })
    }

    pub fn wanted(&self, wanted: Wanted) -> impl Iterator<Item = Extractor<'_>> {
        self.extractors().filter(move |extractor| match extractor {
            Extractor::Profile(_) => wanted == Wanted::Profiles,
            Extractor::Playbook(_) => wanted == Wanted::Playbooks,
        })
    }

    pub fn pace(&self, extractor: Extractor<'_>) -> Pace {
        let (window, stride) = match extractor {
            Extractor::Profile(config) => (config.window_size_override, config.stride_size_override),
            Extractor::Playbook(config) => (config.window_size_override, config.stride_size_override),
        };
        Pace::new(window.unwrap_or(self.window_size), stride.unwrap_or(self.stride_size))
    }

    /// The largest window of any extractor.
    pub fn widest(&self) -> usize {
        self.extractors().map(|extractor| self.pace(extractor).window()).max().unwrap_or(1)
    }
}

impl Extractor<'_> {
    /// Under which its cursor is kept.
    pub fn name(&self) -> String {
        match self {
            Extractor::Profile(_) => "profile".to_owned(),
            Extractor::Playbook(config) => format!("playbook:{}", config.playbook_name),
        }
    }

    /// Whether it learns from conversations of this source.
    pub fn takes(&self, source: &str) -> bool {
        let sources = match self {
            Extractor::Profile(config) => &config.request_sources_enabled,
            Extractor::Playbook(config) => &config.request_sources_enabled,
        };
        sources.as_ref().is_none_or(|sources| sources.is_empty() || sources.iter().any(|name| name == source))
    }
}
