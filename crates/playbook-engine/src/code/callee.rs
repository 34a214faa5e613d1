//! What a call reaches, and who may reach it.

use playbook_lang::{BUILTIN_PLAYBOOKS, Callee as Named, ParamKind};

use super::{PlaybookId, Playbooks};
use crate::tool::Tool;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Playbook(PlaybookId),
    Tool(usize),
    /// A plain function of a Python block of the calling agent.
    Function(String),
    Builtin(String),
    /// Why it cannot be called.
    Refused(String),
}

impl Playbooks {
    /// What `name` means when `agent` calls it. Private playbooks of others are refused.
    pub(crate) fn callee(&self, agent: usize, name: &str) -> Callee {
        let agents = &self.program().agents;
        match self.program().names().callee(agents, agent, name) {
            Named::Playbook { agent: owner, playbook } => match self.id_of(owner, playbook) {
                Some(_) if owner != agent && !is_public(self, owner, playbook) => Callee::Refused(format!(
                    "`{name}` is not public: `{}` may not call it; add `public: true` to it",
                    self.agent_name(agent)
                )),
                Some(id) => Callee::Playbook(id),
                None => Callee::Refused(format!("`{name}` does not exist")),
            },
            Named::Known | Named::Unknown => self.outside(agent, name),
        }
    }

    fn outside(&self, agent: usize, name: &str) -> Callee {
        let plain = name.strip_prefix("self.").or_else(|| name.strip_prefix("agent.")).unwrap_or(name);
        if let Some(tool) = self.tool(plain) {
            return Callee::Tool(tool);
        }
        let functions = self.agent(agent).into_iter().flat_map(|agent| &agent.python);
        if functions.flat_map(|block| &block.functions).any(|function| function == plain) {
            return Callee::Function(plain.to_owned());
        }
        if BUILTIN_PLAYBOOKS.contains(&plain) {
            return Callee::Builtin(plain.to_owned());
        }
        Callee::Refused(format!("`{name}` is no playbook or tool of this program"))
    }

    /// Whether an expression of `agent` can call `name`.
    pub(crate) fn is_callable(&self, agent: usize, name: &str) -> bool {
        !matches!(self.callee(agent, name), Callee::Refused(_))
    }

    /// The name under which a call is told, hooked and listed.
    pub(crate) fn callee_name<'a>(&'a self, callee: &'a Callee) -> &'a str {
        match callee {
            Callee::Playbook(id) => self.playbook(*id).map_or("", |code| code.name.as_str()),
            Callee::Tool(tool) => self.tools.get(*tool).map_or("", |tool| tool.name.as_str()),
            Callee::Function(name) | Callee::Builtin(name) => name,
            Callee::Refused(_) => "",
        }
    }
}

fn is_public(code: &Playbooks, agent: usize, playbook: usize) -> bool {
    code.agent(agent).and_then(|agent| agent.playbooks.get(playbook)).is_some_and(|found| found.is_public())
}

/// A parameter, whatever it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Box<str>,
    pub(crate) kind: ParamKind,
    pub(crate) ty: Option<Box<str>>,
    pub(crate) default: Option<playbook_lang::Value>,
    pub(crate) is_optional: bool,
    /// Written with `$`: the value also becomes a variable of the agent.
    pub(crate) is_state: bool,
}

impl Playbooks {
    /// The parameters of whatever is called. Functions and built-ins take what they are given.
    pub(crate) fn parameters_of(&self, callee: &Callee) -> Vec<Parameter> {
        match callee {
            Callee::Playbook(id) => self.playbook(*id).map(|code| code.params.clone()).unwrap_or_default(),
            Callee::Tool(tool) => match self.tools.get(*tool) {
                Some(tool) if tool.is_open => anything(),
                tool => tool.map(parameters).unwrap_or_default(),
            },
            Callee::Builtin(_) | Callee::Function(_) | Callee::Refused(_) => anything(),
        }
    }
}

fn anything() -> Vec<Parameter> {
    let rest = |name: &str, kind| Parameter {
        name: name.into(),
        kind,
        ty: None,
        default: None,
        is_optional: true,
        is_state: false,
    };
    vec![rest("args", ParamKind::Positionals), rest("named", ParamKind::Keywords)]
}

pub(crate) fn parameters(tool: &Tool) -> Vec<Parameter> {
    let param = |param: &crate::tool::ToolParam| Parameter {
        name: param.name.as_str().into(),
        kind: if param.is_named_only { ParamKind::KeywordOnly } else { ParamKind::Plain },
        ty: param.ty.as_deref().map(Into::into),
        default: None,
        is_optional: param.is_optional,
        is_state: false,
    };
    tool.params.iter().map(param).collect()
}
