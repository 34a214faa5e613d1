//! A program compiled for running: every step an operation, every expression read, every name resolved. Done once.

mod callee;
mod op;
mod playbook;
mod python;
mod steps;
mod triggers;

use std::sync::Arc;

use playbook_lang::{Agent, Code as Diagnosed, Program, Severity};
use rustc_hash::FxHashMap;

pub(crate) use callee::{Callee, Parameter, parameters};
pub(crate) use op::{CallSite, ModelKind, ModelStep, Op, OpKind, Question, Returning};
pub(crate) use playbook::{OnFail, PlaybookCode};
pub(crate) use python::PythonCode;
pub(crate) use triggers::{FlowMomentKey as Moment, TriggerCode, TriggerTable};

use crate::tool::Tool;

/// A playbook by its place in [`Playbooks`].
pub(crate) type PlaybookId = usize;

/// A program that can run. It never changes; any number of runs may share it.
#[derive(Debug)]
pub struct Playbooks {
    program: Program,
    fingerprint: String,
    pub(crate) tools: Vec<Tool>,
    pub(crate) playbooks: Vec<PlaybookCode>,
    pub(crate) triggers: TriggerTable,
    /// The first playbook of each agent.
    first: Vec<PlaybookId>,
    tool_names: FxHashMap<String, usize>,
    /// The Python blocks of each agent.
    python: Vec<PythonCode>,
}

/// Why a program cannot run.
#[derive(Debug, thiserror::Error)]
#[error("the program has {} error(s): {}", problems.len(), problems.join("; "))]
pub struct LoadError {
    /// `file:line:column: code: message`
    pub problems: Vec<String>,
}

impl Playbooks {
    /// Compiles a program. `tools` are functions outside of it that its steps may call.
    pub fn compile(program: Program, tools: Vec<Tool>) -> Result<Arc<Self>, LoadError> {
        let tool_names: FxHashMap<String, usize> =
            tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        let problems = problems(&program, &tool_names);
        if !problems.is_empty() {
            return Err(LoadError { problems });
        }
        let mut first = Vec::new();
        let mut count = 0;
        for agent in &program.agents {
            first.push(count);
            count += agent.playbooks.len();
        }
        let fingerprint = fingerprint(&program);
        let mut code = Self {
            program,
            fingerprint,
            tools,
            playbooks: Vec::new(),
            triggers: TriggerTable::default(),
            first,
            tool_names,
            python: Vec::new(),
        };
        code.playbooks = code.compile_playbooks();
        code.triggers = TriggerTable::new(&code);
        code.python = (0..code.program.agents.len()).map(|agent| PythonCode::new(&code, agent)).collect();
        Ok(Arc::new(code))
    }

    fn compile_playbooks(&self) -> Vec<PlaybookCode> {
        let all = self.program.agents.iter().enumerate();
        all.flat_map(|(agent, found)| {
            found.playbooks.iter().map(move |playbook| PlaybookCode::new(self, agent, playbook))
        })
        .collect()
    }

    /// What this program is: equal for equal sources. A journal belongs to one.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn agent(&self, index: usize) -> Option<&Agent> {
        self.program.agents.get(index)
    }

    pub(crate) fn agent_name(&self, index: usize) -> &str {
        self.agent(index).map_or("", |agent| agent.class.as_str())
    }

    pub(crate) fn playbook(&self, id: PlaybookId) -> Option<&PlaybookCode> {
        self.playbooks.get(id)
    }

    pub(crate) fn python(&self, agent: usize) -> Option<&PythonCode> {
        self.python.get(agent)
    }

    pub(crate) fn id_of(&self, agent: usize, playbook: usize) -> Option<PlaybookId> {
        self.first.get(agent).map(|first| first + playbook)
    }

    /// A playbook as a caller of the engine names it: `Name` or `Agent.Name`.
    pub(crate) fn find(&self, name: &str) -> Option<PlaybookId> {
        let wanted = playbook_lang::name::key(name);
        let names = |code: &&PlaybookCode| {
            playbook_lang::name::key(&code.name) == wanted || playbook_lang::name::key(&code.plain) == wanted
        };
        self.playbooks.iter().position(|code| names(&code))
    }

    pub(crate) fn tool(&self, name: &str) -> Option<usize> {
        self.tool_names.get(name).copied()
    }
}

fn problems(program: &Program, tools: &FxHashMap<String, usize>) -> Vec<String> {
    let errors = program.diagnostics().iter().filter(|found| found.severity == Severity::Error);
    let unsolved = errors.filter(|found| {
        let named = program.sources().slice(found.span);
        let callee = named.split('(').next().unwrap_or_default().trim();
        !(found.code == Diagnosed::UnknownPlaybook && tools.contains_key(callee))
    });
    unsolved
        .map(|found| {
            let file = program.sources().file(found.span.file).map_or("", |file| file.name.as_str());
            let at = program.sources().start(found.span);
            format!("{file}:{}:{}: {}: {}", at.line, at.column, found.code.number(), found.message)
        })
        .collect()
}

fn fingerprint(program: &Program) -> String {
    let mut hasher = blake3::Hasher::new();
    for (_, file) in program.sources().iter() {
        hasher.update(file.text.as_bytes());
        hasher.update(&[0]);
    }
    let hash = hasher.finalize();
    hex::encode(&hash.as_bytes()[..12])
}
