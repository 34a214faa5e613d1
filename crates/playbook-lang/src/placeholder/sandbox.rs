//! Expressions in the `monty` interpreter, with everything limited.
//!
//! The interpreter limits time, recursion and single large allocations; it does not count small ones, so memory
//! is bounded by what the time limit lets an expression allocate. What leaves it is written out by others, without a
//! limit: `bounded.rs` counts its parts before, `convert.rs` its digits. Host calls and the size of the result are
//! counted here. Files, processes, the clock and the network do not exist: asking for them is an error.

use std::time::Duration;

use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, NameLookupResult, PrintWriter,
    ResourceLimits, ResourceTracker,
};

use super::host::{Host, HostError};
use super::prepass::{self, Prepared, Refusal};
use super::{convert, format, percent};
use crate::suggest;
use crate::value::Value;

/// What one expression may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time in the interpreter; host calls do not count.
    pub time: Duration,
    /// The largest single allocation, in bytes.
    pub allocation: usize,
    pub recursion: usize,
    pub host_calls: usize,
    /// The longest text an expression may give, in bytes.
    pub result: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_millis(20),
            allocation: 8 << 20,
            recursion: 64,
            host_calls: 50,
            result: 256 << 10,
        }
    }
}

/// Why an expression has no value.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("`{source_text}` is not a Python expression: {message}")]
    Syntax { source_text: String, message: String, offset: usize },
    #[error("`{source_text}` is refused: `{name}` is not available in expressions")]
    Refused { source_text: String, name: String, offset: usize },
    /// The expression raised an exception.
    #[error("`{source_text}` failed: {kind}: {message}{}", hint(suggestion.as_deref()))]
    Raised { source_text: String, kind: String, message: String, suggestion: Option<String> },
    #[error("`{source_text}` was stopped: {limit}")]
    Limit { source_text: String, limit: String },
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

impl EvalError {
    /// Where in the expression it went wrong, if that is known.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match self {
            Self::Syntax { offset, .. } | Self::Refused { offset, .. } => Some(*offset),
            Self::Raised { .. } | Self::Limit { .. } => None,
        }
    }
}

/// The text an expression gives in a description.
pub fn evaluate(source: &str, host: &mut dyn Host, limits: &Limits) -> Result<String, EvalError> {
    let object = run(source, host, limits)?;
    let shown = if format::needs_python(&object) { as_text(object) } else { format::shown(&object) };
    if shown.len() > limits.result {
        let limit = format!("its text has more than {} bytes", limits.result);
        return Err(EvalError::Limit { source_text: brief(source), limit });
    }
    Ok(shown)
}

/// Dates and the like know best how they look.
fn as_text(object: MontyObject) -> String {
    let fallback = object.to_string();
    let run = MontyRun::new("str(x)".to_owned(), "text", vec!["x".to_owned()], CompileOptions::default());
    let text = run.and_then(|run| run.run(vec![object], ResourceTracker::default(), PrintWriter::Disabled));
    if let Ok(MontyObject::String(text)) = text { text } else { fallback }
}

/// The value of an expression, for conditions and assignments.
pub fn evaluate_value(source: &str, host: &mut dyn Host, limits: &Limits) -> Result<Value, EvalError> {
    let object = run(source, host, limits)?;
    convert::to_value(&object).map_err(|limit| EvalError::Limit { source_text: brief(source), limit })
}

fn run(source: &str, host: &mut dyn Host, limits: &Limits) -> Result<MontyObject, EvalError> {
    let prepared =
        prepass::prepare(source, &|name| host.has_function(name)).map_err(|refusal| match refusal {
            Refusal::Syntax(error) => {
                EvalError::Syntax { source_text: brief(source), message: error.message, offset: error.at }
            }
            Refusal::Forbidden { name, at } => {
                EvalError::Refused { source_text: brief(source), name, offset: at }
            }
        })?;
    let mut run = Run { source, host, limits, calls: 0 };
    match run.once(&prepared) {
        // The interpreter's clock is the wall's. A busy machine gets a second try if nothing has happened yet.
        Err(EvalError::Limit { .. }) if run.calls == 0 => run.once(&prepared),
        result => result,
    }
}

struct Run<'a> {
    source: &'a str,
    host: &'a mut dyn Host,
    limits: &'a Limits,
    calls: usize,
}

impl Run<'_> {
    fn once(&mut self, prepared: &Prepared) -> Result<MontyObject, EvalError> {
        let (names, inputs) = self.inputs(prepared);
        let resources = ResourceLimits::default()
            .max_duration(self.limits.time)
            .max_memory(self.limits.allocation)
            .max_recursion_depth(self.limits.recursion);
        let runner = MontyRun::new(prepared.code.clone(), "expression", names, CompileOptions::default());
        let runner = runner.map_err(|error| self.raised(&error))?;
        let started = runner.start(inputs, ResourceTracker::new(resources), PrintWriter::Disabled);
        let mut progress = started.map_err(|error| self.raised(&error))?;
        loop {
            let next = match progress {
                RunProgress::Complete(object) => {
                    convert::check_digits(&object).map_err(|limit| self.limit(&limit))?;
                    return Ok(object);
                }
                RunProgress::FunctionCall(call) => {
                    for object in call.args.iter().chain(call.kwargs.iter().map(|(_, value)| value)) {
                        convert::check_digits(object).map_err(|limit| self.limit(&limit))?;
                    }
                    let result = self.call(&call.function_name, &call.args, &call.kwargs)?;
                    call.resume(result, PrintWriter::Disabled)
                }
                RunProgress::NameLookup(lookup) => {
                    lookup.resume(NameLookupResult::Undefined, PrintWriter::Disabled)
                }
                RunProgress::OsCall(call) => {
                    let message =
                        "files, processes and the clock are not available in expressions".to_owned();
                    call.abort(
                        MontyException::new(ExcType::PermissionError, Some(message)),
                        PrintWriter::Disabled,
                    )
                }
                RunProgress::ResolveFutures(_) => {
                    return Err(self.limit("it waits for something that never comes"));
                }
            };
            progress = next.map_err(|error| self.raised(&error))?;
        }
    }

    /// Every name the expression uses that the host knows: special ones first, then variables, then functions.
    fn inputs(&mut self, prepared: &Prepared) -> (Vec<String>, Vec<MontyObject>) {
        let mut names = Vec::new();
        let mut inputs = Vec::new();
        for name in &prepared.names {
            if let Some(object) = self.lookup(name) {
                names.push(name.clone());
                inputs.push(object);
            }
        }
        for (stand_in, function) in &prepared.functions {
            names.push(stand_in.clone());
            inputs.push(MontyObject::Function { name: function.clone(), docstring: None });
        }
        if prepared.uses_percent {
            names.push("__percent".to_owned());
            inputs.push(MontyObject::Function { name: "__percent".to_owned(), docstring: None });
        }
        (names, inputs)
    }

    fn lookup(&mut self, name: &str) -> Option<MontyObject> {
        match name {
            "agent" | "self" => return Some(convert::to_python(self.host.agent())),
            "call" | "current_playbook_call" => {
                return Some(MontyObject::String(self.host.current_call().text));
            }
            "__callinfo" => {
                let info = self.host.current_call();
                let part = |name: &str, text: &str| (name.to_owned(), Value::from(text));
                let parts = [
                    part("playbook_name", &info.playbook_name),
                    part("playbook_klass", &info.playbook_name),
                    part("text", &info.text),
                ];
                return Some(convert::to_python(Value::Dict(parts.into())));
            }
            "timestamp" => {
                if let Some(moment) = self.host.timestamp() {
                    return Some(convert::moment(moment));
                }
            }
            _ => {}
        }
        if let Some(found) = self.host.variable(name) {
            return Some(convert::to_python(found));
        }
        self.host.has_function(name).then(|| MontyObject::Function { name: name.to_owned(), docstring: None })
    }

    fn call(
        &mut self,
        name: &str,
        args: &[MontyObject],
        named: &[(MontyObject, MontyObject)],
    ) -> Result<ExtFunctionResult, EvalError> {
        if name == "__percent" {
            return Ok(match args {
                [MontyObject::String(template), values] => match percent::format(template, values) {
                    Ok(text) => MontyObject::String(text).into(),
                    Err(message) => MontyException::new(ExcType::TypeError, Some(message)).into(),
                },
                _ => MontyException::new(ExcType::TypeError, None).into(),
            });
        }
        self.calls += 1;
        if self.calls > self.limits.host_calls {
            return Err(self.limit(&format!("it calls more than {} times", self.limits.host_calls)));
        }
        let args = args.iter().map(convert::from_python).collect();
        let named =
            named.iter().map(|(name, object)| (name.to_string(), convert::from_python(object))).collect();
        Ok(match self.host.call(name, args, named) {
            Ok(result) => convert::to_python(result).into(),
            Err(HostError { kind, message }) => {
                let kind = kind.parse::<ExcType>().unwrap_or(ExcType::RuntimeError);
                MontyException::new(kind, Some(message)).into()
            }
        })
    }

    fn limit(&self, limit: &str) -> EvalError {
        EvalError::Limit { source_text: brief(self.source), limit: limit.to_owned() }
    }

    fn raised(&self, error: &MontyException) -> EvalError {
        let kind = error.exc_type();
        let message = error.message().unwrap_or_default().to_owned();
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are Python's own")]
        match kind {
            // The interpreter says how long it took, which is different each time.
            ExcType::TimeoutError => {
                self.limit(&format!("it ran longer than {} ms", self.limits.time.as_millis()))
            }
            ExcType::MemoryError => self.limit(&message),
            ExcType::RecursionError => self.limit("it recurses too deeply"),
            _ => {
                let missing = message.split('\'').nth(1).filter(|_| kind == ExcType::NameError);
                let names = self.host.names();
                let suggestion = missing
                    .and_then(|name| suggest::nearest(name, names.iter().map(String::as_str)))
                    .map(str::to_owned);
                EvalError::Raised {
                    source_text: brief(self.source),
                    kind: kind.to_string(),
                    message,
                    suggestion,
                }
            }
        }
    }
}

/// Long expressions are not repeated in full.
fn brief(source: &str) -> String {
    let source = source.trim();
    if source.chars().count() <= 80 {
        source.to_owned()
    } else {
        source.chars().take(79).chain(['…']).collect()
    }
}
