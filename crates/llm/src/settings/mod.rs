//! Which model does what, and how its server is reached: plain values, from wherever the caller took them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reflexio_types::config::{ApiKeyConfig, KeyOnlyConfig, LlmConfig, Secret};

use crate::command::CommandSettings;
use crate::gate::GateSettings;
use crate::http::{HttpLimits, Proxy, Reach};
use crate::provider::Provider;
use crate::retry::Retry;
use crate::role::Role;
use crate::spend::PriceTable;

/// The name under which the configuration's own endpoint is known.
pub const CUSTOM_ENDPOINT: &str = "custom";
const AZURE_VERSION: &str = "2024-10-21";

/// An OpenAI-compatible server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub base_url: String,
    pub key: Option<Secret>,
}

/// OpenAI's models at Azure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Azure {
    pub endpoint: String,
    pub api_version: String,
    /// What is asked when a model's name names no deployment.
    pub deployment: Option<String>,
}

/// Everything the models are made from.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The model of every role that has none of its own.
    pub default_model: Option<String>,
    pub roles: BTreeMap<Role, String>,
    /// Asked in order when a role's model fails, unless the role has fallbacks of its own.
    pub fallbacks: Vec<String>,
    pub role_fallbacks: BTreeMap<Role, Vec<String>>,
    pub keys: BTreeMap<Provider, Secret>,
    pub base_urls: BTreeMap<Provider, String>,
    /// OpenAI-compatible servers by the name before the slash.
    pub endpoints: BTreeMap<String, Endpoint>,
    pub azure: Option<Azure>,
    /// Providers and endpoints whose address an org named and not the operator.
    pub named_by_org: BTreeSet<String>,
    /// Where those may stand.
    pub org_reach: Reach,
    pub commands: CommandSettings,
    pub proxy: Option<Proxy>,
    pub http: HttpLimits,
    pub retry: Retry,
    pub gate: GateSettings,
    pub prices: PriceTable,
}

impl Settings {
    /// What an org configured.
    pub fn from_config(llm: Option<&LlmConfig>, keys: Option<&ApiKeyConfig>) -> Self {
        let mut settings = Self::default();
        if let Some(keys) = keys {
            settings.take_keys(keys);
        }
        if let Some(llm) = llm {
            settings.take_models(llm);
        }
        settings
    }

    fn take_models(&mut self, llm: &LlmConfig) {
        if let Some(model) = filled(llm.generation_model_name.as_deref()) {
            self.default_model = Some(model);
        }
        let roles = [
            (Role::ShouldRun, &llm.should_run_model_name),
            (Role::Reformulation, &llm.pre_retrieval_model_name),
        ];
        for (role, model) in roles {
            if let Some(model) = filled(model.as_deref()) {
                self.roles.insert(role, model);
            }
        }
        let seconds =
            llm.generation_timeout_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if let Some(total) = seconds.filter(|total| !total.is_zero()) {
            self.http.total = total;
            self.retry.deadline = self.retry.deadline.max(2 * total);
        }
    }

    /// A base URL is taken only together with its key: a key of the operator never goes to a server that an org
    /// named.
    fn take_keys(&mut self, keys: &ApiKeyConfig) {
        let plain: [(Provider, &Option<KeyOnlyConfig>); 8] = [
            (Provider::Anthropic, &keys.anthropic),
            (Provider::OpenRouter, &keys.openrouter),
            (Provider::Gemini, &keys.gemini),
            (Provider::MiniMax, &keys.minimax),
            (Provider::DeepSeek, &keys.deepseek),
            (Provider::Zai, &keys.zai),
            (Provider::Moonshot, &keys.moonshot),
            (Provider::Xai, &keys.xai),
        ];
        for (provider, config) in plain {
            self.take_key(provider, config.as_ref().map(|config| &config.api_key));
        }
        if let Some(dashscope) = &keys.dashscope
            && self.take_key(Provider::DashScope, Some(&dashscope.api_key))
            && let Some(base) = filled(dashscope.api_base.as_deref())
        {
            self.base_urls.insert(Provider::DashScope, base);
            self.named_by_org.insert(Provider::DashScope.as_str().to_owned());
        }
        if let Some(openai) = &keys.openai {
            self.take_key(Provider::OpenAi, openai.api_key.as_ref());
            if let Some(azure) = &openai.azure_config
                && self.take_key(Provider::Azure, Some(&azure.api_key))
            {
                let (endpoint, api_version) = (azure.endpoint.clone(), azure.api_version.clone());
                let deployment = filled(azure.deployment_name.as_deref());
                self.azure = Some(Azure { endpoint, api_version, deployment });
                self.named_by_org.insert(Provider::Azure.as_str().to_owned());
            }
        }
        if let Some(custom) = &keys.custom_endpoint {
            let key = Some(custom.api_key.clone()).filter(|key| !key.expose().is_empty());
            self.endpoints
                .insert(CUSTOM_ENDPOINT.to_owned(), Endpoint { base_url: custom.api_base.clone(), key });
            self.named_by_org.insert(CUSTOM_ENDPOINT.to_owned());
            // Whoever names an endpoint wants it asked.
            self.default_model = Some(format!("{CUSTOM_ENDPOINT}/{}", custom.model));
        }
    }

    fn take_key(&mut self, provider: Provider, key: Option<&Secret>) -> bool {
        let key = key.filter(|key| !key.expose().trim().is_empty());
        key.map(|key| self.keys.insert(provider, key.clone())).is_some()
    }

    /// Fills in what is not set from environment variables, which the caller reads.
    #[must_use]
    pub fn or_environment(mut self, read: impl Fn(&str) -> Option<String>) -> Self {
        let read = |name: &str| filled(read(name).as_deref());
        for provider in Provider::ALL {
            let mut variables = provider.key_variables().iter();
            if !self.keys.contains_key(&provider)
                && let Some(key) = variables.find_map(|name| read(name))
            {
                self.keys.insert(provider, Secret::new(key));
                if let Some(base) = base_variable(provider).and_then(read) {
                    self.base_urls.entry(provider).or_insert(base);
                }
            }
        }
        if let Some(host) = read("OLLAMA_HOST") {
            let host = if host.contains("://") { host } else { format!("http://{host}") };
            self.base_urls.entry(Provider::Ollama).or_insert(host);
        }
        if let (None, Some(endpoint)) = (&self.azure, read("AZURE_OPENAI_ENDPOINT")) {
            let api_version = read("AZURE_OPENAI_API_VERSION").unwrap_or_else(|| AZURE_VERSION.to_owned());
            self.azure = Some(Azure { endpoint, api_version, deployment: read("AZURE_OPENAI_DEPLOYMENT") });
        }
        let proxy = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].into_iter().find_map(read);
        if let (None, Some(url)) = (&self.proxy, proxy) {
            let except = read("NO_PROXY").or_else(|| read("no_proxy")).unwrap_or_default();
            self.proxy = Some(Proxy { url: Secret::new(url), except });
        }
        self.models_from(read);
        self
    }

    fn models_from(&mut self, read: impl Fn(&str) -> Option<String>) {
        if self.default_model.is_none() {
            self.default_model = read("REFLEXIO_MODEL");
        }
        for role in Role::ALL {
            let name = format!("REFLEXIO_MODEL_{}", role.as_str().to_ascii_uppercase());
            if let (false, Some(model)) = (self.roles.contains_key(&role), read(&name)) {
                self.roles.insert(role, model);
            }
        }
        if let (true, Some(models)) = (self.fallbacks.is_empty(), read("REFLEXIO_FALLBACK_MODELS")) {
            self.fallbacks = models.split(',').filter_map(|model| filled(Some(model))).collect();
        }
    }
}

/// The variable with which people send a provider's requests elsewhere.
fn base_variable(provider: Provider) -> Option<&'static str> {
    match provider {
        Provider::OpenAi => Some("OPENAI_BASE_URL"),
        Provider::Anthropic => Some("ANTHROPIC_BASE_URL"),
        Provider::DashScope => Some("DASHSCOPE_API_BASE"),
        Provider::Azure
        | Provider::Gemini
        | Provider::OpenRouter
        | Provider::DeepSeek
        | Provider::Xai
        | Provider::Moonshot
        | Provider::Zai
        | Provider::MiniMax
        | Provider::Ollama => None,
    }
}

fn filled(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests;
