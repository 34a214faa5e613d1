//! The models of all roles.

use std::sync::Arc;
use std::time::Duration;

use reflexio_types::config::Secret;
use reflexio_types::{Clock, SystemClock};
use serde::de::DeserializeOwned;

use crate::answers::{Answers, NoAnswers};
use crate::call::Shared;
use crate::error::{Error, Result};
use crate::gate::Gates;
use crate::http::Reach;
use crate::message::Prompt;
use crate::model::{Model, Structured};
use crate::name::{ModelName, Source};
use crate::options::Options;
use crate::provider::{Provider, Wire};
use crate::purpose::Purpose;
use crate::quirks::Memory;
use crate::role::Role;
use crate::settings::{CUSTOM_ENDPOINT, Settings};
use crate::spend::{Budget, Ledger, NoBudget, NoLedger};
use crate::structured::Schema;
use crate::target::{HttpRoute, LimitName, Route, Target};
use crate::transport::{Transport, live};

/// What the models work with. The default records nothing, limits nothing and asks real servers.
#[derive(Clone)]
pub struct Services {
    pub clock: Arc<dyn Clock>,
    pub ledger: Arc<dyn Ledger>,
    pub budget: Arc<dyn Budget>,
    /// Keeps what was paid for until its run is over.
    pub answers: Arc<dyn Answers>,
    /// Replaces the real servers, for recorded answers.
    pub transport: Option<Arc<dyn Transport>>,
}

impl Default for Services {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            ledger: Arc::new(NoLedger),
            budget: Arc::new(NoBudget),
            answers: Arc::new(NoAnswers),
            transport: None,
        }
    }
}

/// The models of all roles. Make one and share it: it holds connections, limits and what was learned of servers.
#[derive(Clone)]
pub struct Models {
    settings: Arc<Settings>,
    shared: Arc<Shared>,
}

impl Models {
    pub fn new(settings: Settings, services: Services) -> Result<Self> {
        let transport = match services.transport {
            Some(transport) => transport,
            None => live(&settings, Arc::clone(&services.clock))?,
        };
        let shared = Shared {
            transport,
            ledger: services.ledger,
            budget: services.budget,
            answers: services.answers,
            clock: services.clock,
            gates: Gates::new(settings.gate.clone()),
            memory: Memory::default(),
            retry: settings.retry.clone(),
            prices: settings.prices.clone(),
        };
        Ok(Self { settings: Arc::new(settings), shared: Arc::new(shared) })
    }

    /// Whether any model is configured; without one, learning needs the built-in learner.
    pub fn is_configured(&self) -> bool {
        self.name_for(Role::Extraction).is_some()
    }

    /// The model of a role with its fallbacks, or an error that says what to set.
    pub fn for_role(&self, role: Role) -> Result<Model> {
        let Some(first) = self.name_for(role) else {
            return Err(Error::Misconfigured(format!(
                "no model for role `{role}`: set a key such as {}, REFLEXIO_MODEL, or \
                 `llm_config.generation_model_name`",
                Provider::OpenAi.key_variables()[0]
            )));
        };
        let fallbacks = self.settings.role_fallbacks.get(&role).unwrap_or(&self.settings.fallbacks);
        let mut chain: Vec<Target> = Vec::new();
        for name in std::iter::once(&first).chain(fallbacks) {
            let target = self.target(name)?;
            if chain.iter().all(|other| other.label != target.label) {
                chain.push(target);
            }
        }
        Ok(Model { role, chain: chain.into(), shared: Arc::clone(&self.shared) })
    }

    /// One model by its name, without fallbacks, for what chooses its own (`reflection_model`).
    pub fn named(&self, role: Role, name: &str) -> Result<Model> {
        let chain = Arc::new([self.target(name)?]);
        Ok(Model { role, chain, shared: Arc::clone(&self.shared) })
    }

    /// A value that fits the schema, from the model of a role.
    pub async fn complete_json<T: DeserializeOwned>(
        &self,
        role: Role,
        prompt: &Prompt,
        schema: &Schema,
        options: &Options,
    ) -> Result<Structured<T>> {
        self.for_role(role)?.complete_json(prompt, schema, options).await
    }

    /// Tests a model with the cheapest call there is: the key, the address and the name are right when it works.
    pub async fn probe(&self, name: &str) -> Result<ModelName> {
        let model = self.named(Role::Playbook, name)?;
        // Room for models that think before they speak.
        let deadline = Some(Duration::from_secs(30));
        // Of no run: whoever probes wants to hear from the provider now.
        let purpose = Purpose { config: Some("probe".to_owned()), ..Purpose::default() };
        let options = Options { max_output_tokens: Some(256), deadline, ..Options::with_purpose(purpose) };
        let answered = model.complete(&Prompt::user("Say OK."), &options).await;
        match answered {
            // A model that only thought was reached.
            Ok(_) | Err(Error::InvalidAnswer { .. }) => Ok(model.chain[0].name.clone()),
            Err(error) => Err(error),
        }
    }

    /// What was configured for the role or for all; else the first provider that has a key.
    fn name_for(&self, role: Role) -> Option<String> {
        let settings = &self.settings;
        let named = settings.roles.get(&role).or(settings.default_model.as_ref()).cloned();
        named.or_else(|| Provider::ALL.into_iter().find_map(|provider| self.default_of(provider)))
    }

    fn default_of(&self, provider: Provider) -> Option<String> {
        self.settings.keys.get(&provider)?;
        let azure = self.settings.azure.as_ref().and_then(|azure| azure.deployment.as_deref());
        let model = if provider == Provider::Azure { azure } else { provider.default_model() };
        model.map(|model| format!("{provider}/{model}", provider = provider.as_str()))
    }

    fn target(&self, text: &str) -> Result<Target> {
        let name = self.resolve(text)?;
        let label = name.to_string();
        let route = self.route(&name, &label)?;
        Ok(Target { name, label, route })
    }

    /// A bare name belongs to its provider where that has a key; else to Azure if it is OpenAI's, else to the
    /// configuration's own endpoint.
    fn resolve(&self, text: &str) -> Result<ModelName> {
        let settings = &self.settings;
        let parsed = ModelName::parse(text, settings.endpoints.keys().map(String::as_str));
        let bare = !text.contains('/') && !text.trim().starts_with("command:");
        let usable = |name: &ModelName| match &name.source {
            Source::Provider(provider) => settings.keys.contains_key(provider) || !provider.needs_key(),
            Source::Endpoint(_) | Source::Command => true,
        };
        if !bare || parsed.as_ref().is_ok_and(usable) {
            return parsed;
        }
        let openai = parsed.as_ref().is_ok_and(|name| name.source == Source::Provider(Provider::OpenAi));
        let source = if openai && settings.azure.is_some() {
            Source::Provider(Provider::Azure)
        } else if settings.endpoints.contains_key(CUSTOM_ENDPOINT) {
            Source::Endpoint(CUSTOM_ENDPOINT.to_owned())
        } else {
            return parsed;
        };
        Ok(ModelName { source, model: text.trim().to_owned() })
    }

    fn route(&self, name: &ModelName, label: &str) -> Result<Route> {
        let (wire, base_url, key) = match &name.source {
            Source::Command => return Ok(Route::Command(self.settings.commands.admit(&name.model)?)),
            Source::Endpoint(endpoint) => {
                let endpoint = self.settings.endpoints.get(endpoint);
                let base = endpoint.map(|endpoint| endpoint.base_url.as_str()).unwrap_or_default();
                (Wire::OpenAi, base, endpoint.and_then(|endpoint| endpoint.key.clone()))
            }
            Source::Provider(provider) => {
                (provider.wire(), self.base_of(*provider, label)?, self.key_of(*provider, label)?)
            }
        };
        let azure = name.source == Source::Provider(Provider::Azure);
        let azure_version =
            self.settings.azure.as_ref().filter(|_| azure).map(|azure| azure.api_version.clone());
        let by_org = self.settings.named_by_org.contains(name.provider());
        let reach = if by_org { self.settings.org_reach } else { Reach::Anywhere };
        Ok(Route::Http(HttpRoute {
            wire,
            base_url: checked_url(base_url, label, reach)?,
            key,
            reach,
            azure_version,
            limit_name: limit_name(name),
        }))
    }

    fn base_of(&self, provider: Provider, label: &str) -> Result<&str> {
        let azure = self.settings.azure.as_ref().filter(|_| provider == Provider::Azure);
        let base = azure.map(|azure| azure.endpoint.as_str());
        let base = base.or_else(|| self.settings.base_urls.get(&provider).map(String::as_str));
        base.or_else(|| provider.default_base()).ok_or_else(|| {
            Error::Misconfigured(format!(
                "model `{label}` needs an endpoint: set AZURE_OPENAI_ENDPOINT, or \
                 `api_key_config.openai.azure_config.endpoint`"
            ))
        })
    }

    fn key_of(&self, provider: Provider, label: &str) -> Result<Option<Secret>> {
        let key = self.settings.keys.get(&provider).cloned();
        if key.is_none() && provider.needs_key() {
            let path = if provider == Provider::Azure { "openai.azure_config" } else { provider.as_str() };
            return Err(Error::Misconfigured(format!(
                "model `{label}` needs a key: set {}, or `api_key_config.{path}.api_key`",
                provider.key_variables().join(" or ")
            )));
        }
        Ok(key)
    }
}

/// OpenAI's own servers know the new name for all models; others mostly know the old one.
fn limit_name(name: &ModelName) -> LimitName {
    match &name.source {
        Source::Provider(Provider::OpenAi | Provider::Azure) => LimitName::MaxCompletionTokens,
        Source::Provider(_) | Source::Endpoint(_) | Source::Command => LimitName::MaxTokens,
    }
}

/// An address that can be called. Names are checked again when they are looked up.
fn checked_url(base: &str, label: &str, reach: Reach) -> Result<String> {
    let base = base.trim().trim_end_matches('/');
    let parsed = reqwest::Url::parse(base).ok();
    let literal = parsed.as_ref().and_then(|url| url.host_str()?.trim_matches(['[', ']']).parse().ok());
    if literal.is_some_and(|address| !reach.allows(address)) {
        return Err(Error::Misconfigured(format!("the address of model `{label}` may not be called")));
    }
    let usable = |url: &reqwest::Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.query().is_none()
    };
    if parsed.as_ref().is_some_and(usable) {
        return Ok(base.to_owned());
    }
    // Not printed: what stands there may hold a password.
    Err(Error::Misconfigured(format!("the base URL of model `{label}` is not an http or https address")))
}

impl std::fmt::Debug for Models {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Models").finish_non_exhaustive()
    }
}
