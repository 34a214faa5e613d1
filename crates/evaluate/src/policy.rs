use reflexio_types::Config;
use reflexio_types::config::{AgentSuccessConfig, ToolUseConfig};
use serde::{Deserialize, Serialize};

/// As much of a configuration as judging needs, as it was when a conversation came in. It holds no secret and lies in
/// the payload of the job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_context: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUseConfig>,
    pub success: AgentSuccessConfig,
}

impl Policy {
    /// Nothing if the org judges no sessions.
    pub fn of(config: &Config) -> Option<Self> {
        Some(Self {
            agent_context: config.agent_context_prompt.clone().filter(|text| !text.trim().is_empty()),
            tools: config.tool_can_use.clone().unwrap_or_default(),
            success: config.agent_success_config.clone()?,
        })
    }

    /// Whether sessions with requests of this source are judged.
    pub fn takes(&self, source: &str) -> bool {
        let sources = self.success.request_sources_enabled.as_deref().unwrap_or_default();
        sources.is_empty() || sources.iter().any(|name| name == source)
    }
}
