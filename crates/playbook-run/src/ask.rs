//! Asking a model what the engine asks for.

use async_trait::async_trait;
use playbook_engine::{ModelRequest, PROMPTS, Used};
use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Heard, Listener, Model, Models, Options, Role, Schema, Usage};
use serde_json::Value;

use crate::draft::{Draft, Drafted, Show};

/// An answer and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    pub answer: Value,
    pub used: Used,
}

/// Why there is no answer, by what becomes of the run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// No model is set up. The run stays where it is until there is one.
    #[error("{0}")]
    NoModel(String),
    /// It may work later, or after somebody has paid or changed a key. The run stays where it is.
    #[error("{0}")]
    Later(String),
    /// It would cost more than is allowed: the run ends with what it has.
    #[error("{0}")]
    Unaffordable(String),
    /// Asking again gives the same: the playbook's failure policy decides.
    #[error("{0}")]
    Failed(String),
}

/// Gives answers to what runs ask for.
#[async_trait]
pub trait Answerer: Send + Sync {
    async fn answer(&self, request: &ModelRequest) -> Result<Answered, Unanswered>;

    /// The same, for somebody who looks on while the model writes.
    async fn answer_aloud(&self, request: &ModelRequest, _show: &Show<'_>) -> Result<Answered, Unanswered> {
        self.answer(request).await
    }
}

/// Nobody can be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoModel;

#[async_trait]
impl Answerer for NoModel {
    async fn answer(&self, _: &ModelRequest) -> Result<Answered, Unanswered> {
        Err(Unanswered::NoModel("no model is configured".to_owned()))
    }
}

/// Asks the model of the role `playbook`, or the one that a playbook names.
pub struct Asker {
    models: Models,
    /// Stands above what playbooks name.
    chosen: Option<String>,
    options: Options,
    prompts: Registry,
}

impl Asker {
    /// `chosen` is a model that is used for everything.
    pub fn new(models: Models, chosen: Option<String>, options: Options) -> Result<Self, PromptError> {
        let template = |file: &playbook_engine::PromptFile| Template {
            name: file.name,
            version: file.version,
            source: file.source,
        };
        Ok(Self { models, chosen, options, prompts: Registry::new(PROMPTS.iter().map(template))? })
    }

    fn model(&self, request: &ModelRequest) -> Result<Model, Error> {
        match self.chosen.as_ref().or(request.model.as_ref()) {
            Some(name) => self.models.named(Role::Playbook, name),
            None => self.models.for_role(Role::Playbook),
        }
    }

    /// As [`Answerer::answer`], with the error that the model gave.
    pub async fn ask(&self, request: &ModelRequest) -> Result<Answered, Error> {
        self.ask_with(request, &self.options).await
    }

    async fn ask_with(&self, request: &ModelRequest, options: &Options) -> Result<Answered, Error> {
        let model = self.model(request)?;
        let broken = |error: &dyn std::fmt::Display| Error::Misconfigured(error.to_string());
        let prompt = self.prompts.render(request.prompt, &request.context).map_err(|error| broken(&error))?;
        let Some(schema) = &request.schema else {
            let said = model.complete(&prompt, options).await?;
            let used = used(said.usage, said.cost_micros, said.calls);
            return Ok(Answered { answer: Value::String(said.text), used });
        };
        let schema = Schema::new(request.prompt, schema.clone()).map_err(|error| broken(&error))?;
        let found = model.complete_json::<Value>(&prompt, &schema, options).await?;
        Ok(Answered { answer: found.value, used: used(found.usage, found.cost_micros, found.calls) })
    }
}

#[async_trait]
impl Answerer for Asker {
    async fn answer(&self, request: &ModelRequest) -> Result<Answered, Unanswered> {
        Ok(self.ask(request).await?)
    }

    async fn answer_aloud(&self, request: &ModelRequest, show: &Show<'_>) -> Result<Answered, Unanswered> {
        // What a raw playbook gives is a value, not words for the user.
        if request.schema.is_none() {
            return self.answer(request).await;
        }
        let (hear, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let listener = Listener::new(move |piece| {
            let piece = match piece {
                Heard::Beginning => None,
                Heard::Piece(text) => Some(text.to_owned()),
            };
            // Nobody listens any more: the answer is there.
            let _ = hear.send(piece);
        });
        let options = Options { listener: Some(listener), ..self.options.clone() };
        let mut draft = Draft::default();
        let mut asking = std::pin::pin!(self.ask_with(request, &options));
        loop {
            let piece = tokio::select! {
                biased;
                Some(piece) = heard.recv() => piece,
                answered = &mut asking => {
                    if answered.is_err() && draft.restart() {
                        show(Drafted::TakenBack);
                    }
                    return Ok(answered?);
                }
            };
            match piece {
                None if draft.restart() => show(Drafted::TakenBack),
                None => {}
                Some(piece) => {
                    if let Some(words) = draft.hear(&piece, request) {
                        show(Drafted::Words(&words));
                    }
                }
            }
        }
    }
}

fn used(usage: Usage, cost_micros: u64, calls: u32) -> Used {
    let tokens = usage.prompt_tokens.saturating_add(usage.output_tokens);
    Used { tokens, cost_micros, more_calls: u64::from(calls.saturating_sub(1)) }
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        let reason = error.to_string();
        match error {
            Error::Misconfigured(_) => Self::NoModel(reason),
            Error::BudgetExceeded(_) => Self::Unaffordable(reason),
            Error::Auth { .. }
            | Error::Billing { .. }
            | Error::RateLimited { .. }
            | Error::Unavailable { .. }
            | Error::Timeout { .. }
            | Error::Cancelled => Self::Later(reason),
            Error::BadRequest { .. }
            | Error::ContextTooLong { .. }
            | Error::Declined { .. }
            | Error::InvalidAnswer { .. } => Self::Failed(reason),
        }
    }
}
