use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::answers::{Recalled, SavedAnswer};
use crate::call::{Question, Reply, Shared, build, estimate};
use crate::error::{Error, Result};
use crate::message::{Message, Prompt};
use crate::name::ModelName;
use crate::options::Options;
use crate::request::{Answer, Finish, Usage};
use crate::role::Role;
use crate::spend::{Estimate, Price, Spent, Turn};
use crate::structured::{Problem, Read, Schema, Violation, after_thinking, corrective, read};
use crate::target::Target;

/// The model of a role, with those that stand in for it. Cheap to clone.
#[derive(Clone)]
pub struct Model {
    pub(crate) role: Role,
    /// Never empty.
    pub(crate) chain: Arc<[Target]>,
    pub(crate) shared: Arc<Shared>,
}

/// A text and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    pub text: String,
    pub model: ModelName,
    pub finish: Finish,
    pub usage: Usage,
    pub cost_micros: u64,
    /// All calls on the way to it: repetitions and fallbacks count. None for an answer that the run had already.
    pub calls: u32,
}

/// A typed value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Structured<T> {
    pub value: T,
    pub model: ModelName,
    /// False when the answer broke off and only its complete items are here.
    pub whole: bool,
    /// Whether the model had to be told what was wrong.
    pub corrected: bool,
    pub usage: Usage,
    pub cost_micros: u64,
    pub calls: u32,
}

impl Model {
    pub fn role(&self) -> Role {
        self.role
    }

    /// The models in the order in which they are asked.
    pub fn names(&self) -> impl Iterator<Item = &ModelName> {
        self.chain.iter().map(Target::name)
    }

    /// A text.
    pub async fn complete(&self, prompt: &Prompt, options: &Options) -> Result<Completion> {
        let question = self.question(prompt, None, options, Turn::First);
        let said = |saved: &SavedAnswer| said(&saved.answer());
        let key = match self.shared.recall(&self.chain, &question, said).await {
            Recalled::Found { value: (text, finish), index, .. } => {
                return Ok(self.completion(text, finish, index, Spent::default(), 0));
            }
            Recalled::Nothing(key) => key,
        };
        let reply = self.shared.ask(&self.chain, 0, &question).await?;
        let target = &self.chain[reply.index];
        let Some((text, finish)) = self::said(&reply.answer) else {
            return Err(Error::invalid(&target.label, "it is empty", &reply.answer.text));
        };
        self.shared.keep(key.as_ref(), target, &reply, false).await;
        Ok(self.completion(text, finish, reply.index, reply.spent, reply.calls))
    }

    fn completion(&self, text: String, finish: Finish, index: usize, spent: Spent, calls: u32) -> Completion {
        let Spent { usage, cost_micros } = spent;
        Completion { text, model: self.chain[index].name.clone(), finish, usage, cost_micros, calls }
    }

    /// A value that fits the schema.
    pub async fn complete_json<T: DeserializeOwned>(
        &self,
        prompt: &Prompt,
        schema: &Schema,
        options: &Options,
    ) -> Result<Structured<T>> {
        self.complete_json_checked(prompt, schema, options, &|_| Vec::new()).await
    }

    /// A value that fits the schema and the caller's own rules; what they find is told to the model.
    pub async fn complete_json_checked<T: DeserializeOwned>(
        &self,
        prompt: &Prompt,
        schema: &Schema,
        options: &Options,
        check: &(dyn Fn(&T) -> Vec<Violation> + Sync),
    ) -> Result<Structured<T>> {
        let question = self.question(prompt, Some(schema), options, Turn::First);
        let fits = |answer: &Answer| read(answer, schema, options.truncation, check);
        let saved = |saved: &SavedAnswer| fits(&saved.answer()).ok();
        let key = match self.shared.recall(&self.chain, &question, saved).await {
            Recalled::Found { value, index, corrected } => {
                return Ok(self.structured(value, index, corrected, Spent::default(), 0));
            }
            Recalled::Nothing(key) => key,
        };
        let (read, reply, corrected) = self.ask_twice(prompt, question, &fits).await?;
        self.shared.keep(key.as_ref(), &self.chain[reply.index], &reply, corrected).await;
        Ok(self.structured(read, reply.index, corrected, reply.spent, reply.calls))
    }

    /// Asks, and once more with what was wrong. Says whether that was necessary.
    async fn ask_twice<T>(
        &self,
        prompt: &Prompt,
        question: Question<'_>,
        fits: &(dyn Fn(&Answer) -> Result<Read<T>, Problem> + Sync),
    ) -> Result<(Read<T>, Reply, bool)> {
        let first = self.shared.ask(&self.chain, 0, &question).await?;
        let problem = match fits(&first.answer) {
            Ok(read) => return Ok((read, first, false)),
            Err(problem) => problem,
        };
        let messages = corrective(&prompt.messages, &first.answer.text, &problem);
        let longer = longer(question.options, &problem);
        let turn = Turn::Correction;
        let question = Question { messages: &messages, options: &longer, turn, ..question };
        let mut second = self.shared.ask(&self.chain, first.index, &question).await?;
        second.spent = first.spent + second.spent;
        second.calls += first.calls;
        let label = &self.chain[second.index].label;
        let read = fits(&second.answer)
            .map_err(|problem| Error::invalid(label, problem.to_string(), &second.answer.text))?;
        Ok((read, second, true))
    }

    /// What a call with this prompt may cost at most with the first model, before it is made.
    pub fn estimate(&self, prompt: &Prompt, schema: Option<&Schema>, options: &Options) -> Estimate {
        let target = &self.chain[0];
        let question = self.question(prompt, schema, options, Turn::First);
        let request = build(target, self.shared.memory.of(target, schema), &question);
        let price = self.shared.prices.find(&target.name).unwrap_or(Price::UNKNOWN);
        estimate(target, &question, &request, price)
    }

    fn question<'a>(
        &self,
        prompt: &'a Prompt,
        schema: Option<&'a Schema>,
        options: &'a Options,
        turn: Turn,
    ) -> Question<'a> {
        let messages: &[Message] = &prompt.messages;
        let deadline = Instant::now() + options.deadline.unwrap_or(self.shared.retry.deadline);
        let prompt_version = prompt.version.as_deref();
        Question { role: self.role, messages, prompt_version, schema, options, turn, deadline }
    }

    fn structured<T>(
        &self,
        read: Read<T>,
        index: usize,
        corrected: bool,
        spent: Spent,
        calls: u32,
    ) -> Structured<T> {
        let Spent { usage, cost_micros } = spent;
        let (value, whole, model) = (read.value, read.whole, self.chain[index].name.clone());
        Structured { value, model, whole, corrected, usage, cost_micros, calls }
    }
}

/// What a model said, without its thoughts; nothing if that is all there is.
fn said(answer: &Answer) -> Option<(String, Finish)> {
    let text = after_thinking(answer.text.trim());
    (!text.is_empty()).then(|| (text.to_owned(), answer.finish))
}

/// The second attempt of an answer that was cut gets twice the room.
fn longer(options: &Options, problem: &Problem) -> Options {
    let mut options = options.clone();
    if *problem == Problem::Truncated {
        options.max_output_tokens = options.max_output_tokens.map(|limit| limit.saturating_mul(2));
    }
    options
}
