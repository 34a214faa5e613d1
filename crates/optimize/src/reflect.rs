use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Model, Options, Prompt, prompt_file};
use serde::Serialize;

use crate::Improvement;

/// The prompts of whoever writes new wordings.
pub const PROMPTS: &[Template] = &[prompt_file!("playbook-reflection", "v1")];
const NAME: &str = "playbook-reflection";

/// A model that writes new wordings, with its prompts.
pub struct Reflector {
    model: Model,
    prompts: Registry,
    options: Options,
}

#[derive(Serialize)]
struct Variables<'a> {
    agent_context: Option<&'a str>,
    trigger: &'a str,
    current: &'a str,
    examples: String,
    refused: Option<&'a str>,
    reason: Option<&'a str>,
}

impl Reflector {
    /// `options` name the run, for the record of costs.
    pub fn new(model: Model, options: Options) -> Result<Self, PromptError> {
        Ok(Self { model, prompts: Registry::new(PROMPTS.iter().copied())?, options })
    }

    pub async fn improve(&self, improvement: &Improvement<'_>) -> Result<String, Error> {
        let prompt = self.prompt(improvement).map_err(|error| {
            Error::Misconfigured(format!("the prompt of the reflection is broken: {error}"))
        })?;
        let options = Options { sample: improvement.attempt, ..self.options.clone() };
        let answered = self.model.complete(&prompt, &options).await?;
        Ok(gepa::reflection::extract(&answered.text).to_owned())
    }

    /// The prompt for one new wording.
    pub fn prompt(&self, improvement: &Improvement<'_>) -> Result<Prompt, PromptError> {
        let variables = Variables {
            agent_context: improvement.agent_context.filter(|text| !text.trim().is_empty()),
            trigger: improvement.trigger.trim(),
            current: improvement.current,
            examples: gepa::reflection::render(improvement.records),
            refused: improvement.refused.map(|(text, _)| text),
            reason: improvement.refused.map(|(_, reason)| reason),
        };
        self.prompts.render(NAME, variables)
    }

    pub fn model(&self) -> &Model {
        &self.model
    }
}
