//! Answers that were paid for, kept until the run that asked is over: a run that is interrupted and asks again does
//! not pay again.
//!
//! Only answers that fit are kept, under the question they answer, a correction under the question it corrected. So
//! a run that failed because a model answered badly asks anew, and nothing is ever replayed that could not be used.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::{Question, Reply, Shared};
use crate::purpose::Purpose;
use crate::request::{Answer, Finish, Output, Request};
use crate::spend::{CallRecord, Outcome};
use crate::structured::for_servers;
use crate::target::Target;

/// A question of a run. The same question has the same digest, in another process too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct QuestionKey {
    pub purpose: Purpose,
    /// Of the role, the models, the messages, the schema and the options that shape an answer; hexadecimal.
    pub digest: String,
}

/// An answer that fits, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedAnswer {
    /// `provider/model`.
    pub model: String,
    pub text: String,
    pub truncated: bool,
    pub corrected: bool,
}

impl SavedAnswer {
    pub(crate) fn answer(&self) -> Answer {
        let finish = if self.truncated { Finish::Truncated } else { Finish::Complete };
        Answer { text: self.text.clone(), finish, usage: None }
    }
}

/// Keeps answers durably. It must never fail a call: what cannot be found is asked, what cannot be kept is used all
/// the same.
#[async_trait]
pub trait Answers: Send + Sync {
    async fn find(&self, question: &QuestionKey) -> Option<SavedAnswer>;

    /// Returns when the answer is durable, or when it cannot be.
    async fn keep(&self, question: &QuestionKey, answer: &SavedAnswer);
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAnswers;

#[async_trait]
impl Answers for NoAnswers {
    async fn find(&self, _: &QuestionKey) -> Option<SavedAnswer> {
        None
    }

    async fn keep(&self, _: &QuestionKey, _: &SavedAnswer) {}
}

/// The key of a question; nothing for one that belongs to no run.
fn key(chain: &[Target], question: &Question<'_>) -> Option<QuestionKey> {
    let options = question.options;
    options.purpose.run.as_ref()?;
    let output = question.schema.map_or(Output::Text, |schema| Output::Schema {
        name: schema.name().to_owned(),
        schema: for_servers(schema),
    });
    let request = Request {
        messages: question.messages.to_vec(),
        output,
        temperature: options.temperature,
        max_output_tokens: options.max_output_tokens,
    };
    let models: Vec<Value> = chain.iter().map(|target| target.label.as_str().into()).collect();
    let whole = json!({
        "role": question.role.as_str(),
        "models": models,
        "request": request.canonical(),
        "sample": options.sample,
    });
    let digest = blake3::hash(whole.to_string().as_bytes()).to_hex().to_string();
    Some(QuestionKey { purpose: options.purpose.clone(), digest })
}

/// What a run has got before.
pub(crate) enum Recalled<T> {
    Found {
        value: T,
        index: usize,
        corrected: bool,
    },
    /// Under this key the answer is to be kept, if the question is one of a run.
    Nothing(Option<QuestionKey>),
}

impl Shared {
    /// The answer that the run has to this question, if it still can be used.
    pub(crate) async fn recall<T>(
        &self,
        chain: &[Target],
        question: &Question<'_>,
        read: impl FnOnce(&SavedAnswer) -> Option<T>,
    ) -> Recalled<T> {
        let Some(key) = key(chain, question) else { return Recalled::Nothing(None) };
        let saved = self.answers.find(&key).await;
        let found = saved.and_then(|saved| {
            let index = chain.iter().position(|target| target.label == saved.model)?;
            Some((read(&saved)?, index, saved.corrected))
        });
        let Some((value, index, corrected)) = found else { return Recalled::Nothing(Some(key)) };
        let record = self.record(&chain[index], question, 0, true);
        self.ledger.record(CallRecord { tokens_estimated: false, outcome: Outcome::Saved, ..record });
        Recalled::Found { value, index, corrected }
    }

    /// Keeps an answer that fits, before anybody makes use of it.
    pub(crate) async fn keep(
        &self,
        key: Option<&QuestionKey>,
        model: &Target,
        reply: &Reply,
        corrected: bool,
    ) {
        let Some(key) = key else { return };
        let saved = SavedAnswer {
            model: model.label.clone(),
            text: reply.answer.text.clone(),
            truncated: reply.answer.finish == Finish::Truncated,
            corrected,
        };
        self.answers.keep(key, &saved).await;
    }
}
