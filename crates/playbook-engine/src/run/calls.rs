//! Calls: frames begin, tools are asked for, hooks fire before and after.

use std::collections::BTreeMap;
use std::sync::Arc;

use playbook_lang::{Mode, ParamKind, Value};

use super::Run;
use super::evaluate::Eval;
use super::frame::{Body, CallOutcome, Frame, ModelWork, ReturnsTo};
use super::state::{Instance, Open, State};
use crate::bind;
use crate::code::{Callee, Parameter};
use crate::effect::Effect;
use crate::eval::{brief, literal_text};
use crate::journal::Entry;
use crate::settings::Limit;

/// Positional and named arguments.
pub(super) type Arguments = (Vec<Value>, Vec<(String, Value)>);

impl Run {
    /// Begins a call. The error is why it cannot be made; reaching the depth limit stops the run instead.
    pub(super) fn call(
        &mut self,
        callee: &Callee,
        instance: Option<&str>,
        (args, named): Arguments,
        returns_to: ReturnsTo,
        trigger: Option<usize>,
    ) -> Result<(), String> {
        let code = Arc::clone(&self.code);
        if u64::try_from(self.state.frames.len()).unwrap_or(u64::MAX) >= self.state.settings.budget.depth {
            self.stop(Limit::Depth);
            return Ok(());
        }
        let caller = self.state.frames.last().map(|frame| frame.instance);
        let params = code.parameters_of(callee);
        let (body, instance, locals, text) = match callee {
            Callee::Refused(why) => return Err(why.clone()),
            Callee::Builtin(name) => return self.builtin(name, args, named, &returns_to),
            Callee::Tool(tool) => {
                let args = code.tools.get(*tool).ok_or("the tool is gone")?.bind(args, named)?;
                let text = written(code.callee_name(callee), &args);
                (Body::Tool { tool: *tool, args }, caller.unwrap_or(0), BTreeMap::new(), text)
            }
            Callee::Function(function) => {
                let text = format!("{function}(…)");
                let body = Body::Python { playbook: None, function: function.clone(), args, named };
                (body, caller.unwrap_or(0), BTreeMap::new(), text)
            }
            Callee::Playbook(id) => {
                let playbook = code.playbook(*id).ok_or("the playbook is gone")?;
                let bound = bind::bind(&params, args, named)?;
                let text = written(&playbook.plain, &bound);
                let same = |at: &usize| {
                    instance.is_none()
                        && self.state.instances.get(*at).is_some_and(|found| found.agent == playbook.agent)
                };
                let instance = match caller.filter(same) {
                    Some(caller) => caller,
                    None => self.instance(playbook.agent, instance),
                };
                if playbook.mode == Mode::Python {
                    let (args, named) = spread(&params, bound);
                    let (playbook, function) = (Some(*id), playbook.plain.clone());
                    (Body::Python { playbook, function, args, named }, instance, BTreeMap::new(), text)
                } else {
                    let mut locals: BTreeMap<Arc<str>, Value> = BTreeMap::new();
                    for (name, value) in bound {
                        let name: Arc<str> = Arc::from(&*name);
                        if params.iter().any(|param| param.is_state && *param.name == *name) {
                            self.write(instance, &name, value.clone());
                        }
                        locals.insert(name, value);
                    }
                    (Body::Playbook(*id), instance, locals, text)
                }
            }
        };
        self.push_frame(body, instance, locals, text, returns_to, trigger);
        self.hook_before(callee, &code);
        Ok(())
    }

    fn push_frame(
        &mut self,
        body: Body,
        instance: usize,
        locals: BTreeMap<Arc<str>, Value>,
        call: String,
        returns_to: ReturnsTo,
        trigger: Option<usize>,
    ) {
        let id = State::take_number(&mut self.state.next.frame);
        self.state.frames.push(Frame {
            id,
            body,
            instance,
            call,
            returns_to,
            trigger,
            began: self.state.now,
            is_told: false,
            is_begun: false,
            description: None,
            locals,
            pc: 0,
            is_stepping: false,
            loops: Vec::new(),
            memo: Vec::new(),
            returned: None,
            model: ModelWork::default(),
            heard: None,
            approval: None,
            is_time_over: false,
        });
    }

    /// The instance of an agent, made if it does not live yet.
    pub(super) fn instance(&mut self, agent: usize, id: Option<&str>) -> usize {
        let is_it = |found: &Instance| found.agent == agent && found.id.as_deref() == id;
        if let Some(at) = self.state.instances.iter().position(is_it) {
            return at;
        }
        let start = &self.state.start_variables;
        let variables = start.iter().map(|(name, value)| (Arc::from(name.as_str()), value.clone())).collect();
        self.state.instances.push(Instance {
            agent,
            id: id.map(str::to_owned),
            variables,
            ..Instance::default()
        });
        self.state.instances.len() - 1
    }

    /// The description is filled in once, before the first step.
    pub(super) fn begin(&mut self) {
        self.memo_used = 0;
        let code = Arc::clone(&self.code);
        let Some(frame) = self.state.frames.last_mut() else { return };
        let playbook = match &frame.body {
            Body::Playbook(id) => code.playbook(*id),
            Body::Tool { .. } | Body::Python { .. } => None,
        };
        let template = playbook.map(|playbook| &playbook.description);
        let Some(template) = template.filter(|template| template.placeholders().next().is_some()) else {
            frame.is_begun = true;
            return;
        };
        match self.fill(template) {
            Eval::Calls => {}
            Eval::Failed(reason) => self.fail(&format!("its description cannot be filled in: {reason}")),
            Eval::Done(text) => {
                let Some(frame) = self.state.frames.last_mut() else { return };
                frame.description = Some(text.clone());
                frame.is_begun = true;
                frame.memo.clear();
                let frame = frame.id;
                self.tell(Entry::Described { frame, text: text.into() });
            }
        }
    }

    /// A description must not need itself to be filled in.
    pub(super) fn refuse_own_description(&self, callee: &Callee, name: &str) -> Result<(), String> {
        let Callee::Playbook(id) = callee else { return Ok(()) };
        let is_beginning = |frame: &Frame| !frame.is_begun && frame.playbook() == Some(*id);
        if self.state.frames.iter().any(is_beginning) {
            return Err(format!(
                "a placeholder in its description calls `{name}`, whose description is being filled in"
            ));
        }
        Ok(())
    }

    pub(super) fn tool_step(&mut self) {
        let Some(frame) = self.state.frames.last() else { return };
        let Body::Tool { tool, args } = &frame.body else { return };
        let name = self.code.tools.get(*tool).map(|tool| tool.name.clone()).unwrap_or_default();
        let args = args.clone();
        let call = self.number();
        self.state.open = Some(Open::Tool { call });
        let entry = Entry::ToolCalled { call, tool: name.as_str().into(), args: args.clone().into() };
        self.ask_for(entry, Effect::CallTool { call, tool: name, args });
    }

    pub(super) fn tool_returned(&mut self, outcome: CallOutcome) {
        self.state.open = None;
        let outcome = outcome.and_then(|value| crate::eval::is_storable(&value).map(|()| value));
        self.end_call(outcome);
    }
}

/// Arguments of a Python function: `*rest` and `**rest` are taken apart again, and what stands before `*rest` keeps
/// its position.
fn spread(params: &[Parameter], bound: Vec<(Box<str>, Value)>) -> Arguments {
    let kind = |name: &str| params.iter().find(|param| *param.name == *name).map(|param| param.kind);
    let mut before_rest = params.iter().any(|param| param.kind == ParamKind::Positionals);
    let (mut args, mut named) = (Vec::new(), Vec::new());
    for (name, value) in bound {
        match (kind(&name), value) {
            (Some(ParamKind::Positionals), Value::List(rest)) => {
                args.extend(rest);
                before_rest = false;
            }
            (Some(ParamKind::Keywords), Value::Dict(rest)) => named.extend(rest),
            (_, value) if before_rest => args.push(value),
            (_, value) => named.push((name.into_string(), value)),
        }
    }
    (args, named)
}

/// `Name(order_id="A-17")`
fn written(name: &str, args: &[(impl std::fmt::Display, Value)]) -> String {
    let args: Vec<String> =
        args.iter().map(|(name, value)| format!("{name}={}", literal_text(&brief(value)))).collect();
    format!("{name}({})", args.join(", "))
}
