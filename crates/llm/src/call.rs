//! One question put to the models of a role: the first that answers wins.

use std::sync::Arc;

use reflexio_types::Clock;
use tokio::time::{Instant, sleep, timeout_at};

use crate::answers::Answers;
use crate::error::{Error, Parameter, Result};
use crate::gate::Gates;
use crate::listener::Heard;
use crate::message::{Message, Part, Speaker, has_images, without_images};
use crate::options::{Options, cancelled};
use crate::provider::{Rung, tells_schema};
use crate::quirks::{Memory, Quirks};
use crate::request::{Answer, Output, Request, Usage};
use crate::retry::{Position, Retry};
use crate::role::Role;
use crate::spend::{
    Budget, CallRecord, Estimate, Ledger, Meter, Outcome, Price, PriceTable, Spent, Turn, tokens,
};
use crate::structured::{Schema, for_servers, schema_in_words};
use crate::target::Target;
use crate::transport::Transport;

/// What an answer without a limit is taken to be at most, when a budget asks.
const USUAL_OUTPUT: u64 = 4_096;

/// What all models of a process share.
pub(crate) struct Shared {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) budget: Arc<dyn Budget>,
    pub(crate) answers: Arc<dyn Answers>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) gates: Gates,
    pub(crate) memory: Memory,
    pub(crate) retry: Retry,
    pub(crate) prices: PriceTable,
}

/// A question, the same for every model of the chain.
pub(crate) struct Question<'a> {
    pub(crate) role: Role,
    pub(crate) messages: &'a [Message],
    pub(crate) prompt_version: Option<&'a str>,
    pub(crate) schema: Option<&'a Schema>,
    pub(crate) options: &'a Options,
    pub(crate) turn: Turn,
    pub(crate) deadline: Instant,
}

/// An answer, whose it is, and what all calls on the way to it cost.
pub(crate) struct Reply {
    pub(crate) answer: Answer,
    /// Which model of the chain it was.
    pub(crate) index: usize,
    pub(crate) spent: Spent,
    pub(crate) calls: u32,
}

impl Shared {
    /// Asks the models from `first` on, in order.
    pub(crate) async fn ask(&self, chain: &[Target], first: usize, question: &Question<'_>) -> Result<Reply> {
        let mut tally = Tally::default();
        let mut failure = None;
        for (index, target) in chain.iter().enumerate().skip(first) {
            let position = if index + 1 == chain.len() { Position::Last } else { Position::HasFallback };
            match self.ask_one(target, position, question, &mut tally).await {
                Ok(answer) => return Ok(Reply { answer, index, spent: tally.spent, calls: tally.calls }),
                Err(error @ (Error::Cancelled | Error::BudgetExceeded(_) | Error::InvalidAnswer { .. })) => {
                    return Err(error);
                }
                Err(error) => {
                    tracing::warn!(role = %question.role, model = target.label, code = error.code(), "a model failed");
                    failure = Some(worse(failure, error));
                }
            }
        }
        Err(failure.unwrap_or_else(|| Error::Misconfigured(format!("role `{}` has no model", question.role))))
    }

    /// Asks one model, leaving out what it refuses.
    async fn ask_one(
        &self,
        target: &Target,
        position: Position,
        question: &Question<'_>,
        tally: &mut Tally,
    ) -> Result<Answer> {
        let mut bad_pictures = false;
        loop {
            let mut quirks = self.memory.of(target, question.schema);
            quirks.images &= !bad_pictures;
            let request = build(target, quirks, question);
            let target = with_limit(target, quirks);
            let result = self.repeat(&target, position, question, &request, tally).await;
            let Err(Error::BadRequest { parameter: Some(parameter), .. }) = &result else { return result };
            let about_images = matches!(parameter, Parameter::Picture | Parameter::Images);
            if about_images && !has_images(&request.messages) {
                return result;
            }
            if *parameter == Parameter::Picture {
                bad_pictures = true;
            } else if !self.memory.learn(&target, question.schema, *parameter, &request) {
                return result;
            }
        }
    }

    /// Repeats what failed for a while.
    async fn repeat(
        &self,
        target: &Target,
        position: Position,
        question: &Question<'_>,
        request: &Request,
        tally: &mut Tally,
    ) -> Result<Answer> {
        let mut attempt = 1;
        loop {
            let error = match self.attempt(target, question, request, attempt, tally).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let Some(pause) = self.retry.pause(&error, attempt, position) else { return Err(error) };
            if Instant::now() + pause >= question.deadline {
                return Err(error);
            }
            tokio::select! {
                () = sleep(pause) => {}
                () = cancelled(question.options.cancel.clone()) => return Err(Error::Cancelled),
            }
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        target: &Target,
        question: &Question<'_>,
        request: &Request,
        attempt: u32,
        tally: &mut Tally,
    ) -> Result<Answer> {
        tokio::select! {
            result = self.metered(target, question, request, attempt, tally) => result,
            () = cancelled(question.options.cancel.clone()) => Err(Error::Cancelled),
        }
    }

    /// One call: a place, a reservation, the call, its record.
    async fn metered(
        &self,
        target: &Target,
        question: &Question<'_>,
        request: &Request,
        attempt: u32,
        tally: &mut Tally,
    ) -> Result<Answer> {
        let pass = self.gates.enter(target.name.provider(), &target.label, question.deadline).await?;
        let meter = self.meter(target, question, request, attempt).await?;
        let started = Instant::now();
        let listener = question.options.listener.as_ref();
        if let Some(listener) = listener {
            listener.hear(Heard::Beginning);
        }
        let asked = timeout_at(question.deadline, self.transport.ask(target, request, listener)).await;
        let late = || Error::Timeout { model: target.label.clone(), after: started.elapsed() };
        // A caller in a hurry says nothing about the provider.
        if let Ok(result) = &asked {
            self.gates.ended(&pass, result.as_ref().err());
        }
        let result = asked.unwrap_or_else(|_| Err(late()));
        tally.add(meter.finish(&result));
        result
    }

    async fn meter(
        &self,
        target: &Target,
        question: &Question<'_>,
        request: &Request,
        attempt: u32,
    ) -> Result<Meter<'_>> {
        let known = self.prices.find(&target.name);
        let price = known.unwrap_or(Price::UNKNOWN);
        let estimate = estimate(target, question, request, price);
        let reserved = self.budget.reserve(&estimate).await;
        reserved.map_err(Error::BudgetExceeded)?;
        let record = self.record(target, question, attempt, known.is_some());
        let (ledger, budget) = (self.ledger.as_ref(), self.budget.as_ref());
        Ok(Meter { ledger, budget, estimate, price, record: Some(record), started: Instant::now() })
    }

    /// What is known of a call before it is made.
    pub(crate) fn record(
        &self,
        target: &Target,
        question: &Question<'_>,
        attempt: u32,
        price_known: bool,
    ) -> CallRecord {
        CallRecord {
            at: self.clock.now(),
            purpose: question.options.purpose.clone(),
            role: question.role,
            provider: target.name.provider().to_owned(),
            model: target.name.model.clone(),
            prompt_version: question.prompt_version.map(str::to_owned),
            turn: question.turn,
            attempt,
            usage: Usage::default(),
            tokens_estimated: true,
            cost_micros: 0,
            price_known,
            latency: std::time::Duration::ZERO,
            outcome: Outcome::Cancelled,
        }
    }
}

/// What a question has cost so far.
#[derive(Default)]
struct Tally {
    spent: Spent,
    calls: u32,
}

impl Tally {
    fn add(&mut self, spent: Spent) {
        self.calls += 1;
        self.spent = self.spent + spent;
    }
}

/// The error that a chain of models ends with: one that may pass, since then the question can be put again; else the
/// first, which is the model that was meant.
fn worse(before: Option<Error>, error: Error) -> Error {
    match before {
        Some(before) if before.is_temporary() || !error.is_temporary() => before,
        _ => error,
    }
}

pub(crate) fn estimate(
    target: &Target,
    question: &Question<'_>,
    request: &Request,
    price: Price,
) -> Estimate {
    let schema = match &request.output {
        Output::Text | Output::Json => 0,
        Output::JsonWithSchema { schema } | Output::Schema { schema, .. } | Output::Tool { schema, .. } => {
            tokens::of_text(&schema.to_string())
        }
    };
    let prompt_tokens = tokens::of_messages(&request.messages) + schema;
    let output_tokens = request.max_output_tokens.map_or(USUAL_OUTPUT, u64::from);
    let usage = Usage { prompt_tokens, output_tokens, cached_tokens: 0 };
    Estimate {
        run: question.options.purpose.run.clone(),
        role: question.role,
        model: target.label.clone(),
        prompt_tokens,
        output_tokens,
        cost_micros: price.micros(&usage),
    }
}

/// The request as this model can take it.
pub(crate) fn build(target: &Target, quirks: Quirks, question: &Question<'_>) -> Request {
    let options = question.options;
    let mut messages =
        if quirks.images { question.messages.to_vec() } else { without_images(question.messages) };
    let output = question.schema.map_or(Output::Text, |schema| {
        let again = question.turn == Turn::Correction;
        if again || quirks.rung >= Rung::JsonWithSchema || tells_schema(&target.name) {
            tell(&mut messages, schema);
        }
        let (name, strict) = (schema.name().to_owned(), for_servers(schema));
        match quirks.rung {
            Rung::Schema => Output::Schema { name, schema: strict },
            Rung::Tool => Output::Tool { name, schema: strict },
            Rung::JsonWithSchema => Output::JsonWithSchema { schema: strict },
            Rung::JsonMode => Output::Json,
            Rung::Prompt => Output::Text,
        }
    });
    Request {
        messages,
        output,
        temperature: options.temperature.filter(|_| quirks.temperature),
        max_output_tokens: options.max_output_tokens.filter(|_| quirks.limit.is_some()),
    }
}

/// Puts the schema where models heed it most: at the end of what the user says last.
fn tell(messages: &mut Vec<Message>, schema: &Schema) {
    let words = schema_in_words(schema);
    match messages.last_mut() {
        Some(last) if last.speaker == Speaker::User => last.parts.push(Part::Text(words)),
        _ => messages.push(Message::text(Speaker::User, words)),
    }
}

fn with_limit(target: &Target, quirks: Quirks) -> Target {
    let mut target = target.clone();
    if let (crate::target::Route::Http(route), Some(limit)) = (&mut target.route, quirks.limit) {
        route.limit_name = limit;
    }
    target
}
