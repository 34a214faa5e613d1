//! Which of two replayed conversations went better. Models favour what stands first, so they are asked in both orders.

mod answer;

use reflexio_learn::transcript::{clean, share};
use reflexio_llm::prompts::{PromptError, Registry, Template};
use reflexio_llm::{Error, Model, Options, Prompt, prompt_file};
use reflexio_types::{RolloutJudgement, RolloutMessage};
use serde::Serialize;

use crate::Pair;
use answer::{Answer, Order, Seen, contradictions, schema, together};

/// The prompts of the judge.
pub const PROMPTS: &[Template] = &[prompt_file!("rollout-judge", "v1")];
const NAME: &str = "rollout-judge";
/// Characters of all texts together.
const ROOM: usize = 32_000;
/// A prompt that is too long for a model is halved so many times.
const HALVINGS: u32 = 3;

/// A model that compares, with its prompts.
pub struct Judge {
    model: Model,
    prompts: Registry,
    options: Options,
}

impl Judge {
    /// `options` name the run, for the record of costs.
    pub fn new(model: Model, options: Options) -> Result<Self, PromptError> {
        Ok(Self { model, prompts: Registry::new(PROMPTS.iter().copied())?, options })
    }

    /// Asks in both orders at the same time.
    pub async fn compare(&self, pair: &Pair<'_>) -> Result<RolloutJudgement, Error> {
        let (first, second) = futures::future::join(
            self.ask(pair, Order::IncumbentFirst),
            self.ask(pair, Order::CandidateFirst),
        )
        .await;
        Ok(together(first?, second?))
    }

    async fn ask(&self, pair: &Pair<'_>, order: Order) -> Result<Seen, Error> {
        let mut room = ROOM;
        for _ in 0..HALVINGS {
            match self.ask_within(pair, order, room).await {
                Err(Error::ContextTooLong { .. }) => room /= 2,
                other => return other,
            }
        }
        self.ask_within(pair, order, room).await
    }

    async fn ask_within(&self, pair: &Pair<'_>, order: Order, room: usize) -> Result<Seen, Error> {
        let unusable =
            |error: String| Error::Misconfigured(format!("the prompt of the judge is broken: {error}"));
        let prompt = self.prompt(pair, order, room).map_err(|error| unusable(error.to_string()))?;
        let schema = schema().map_err(|error| unusable(error.to_string()))?;
        let answered = self
            .model
            .complete_json_checked::<Answer>(&prompt, &schema, &self.options, &contradictions)
            .await?;
        Ok(answered.value.seen(order, &answered.model.to_string()))
    }

    fn prompt(&self, pair: &Pair<'_>, order: Order, room: usize) -> Result<Prompt, PromptError> {
        self.prompts.render(NAME, Variables::of(pair, order, room))
    }

    /// The prompt in which the incumbent's conversation comes first.
    pub fn usual_prompt(&self, pair: &Pair<'_>) -> Result<Prompt, PromptError> {
        self.prompt(pair, Order::IncumbentFirst, ROOM)
    }

    pub fn model(&self) -> &Model {
        &self.model
    }
}

#[derive(Serialize)]
struct Variables<'a> {
    agent_context: Option<&'a str>,
    trigger: &'a str,
    first: String,
    second: String,
    ideal: Vec<String>,
}

impl<'a> Variables<'a> {
    fn of(pair: &Pair<'a>, order: Order, room: usize) -> Self {
        let messages = pair.incumbent.len() + pair.candidate.len() + pair.ideal.len();
        let each = share(messages, room);
        let (first, second) = match order {
            Order::IncumbentFirst => (pair.incumbent, pair.candidate),
            Order::CandidateFirst => (pair.candidate, pair.incumbent),
        };
        Self {
            agent_context: pair.agent_context.filter(|text| !text.trim().is_empty()),
            trigger: pair.trigger.trim(),
            first: told(first, each),
            second: told(second, each),
            ideal: pair.ideal.iter().map(|text| clean(text, each)).filter(|text| !text.is_empty()).collect(),
        }
    }
}

/// A conversation as a model reads it: lines of a message are indented, so that none passes for another message.
pub(crate) fn told(messages: &[RolloutMessage], each: usize) -> String {
    let line = |message: &RolloutMessage| {
        let who = if message.role == "user" { "user" } else { "agent" };
        format!("{who}: {}", clean(&message.content, each))
    };
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}
