use serde::{Deserialize, Serialize};

use super::Secret;

/// Keys of model providers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct ApiKeyConfig {
    pub custom_endpoint: Option<CustomEndpointConfig>,
    pub openai: Option<OpenAiConfig>,
    pub anthropic: Option<KeyOnlyConfig>,
    pub openrouter: Option<KeyOnlyConfig>,
    pub gemini: Option<KeyOnlyConfig>,
    pub minimax: Option<KeyOnlyConfig>,
    pub deepseek: Option<KeyOnlyConfig>,
    pub dashscope: Option<DashScopeConfig>,
    pub zai: Option<KeyOnlyConfig>,
    pub moonshot: Option<KeyOnlyConfig>,
    pub xai: Option<KeyOnlyConfig>,
}

/// Any endpoint that speaks OpenAI's protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CustomEndpointConfig {
    pub model: String,
    pub api_key: Secret,
    pub api_base: String,
}

/// OpenAI itself, or OpenAI's models at Azure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct OpenAiConfig {
    pub api_key: Option<Secret>,
    pub azure_config: Option<AzureOpenAiConfig>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AzureOpenAiConfig {
    pub api_key: Secret,
    pub endpoint: String,
    #[serde(default = "default_azure_api_version")]
    pub api_version: String,
    #[serde(default)]
    pub deployment_name: Option<String>,
}

fn default_azure_api_version() -> String {
    "2024-02-15-preview".to_owned()
}

/// A provider that needs nothing but a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeyOnlyConfig {
    pub api_key: Secret,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DashScopeConfig {
    pub api_key: Secret,
    #[serde(default)]
    pub api_base: Option<String>,
}

/// Which model does what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct LlmConfig {
    pub should_run_model_name: Option<String>,
    pub generation_model_name: Option<String>,
    pub embedding_model_name: Option<String>,
    pub pre_retrieval_model_name: Option<String>,
    pub generation_timeout_seconds: Option<f64>,
}
