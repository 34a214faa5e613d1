//! One playbook, compiled.

use std::sync::Arc;

use playbook_lang::placeholder::Template;
use playbook_lang::{Mode, Note, Playbook, Value};

use super::callee::Parameter;
use super::op::Op;
use super::{Playbooks, steps};

/// What a playbook needs to run.
#[derive(Debug)]
pub(crate) struct PlaybookCode {
    pub(crate) agent: usize,
    /// `Agent.Name`
    pub(crate) name: String,
    pub(crate) plain: String,
    pub(crate) title: String,
    pub(crate) params: Vec<Parameter>,
    pub(crate) description: Template,
    pub(crate) notes: Vec<Note>,
    /// Sections of other names, shown to the model as they are.
    pub(crate) sections: Vec<(String, String)>,
    pub(crate) steps: Vec<StepInfo>,
    pub(crate) ops: Vec<Op>,
    pub(crate) mode: Mode,
    pub(crate) is_public: bool,
    pub(crate) is_hidden: bool,
    pub(crate) learns: bool,
    pub(crate) on_fail: OnFail,
    pub(crate) model: Option<String>,
}

#[derive(Debug)]
pub(crate) struct StepInfo {
    pub(crate) id: Arc<str>,
    pub(crate) text: Arc<str>,
    pub(crate) depth: usize,
    /// The loops over lists it is in, from the outermost.
    pub(crate) each: Vec<usize>,
}

/// What happens when a model could not do a step: `on_fail` in the metadata.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnFail {
    /// The playbook fails.
    #[default]
    Abort,
    /// The step is tried once more from the beginning.
    Retry,
    /// The user is asked how to go on.
    Ask,
    /// The run ends and is given to a person.
    HandOff,
}

impl PlaybookCode {
    pub(super) fn new(code: &Playbooks, agent: usize, playbook: &Playbook) -> Self {
        let compiled = steps::compile(code, agent, playbook);
        let section =
            |section: &playbook_lang::OtherSection| (section.title.value.clone(), section.text.clone());
        Self {
            agent,
            name: format!("{}.{}", code.agent_name(agent), playbook.name.value),
            plain: playbook.name.value.clone(),
            title: playbook.title.value.clone(),
            params: playbook.params.iter().map(parameter).collect(),
            description: playbook.description.clone(),
            notes: playbook.notes.clone(),
            sections: playbook.sections.iter().map(section).collect(),
            steps: compiled.steps,
            ops: compiled.ops,
            mode: playbook.mode,
            is_public: playbook.is_public(),
            is_hidden: playbook.meta.is_set("hidden"),
            learns: playbook.meta.get("learn").and_then(serde_json::Value::as_bool).unwrap_or(true),
            on_fail: on_fail(playbook),
            model: playbook.meta.text("model").map(str::to_owned),
        }
    }

    pub(crate) fn step_id(&self, step: usize) -> Arc<str> {
        self.steps.get(step).map_or_else(|| Arc::from(""), |info| Arc::clone(&info.id))
    }
}

fn on_fail(playbook: &Playbook) -> OnFail {
    match playbook.meta.text("on_fail") {
        Some("retry") => OnFail::Retry,
        Some("ask") => OnFail::Ask,
        Some("handoff" | "hand_off") => OnFail::HandOff,
        _ => OnFail::Abort,
    }
}

fn parameter(param: &playbook_lang::Param) -> Parameter {
    let default = param.default.as_ref().and_then(|default| default.value.clone());
    Parameter {
        name: param.name.value.as_str().into(),
        kind: param.kind,
        ty: param.ty.as_ref().map(|ty| ty.value.as_str().into()),
        default: default.map(Value::from),
        is_optional: param.default.is_some(),
        is_state: param.is_state,
    }
}
