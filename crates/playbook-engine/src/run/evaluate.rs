//! Expressions of a running frame: quick ones at once, the rest in the sandbox, calls inside them as frames.

use playbook_lang::Value;
use playbook_lang::placeholder::{Limits, Part, Template, evaluate, evaluate_value};

use super::Run;
use super::frame::{Frame, ReturnsTo};
use super::host::{Sandbox, Wanted};
use super::state::Instance;
use crate::eval::{Expression, Scope};
use crate::journal::{Entry, Evaluated};

/// What came of evaluating something.
pub(super) enum Eval<T> {
    Done(T),
    /// It calls a playbook, which now runs; the same is evaluated again when it is back.
    Calls,
    Failed(String),
}

/// Names a frame sees: its own first, then those of its agent.
pub(super) struct Names<'a> {
    pub(super) frame: Option<&'a Frame>,
    pub(super) instance: &'a Instance,
    /// A variable that was never set is nothing.
    pub(super) is_lenient: bool,
}

impl Scope for Names<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        let local = self.frame.and_then(|frame| frame.locals.get(name));
        let found = local.or_else(|| self.instance.variables.get(name));
        found.or_else(|| self.is_lenient.then_some(&Value::None))
    }
}

/// What the sandbox is asked for.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Wants {
    Value,
    Text,
}

impl Run {
    pub(super) fn evaluate(&mut self, expression: &Expression, is_lenient: bool) -> Eval<Value> {
        let Some(frame) = self.state.frames.last() else { return Eval::Failed("nothing runs".to_owned()) };
        if let Some(instance) = self.state.instances.get(frame.instance) {
            let names = Names { frame: Some(frame), instance, is_lenient };
            if let Some(value) = expression.quick(&names) {
                return Eval::Done(value.into_owned());
            }
        }
        match self.sandboxed(&expression.source, is_lenient, Wants::Value, true) {
            Eval::Done(Evaluated::Value(value)) => Eval::Done(value),
            Eval::Done(Evaluated::Text(text)) => Eval::Done(Value::Text(text)),
            Eval::Done(Evaluated::Failed(reason)) | Eval::Failed(reason) => Eval::Failed(reason),
            Eval::Calls => Eval::Calls,
        }
    }

    /// Evaluates in the sandbox, or takes the outcome from the journal that is being replayed.
    pub(super) fn sandboxed(
        &mut self,
        source: &str,
        is_lenient: bool,
        wants: Wants,
        may_call: bool,
    ) -> Eval<Evaluated> {
        if let Some((outcome, calls)) = self.replay.evaluated() {
            self.memo_used += calls;
            self.tell(Entry::Evaluated { outcome: Box::new(outcome.clone()), calls });
            return Eval::Done(outcome);
        }
        let Some(frame) = self.state.frames.last() else { return Eval::Failed("nothing runs".to_owned()) };
        let mut host = Sandbox::new(&self.code, &self.state, frame, self.memo_used, is_lenient);
        host.may_call = may_call;
        let limits = Limits::default();
        let outcome = match wants {
            Wants::Value => evaluate_value(source, &mut host, &limits).map(Evaluated::Value),
            Wants::Text => evaluate(source, &mut host, &limits).map(Evaluated::Text),
        };
        let calls = host.used - self.memo_used;
        if let Some(Wanted { name, args, named }) = host.wanted {
            return self.call_inside(&name, args, named);
        }
        let outcome = match outcome {
            Ok(Evaluated::Value(value)) => match crate::eval::is_storable(&value) {
                Ok(()) => Evaluated::Value(value),
                Err(problem) => Evaluated::Failed(format!("`{source}`: {problem}")),
            },
            Ok(other) => other,
            Err(error) => Evaluated::Failed(error.to_string()),
        };
        self.memo_used += calls;
        self.tell(Entry::Evaluated { outcome: Box::new(outcome.clone()), calls });
        Eval::Done(outcome)
    }

    /// An expression calls something: it runs as a call of its own.
    fn call_inside(&mut self, name: &str, args: Vec<Value>, named: Vec<(String, Value)>) -> Eval<Evaluated> {
        let agent = self.running_agent();
        let callee = self.code.callee(agent, name);
        if let Err(reason) = self.refuse_own_description(&callee, name) {
            return Eval::Failed(reason);
        }
        match self.call(&callee, None, (args, named), ReturnsTo::Memo, None) {
            Ok(()) => Eval::Calls,
            Err(reason) => Eval::Failed(format!("`{name}`: {reason}")),
        }
    }

    /// Words with `$variables` and `{expressions}` in them.
    pub(super) fn fill(&mut self, template: &Template) -> Eval<String> {
        let mut text = String::with_capacity(template.text.len());
        // What was evaluated before a call is evaluated again after it: results of calls are remembered in order.
        for part in &template.parts {
            match part {
                Part::Text(words) => text.push_str(words),
                Part::Placeholder(placeholder) => match self.shown(&placeholder.source) {
                    Eval::Done(shown) => text.push_str(&shown),
                    Eval::Calls => return Eval::Calls,
                    Eval::Failed(reason) => return Eval::Failed(reason),
                },
            }
        }
        Eval::Done(text)
    }

    fn shown(&mut self, source: &str) -> Eval<String> {
        // `$name` that is a text or a whole number needs no interpreter to be shown.
        if let Some(value) = source.strip_prefix('$').and_then(|name| self.variable(name)) {
            match value {
                Value::Text(text) => return Eval::Done(text.clone()),
                Value::Int(int) => return Eval::Done(int.to_string()),
                Value::None => return Eval::Done(String::new()),
                Value::Bool(_) | Value::Float(_) | Value::List(_) | Value::Dict(_) => {}
            }
        }
        match self.sandboxed(source, false, Wants::Text, true) {
            Eval::Done(Evaluated::Text(text)) => Eval::Done(text),
            Eval::Done(Evaluated::Value(value)) => Eval::Done(crate::eval::shown(&value)),
            Eval::Done(Evaluated::Failed(reason)) | Eval::Failed(reason) => Eval::Failed(reason),
            Eval::Calls => Eval::Calls,
        }
    }

    /// A variable as the running frame sees it.
    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        let frame = self.state.frames.last()?;
        let local = frame.locals.get(name);
        local.or_else(|| self.state.instances.get(frame.instance)?.variables.get(name))
    }

    pub(super) fn running_agent(&self) -> usize {
        let instance = self.state.frames.last().and_then(|frame| self.state.instances.get(frame.instance));
        instance.map_or(0, |instance| instance.agent)
    }
}
