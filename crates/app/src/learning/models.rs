use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use reflexio_learn::engine::Learner;
use reflexio_learn::extract::Extraction;
use reflexio_llm::{CallRecord, Error as ModelError, Ledger, Models, Outcome, Role, Services, Settings};
use reflexio_types::{Config, OrgId};

use crate::{App, Error, Result};

/// Says which models an org's configuration and the surroundings of the server give.
pub type ModelSettings = Arc<dyn Fn(&Config) -> Settings + Send + Sync>;

/// Written as a model's name, it means that no model learns.
const BUILTIN: &str = "builtin";

/// The models of an org, as long as its configuration stays the same: they hold connections and limits.
#[derive(Default)]
pub(super) struct ModelCache(Mutex<HashMap<OrgId, (u64, Option<Models>)>>);

impl ModelCache {
    fn get(&self, org: &OrgId, version: u64) -> Option<Option<Models>> {
        let cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(org).filter(|(cached, _)| *cached == version).map(|(_, models)| models.clone())
    }

    fn put(&self, org: &OrgId, version: u64, models: Option<Models>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(org.clone(), (version, models));
    }
}

impl App {
    /// Who learns for this org now: its model, or the built-in learner where there is none.
    pub(super) async fn learner(&self, org: &OrgId) -> Result<Result<Learner, ModelError>> {
        let Some(models) = self.models(org, Role::Extraction).await? else { return Ok(Ok(Learner::Builtin)) };
        let broken = |error: &dyn std::fmt::Display| ModelError::Misconfigured(error.to_string());
        Ok(models
            .for_role(Role::Extraction)
            .and_then(|model| Extraction::new(model).map_err(|error| broken(&error)))
            .map(Learner::with))
    }

    /// The models of an org; nothing if it has none, or wants none for this role.
    pub(crate) async fn models(&self, org: &OrgId, role: Role) -> Result<Option<Models>> {
        let (version, config) = self.config_in_force(org).await?;
        let settings = (self.learning.settings)(&config);
        if is_builtin(&settings, role) {
            return Ok(None);
        }
        if let Some(models) = self.learning.models.get(org, version) {
            return Ok(models);
        }
        let clock = Arc::clone(&self.clock);
        let services = Services { clock, ledger: Arc::new(Counted), ..Services::default() };
        let models = Models::new(settings, services).map_err(|error| Error::Internal(Box::new(error)))?;
        let models = models.is_configured().then_some(models);
        self.learning.models.put(org, version, models.clone());
        Ok(models)
    }
}

fn is_builtin(settings: &Settings, role: Role) -> bool {
    let named = settings.roles.get(&role).or(settings.default_model.as_ref());
    named.is_some_and(|name| name.trim().eq_ignore_ascii_case(BUILTIN))
}

/// Counts calls for the metrics page.
struct Counted;

impl Ledger for Counted {
    fn record(&self, call: CallRecord) {
        let outcome = match call.outcome {
            Outcome::Answered => "answered",
            Outcome::Failed(code) => code,
            Outcome::Cancelled => "cancelled",
        };
        let (role, model) = (call.role.as_str(), format!("{}/{}", call.provider, call.model));
        metrics::counter!("reflexio_model_calls_total", "role" => role, "model" => model.clone(), "outcome" => outcome)
            .increment(1);
        for (kind, tokens) in [("prompt", call.usage.prompt_tokens), ("output", call.usage.output_tokens)] {
            metrics::counter!("reflexio_model_tokens_total", "role" => role, "model" => model.clone(), "kind" => kind)
                .increment(tokens);
        }
        metrics::counter!("reflexio_model_cost_micros_total", "role" => role, "model" => model)
            .increment(call.cost_micros);
    }
}
