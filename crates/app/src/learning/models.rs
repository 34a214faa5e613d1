use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use reflexio_learn::consolidate::Consolidation;
use reflexio_learn::engine::Learner;
use reflexio_learn::extract::Extraction;
use reflexio_llm::{Error as ModelError, Models, Role, Settings};
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
        Ok(learner_of(&models))
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
        let services = self.books.services(org, &config).await?;
        let models = Models::new(settings, services).map_err(|error| Error::Internal(Box::new(error)))?;
        let models = models.is_configured().then_some(models);
        self.learning.models.put(org, version, models.clone());
        Ok(models)
    }
}

fn learner_of(models: &Models) -> Result<Learner, ModelError> {
    let broken = |error: &dyn std::fmt::Display| ModelError::Misconfigured(error.to_string());
    let extraction = Extraction::new(models.for_role(Role::Extraction)?).map_err(|error| broken(&error))?;
    let consolidation = models.for_role(Role::Consolidation)?;
    let consolidation = Consolidation::new(consolidation).map_err(|error| broken(&error))?;
    Ok(Learner::with(extraction, consolidation))
}

fn is_builtin(settings: &Settings, role: Role) -> bool {
    let named = settings.roles.get(&role).or(settings.default_model.as_ref());
    named.is_some_and(|name| name.trim().eq_ignore_ascii_case(BUILTIN))
}
