//! Python blocks: functions that run in the sandbox and call playbooks, which suspends them.
//!
//! A suspended interpreter is kept while the call it waits for is running. If it is lost, because the run was resumed
//! somewhere else, the function runs again from its beginning with the results of its earlier calls.

use std::time::Duration;

use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, MontyException, MontyObject, NameLookupResult, PrintWriter, ResourceLimits,
    ResourceTracker,
};
use playbook_lang::placeholder::{from_python, to_python, to_value};
use rustc_hash::FxHashMap;

use super::Run;
use super::frame::{Body, CallOutcome, Frame, ReturnsTo};
use crate::code::Playbooks;
use crate::journal::{Entry, PythonOutcome};

/// Time in the interpreter between two calls.
const MAX_TIME: Duration = Duration::from_secs(2);
const MAX_ALLOCATION: usize = 32 << 20;
const MAX_RECURSION: usize = 200;
/// Calls of playbooks and tools that one call of a function may make.
const MAX_CALLS: usize = 200;

/// Interpreters that are suspended at a call, with the number of calls they have made.
#[derive(Debug, Default)]
pub(super) struct Live(FxHashMap<u64, (RunProgress, usize)>);

impl Live {
    pub(super) fn forget(&mut self, frame: u64) {
        if !self.0.is_empty() {
            self.0.remove(&frame);
        }
    }
}

impl Run {
    pub(super) fn python_step(&mut self) {
        let Some(frame) = self.state.frames.last() else { return };
        let id = frame.id;
        let agent = self.running_agent();
        let outcome = match self.replay.python() {
            Some(outcome) => outcome,
            None => match self.live.0.remove(&id) {
                Some((progress, used)) => self.go_on_python(id, Ok(progress), used),
                None => {
                    let begun = begin(&self.code, agent, &frame.body);
                    self.go_on_python(id, begun, 0)
                }
            },
        };
        self.tell(Entry::Python { frame: id, outcome: Box::new(outcome.clone()) });
        match outcome {
            PythonOutcome::Returned(value) => self.end_call(Ok(value)),
            PythonOutcome::Raised(reason) => self.fail(&reason),
            PythonOutcome::Calls { name, args, named } => {
                let callee = self.code.callee(agent, &name);
                if let Err(reason) = self.call(&callee, None, (args, named), ReturnsTo::Memo, None)
                    && let Some(frame) = self.state.frames.last_mut()
                {
                    frame.memo.push(Err(reason));
                }
            }
        }
    }

    /// Runs until there is no result for a call, or the end.
    fn go_on_python(
        &mut self,
        id: u64,
        begun: Result<RunProgress, MontyException>,
        mut used: usize,
    ) -> PythonOutcome {
        let memo: &[CallOutcome] = self.state.frames.last().map_or(&[], |frame: &Frame| &frame.memo);
        let mut progress = begun;
        loop {
            progress = match progress {
                Err(error) => return PythonOutcome::Raised(raised(&error)),
                Ok(RunProgress::Complete(object)) => return returned(&object),
                Ok(RunProgress::FunctionCall(mut call)) => match memo.get(used) {
                    _ if used >= MAX_CALLS => {
                        return PythonOutcome::Raised(format!("it makes more than {MAX_CALLS} calls"));
                    }
                    Some(outcome) => {
                        used += 1;
                        call.tracker_mut().set_max_duration(MAX_TIME);
                        match outcome {
                            Ok(value) => call.resume(to_python(value.clone()), PrintWriter::Disabled),
                            Err(reason) => {
                                let error = MontyException::new(ExcType::RuntimeError, Some(reason.clone()));
                                call.resume(error, PrintWriter::Disabled)
                            }
                        }
                    }
                    None => {
                        let outcome = PythonOutcome::Calls {
                            name: call.function_name.clone(),
                            args: call.args.iter().map(from_python).collect(),
                            named: call
                                .kwargs
                                .iter()
                                .map(|(key, value)| (key.to_string(), from_python(value)))
                                .collect(),
                        };
                        self.live.0.insert(id, (RunProgress::FunctionCall(call), used));
                        return outcome;
                    }
                },
                Ok(RunProgress::NameLookup(lookup)) => {
                    lookup.resume(NameLookupResult::Undefined, PrintWriter::Disabled)
                }
                Ok(RunProgress::OsCall(call)) => {
                    let message = "files, processes and the clock are not available".to_owned();
                    call.abort(
                        MontyException::new(ExcType::PermissionError, Some(message)),
                        PrintWriter::Disabled,
                    )
                }
                Ok(RunProgress::ResolveFutures(_)) => {
                    return PythonOutcome::Raised("it waits for something that never comes".to_owned());
                }
            };
        }
    }
}

fn begin(code: &Playbooks, agent: usize, body: &Body) -> Result<RunProgress, MontyException> {
    let missing = || MontyException::new(ExcType::NameError, Some("the function is gone".to_owned()));
    let Body::Python { function, args, named, .. } = body else { return Err(missing()) };
    let python = code.python(agent).ok_or_else(missing)?;
    let keywords: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
    let source = python.calling(function, args.len(), &keywords);
    let mut names = Vec::new();
    let mut inputs = Vec::new();
    for (at, host) in python.hosts.iter().enumerate() {
        names.push(format!("__host_{at}"));
        inputs.push(MontyObject::Function { name: host.clone(), docstring: None });
    }
    for (at, value) in args.iter().enumerate() {
        names.push(format!("__a{at}"));
        inputs.push(to_python(value.clone()));
    }
    for (at, (_, value)) in named.iter().enumerate() {
        names.push(format!("__k{at}"));
        inputs.push(to_python(value.clone()));
    }
    let limits = ResourceLimits::default()
        .max_duration(MAX_TIME)
        .max_memory(MAX_ALLOCATION)
        .max_recursion_depth(MAX_RECURSION);
    let run = MontyRun::new(source, "playbook", names, CompileOptions::default())?;
    run.start(inputs, ResourceTracker::new(limits), PrintWriter::Disabled)
}

fn returned(object: &MontyObject) -> PythonOutcome {
    let kept = to_value(object).and_then(|value| crate::eval::is_storable(&value).map(|()| value));
    kept.map_or_else(PythonOutcome::Raised, PythonOutcome::Returned)
}

fn raised(error: &MontyException) -> String {
    if error.exc_type() == ExcType::TimeoutError {
        return format!("it ran longer than {} s", MAX_TIME.as_secs());
    }
    format!("{}: {}", error.exc_type(), error.message().unwrap_or_default())
}
