//! Doing what an accepted answer says, step by step: words, calls, values, words that needed them.

use playbook_lang::Value;
use playbook_lang::placeholder::Template;

use super::Run;
use super::evaluate::{Eval, Wants};
use super::frame::{CallOutcome, Doing, ReturnsTo};
use crate::code::{ModelKind, ModelStep};
use crate::eval::Place;
use crate::journal::{Evaluated, Purpose};
use crate::model::{CallAnswer, ResultContext, Status, StepAnswer};

/// Results of calls a frame shows to the model: the last ones.
const MAX_RESULTS: usize = 20;

impl Run {
    pub(super) fn begin_doing(&mut self, step: &ModelStep) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        let Some(answer) = frame.model.steps.pop_front() else { return };
        if answer.status == Status::Impossible {
            let why = answer.why.unwrap_or_else(|| "the model says it is impossible".to_owned());
            return self.model_gave_up(Purpose::Segment, &why);
        }
        frame.model.doing = Some(Doing { answer, has_spoken: false, calls: 0 });
        self.go_on_doing(step);
    }

    pub(super) fn go_on_doing(&mut self, step: &ModelStep) {
        let Some(mut doing) = self.state.frames.last_mut().and_then(|frame| frame.model.doing.take()) else {
            return;
        };
        if !doing.has_spoken {
            doing.has_spoken = true;
            for said in doing.answer.say.iter().filter(|said| !said.fill) {
                self.say(&said.to, said.text.clone());
            }
        }
        if let Some(call) = doing.answer.call.get(doing.calls) {
            let call = call.clone();
            return self.make_call(step, doing, &call);
        }
        match self.give_values(step, &doing.answer) {
            Ok(()) => self.done(step, doing.answer),
            Err(problem) => self.take_back(&problem),
        }
    }

    fn make_call(&mut self, step: &ModelStep, mut doing: Doing, call: &CallAnswer) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        if let Some(outcome) = frame.returned.take() {
            doing.calls += 1;
            frame.model.doing = Some(doing);
            return self.call_returned(step, call, outcome);
        }
        frame.model.doing = Some(doing);
        let mut named = call.args.clone();
        for (name, source) in &call.compute {
            match self.computed(source) {
                Ok(value) => named.push((name.clone(), value)),
                Err(problem) => return self.take_back(&format!("`{}`, `{name}`: {problem}", call.name)),
            }
        }
        let callee = self.code.callee(self.running_agent(), &call.name);
        if let Err(problem) = self.call(&callee, None, (Vec::new(), named), ReturnsTo::Operation, None) {
            self.take_back(&format!("`{}`: {problem}", call.name));
        }
    }

    fn call_returned(&mut self, step: &ModelStep, call: &CallAnswer, outcome: CallOutcome) {
        let value = match &outcome {
            Ok(value) => value.clone(),
            Err(reason) => Value::Dict(vec![("error".to_owned(), Value::Text(reason.clone()))]),
        };
        let args = serde_json::to_string(&Value::Dict(call.args.clone())).unwrap_or_default();
        self.remember(ResultContext { call: format!("{}({args})", call.name), value: value.clone() });
        if let Err(reason) = outcome {
            // The model goes on from here, knowing that the call failed.
            return self.take_back(&format!("`{}` failed: {reason}", call.name));
        }
        if let Some(into) = &call.into
            && let Err(problem) = self.try_assign(&place_of(step, into), value)
        {
            self.take_back(&format!("`{into}`: {problem}"));
        }
    }

    fn remember(&mut self, result: ResultContext) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        frame.model.results.push(result);
        if frame.model.results.len() > MAX_RESULTS {
            frame.model.results.remove(0);
        }
    }

    fn give_values(&mut self, step: &ModelStep, answer: &StepAnswer) -> Result<(), String> {
        for (name, value) in &answer.set {
            self.try_assign(&place_of(step, name), value.clone())?;
        }
        for (name, source) in &answer.compute {
            let value = self.computed(source).map_err(|problem| format!("`{name}`: {problem}"))?;
            self.try_assign(&place_of(step, name), value)?;
        }
        let words: Vec<_> = answer.say.iter().filter(|said| said.fill).cloned().collect();
        let mut filled = Vec::new();
        for said in words {
            let template = Template::new(&said.text, playbook_lang::Span::default());
            match self.fill_without_calls(&template) {
                Ok(text) => filled.push((said.to, text)),
                Err(problem) => return Err(format!("the words cannot be filled in: {problem}")),
            }
        }
        for (to, text) in filled {
            self.say(&to, text);
        }
        Ok(())
    }

    /// An expression of the model: it may read variables and nothing else.
    fn computed(&mut self, source: &str) -> Result<Value, String> {
        match self.sandboxed(source, false, Wants::Value, false) {
            Eval::Done(Evaluated::Value(value)) => Ok(value),
            Eval::Done(Evaluated::Text(text)) => Ok(Value::Text(text)),
            Eval::Done(Evaluated::Failed(problem)) | Eval::Failed(problem) => Err(problem),
            Eval::Calls => Err("calls are not allowed here".to_owned()),
        }
    }

    fn fill_without_calls(&mut self, template: &Template) -> Result<String, String> {
        let mut text = String::new();
        for part in &template.parts {
            match part {
                playbook_lang::placeholder::Part::Text(words) => text.push_str(words),
                playbook_lang::placeholder::Part::Placeholder(placeholder) => {
                    match self.sandboxed(&placeholder.source, false, Wants::Text, false) {
                        Eval::Done(Evaluated::Text(shown)) => text.push_str(&shown),
                        Eval::Done(Evaluated::Value(value)) => text.push_str(&crate::eval::shown(&value)),
                        Eval::Done(Evaluated::Failed(problem)) | Eval::Failed(problem) => {
                            return Err(problem);
                        }
                        Eval::Calls => return Err("calls are not allowed here".to_owned()),
                    }
                }
            }
        }
        Ok(text)
    }

    /// What is left of the answer rests on something that did not happen: the model is asked again from here.
    fn take_back(&mut self, problem: &str) {
        let problem = Value::from(problem);
        if let Some(frame) = self.state.frames.last_mut() {
            frame.model.drop_rest();
        }
        self.remember(ResultContext { call: "problem".to_owned(), value: problem });
        let Some(frame) = self.state.frames.last_mut() else { return };
        frame.model.retries += 1;
        if frame.model.retries > 3 {
            self.model_gave_up(Purpose::Segment, "the same step was taken back too often");
        }
    }

    fn done(&mut self, step: &ModelStep, answer: StepAnswer) {
        match (answer.status, &step.kind) {
            (Status::Waiting, _) => {
                if let Some(frame) = self.state.frames.last_mut() {
                    frame.model.is_asked = true;
                    frame.model.drop_rest();
                    frame.heard = None;
                }
            }
            (Status::Continue, _) => {
                if let Some(frame) = self.state.frames.last_mut() {
                    frame.model.drop_rest();
                    frame.model.is_asked = false;
                }
            }
            (_, ModelKind::Return | ModelKind::React) => {
                self.end_call(Ok(answer.returns.unwrap_or_default()));
            }
            (_, ModelKind::Items { slot }) => self.set_items(*slot, answer.items.unwrap_or_default()),
            _ => self.next(),
        }
    }
}

/// Where a value of the answer goes.
fn place_of(step: &ModelStep, name: &str) -> Place {
    if let ModelKind::Assign(place) = &step.kind
        && *place.variable == *name
    {
        return place.clone();
    }
    let ty = step.writes.iter().find(|(known, _)| **known == *name).and_then(|(_, ty)| ty.clone());
    Place { ty, ..Place::variable(name) }
}
