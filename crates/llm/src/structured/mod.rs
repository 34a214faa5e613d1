//! Typed values out of models: ask in the surest way the model offers, read what comes tolerantly, check it, and give
//! the model one chance to correct itself. Never more than that: a model that fails twice fails a third time.

mod correction;
mod lenient;
mod recover;
mod schema;
mod shape;

use std::cell::Cell;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use correction::{corrective, schema_in_words};
pub use recover::Truncation;
pub(crate) use recover::after_thinking;
pub use schema::{Schema, SchemaError, Violation};
pub(crate) use shape::for_servers;

use crate::request::{Answer, Finish};
use recover::{Found, find};

/// Why an answer cannot be used, in the words that the model gets to read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    Empty,
    NoJson,
    Truncated,
    Echo,
    Misfit(Vec<Violation>),
}

/// A value out of an answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Read<T> {
    pub(crate) value: T,
    /// False when the answer broke off and only its complete items are here.
    pub(crate) whole: bool,
}

/// Reads the first value of the answer that fits the schema, the type and the caller's own check.
pub(crate) fn read<T: DeserializeOwned>(
    answer: &Answer,
    schema: &Schema,
    truncation: Truncation,
    check: &dyn Fn(&T) -> Vec<Violation>,
) -> Result<Read<T>, Problem> {
    if answer.text.trim().is_empty() {
        let cut = answer.finish == Finish::Truncated;
        return Err(if cut { Problem::Truncated } else { Problem::Empty });
    }
    let echoed = Cell::new(false);
    let fit = |value: Value| {
        let result = fit(schema, value, check);
        echoed.set(echoed.get() || matches!(result, Err(Problem::Echo)));
        result
    };
    // Pieces of an echo, and of anything where no field is required, look like answers.
    let enter = || schema.requires_a_field() && !echoed.get();
    match find(&answer.text, answer.finish == Finish::Truncated, truncation, fit, enter) {
        Found::Fits { value, whole } => Ok(Read { value, whole: whole && answer.finish == Finish::Complete }),
        Found::Misfit(problem) => Err(problem),
        Found::Truncated => Err(Problem::Truncated),
        Found::Nothing => Err(Problem::NoJson),
    }
}

fn fit<T: DeserializeOwned>(
    schema: &Schema,
    value: Value,
    check: &dyn Fn(&T) -> Vec<Violation>,
) -> Result<T, Problem> {
    if schema.is_echo(&value) {
        return Err(Problem::Echo);
    }
    let value = shape::tidy(schema, value);
    let violations = schema.violations(&value);
    if !violations.is_empty() {
        return Err(Problem::Misfit(violations));
    }
    let typed: T = serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        Problem::Misfit(vec![Violation { path, message: error.into_inner().to_string() }])
    })?;
    let violations = check(&typed);
    if violations.is_empty() { Ok(typed) } else { Err(Problem::Misfit(violations)) }
}

#[cfg(test)]
mod tests;
