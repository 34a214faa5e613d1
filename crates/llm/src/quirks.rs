//! What servers refused, remembered so that it is not sent to them again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Parameter;
use crate::provider::{Rung, first_rung, takes_images};
use crate::request::{Output, Request};
use crate::structured::Schema;
use crate::target::{LimitName, Route, Target};

/// What is sent to one model. Rungs are remembered per schema: servers that know schemas still refuse some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quirks {
    pub(crate) rung: Rung,
    pub(crate) temperature: bool,
    /// None: no limit is sent.
    pub(crate) limit: Option<LimitName>,
    pub(crate) images: bool,
    renamed: bool,
}

#[derive(Default)]
pub(crate) struct Memory(Mutex<Known>);

#[derive(Default)]
struct Known {
    models: HashMap<String, Quirks>,
    rungs: HashMap<(String, String), Rung>,
}

impl Memory {
    pub(crate) fn of(&self, target: &Target, schema: Option<&Schema>) -> Quirks {
        let known = self.known();
        let mut quirks = known.models.get(&target.label).copied().unwrap_or_else(|| assumed(target));
        let key = schema.map(|schema| (target.label.clone(), schema.name().to_owned()));
        if let Some(rung) = key.and_then(|key| known.rungs.get(&key)) {
            quirks.rung = *rung;
        }
        quirks
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note that `request` was refused for `parameter`; false when there is nothing left to leave out.
    pub(crate) fn learn(
        &self,
        target: &Target,
        schema: Option<&Schema>,
        parameter: Parameter,
        request: &Request,
    ) -> bool {
        let before = self.of(target, schema);
        let mut after = before;
        match parameter {
            Parameter::ResponseFormat if request.output != Output::Text => {
                after.rung = before.rung.below(target.wire(), &target.name.source).unwrap_or(before.rung);
            }
            Parameter::Temperature if request.temperature.is_some() => after.temperature = false,
            Parameter::TokenLimit if request.max_output_tokens.is_some() => {
                after.limit = before.limit.filter(|_| !before.renamed).map(LimitName::other);
                after.renamed = true;
            }
            Parameter::Images => after.images = false,
            Parameter::ResponseFormat
            | Parameter::Temperature
            | Parameter::TokenLimit
            | Parameter::Picture => {}
        }
        if after == before {
            return false;
        }
        tracing::info!(
            model = target.label,
            ?parameter,
            "the server refuses a parameter, it is left out from now on"
        );
        let mut known = self.known();
        if let Some(schema) = schema {
            known.rungs.insert((target.label.clone(), schema.name().to_owned()), after.rung);
        }
        known.models.insert(target.label.clone(), Quirks { rung: assumed(target).rung, ..after });
        true
    }
}

/// What the model's name tells.
fn assumed(target: &Target) -> Quirks {
    let limit = match &target.route {
        Route::Http(route) => route.limit_name,
        Route::Command(_) => LimitName::MaxTokens,
    };
    Quirks {
        rung: first_rung(&target.name, target.azure_version()),
        temperature: !fixed_temperature(&target.name.model),
        limit: Some(limit),
        images: takes_images(&target.name),
        renamed: false,
    }
}

/// Reasoning models of OpenAI take no temperature.
fn fixed_temperature(model: &str) -> bool {
    let model = model.rsplit('/').next().unwrap_or(model);
    ["o1", "o3", "o4", "gpt-5", "gpt-6"].iter().any(|start| model.starts_with(start))
}
