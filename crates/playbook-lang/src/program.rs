//! A whole program: the tree, its names, and everything there is to say about it.

use serde_json::{Map, Value};

use crate::build::Builder;
use crate::classify;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint;
use crate::load::{self, Loader, NoImports};
use crate::names::Names;
use crate::source::{SourceFile, Sources};
use crate::span::{FileId, Span};
use crate::step::Step;
use crate::tree::{Agent, Playbook};

/// One or several files, read as one program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The frontmatter of all files.
    pub meta: Map<String, Value>,
    pub agents: Vec<Agent>,
    sources: Sources,
    names: Names,
    diagnostics: Vec<Diagnostic>,
}

impl Program {
    /// Reads files without imports.
    #[must_use]
    pub fn parse(files: Vec<SourceFile>) -> Self {
        Self::parse_with(files, &NoImports)
    }

    /// Reads files; `loader` finds what they import.
    #[must_use]
    pub fn parse_with(files: Vec<SourceFile>, loader: &dyn Loader) -> Self {
        let loaded = load::load(files, loader);
        let mut builder = Builder { agents: Vec::new(), diagnostics: loaded.diagnostics };
        for root in &loaded.roots {
            builder.file(root);
        }
        let Builder { mut agents, mut diagnostics } = builder;
        let names = Names::new(&agents);
        classify::all(&mut agents, &names);
        if agents.is_empty() {
            let message = "the program has no agent: begin with a first-level heading that names it";
            diagnostics.push(Diagnostic::new(Code::NoAgent, Span::default(), message));
        }
        diagnostics.extend(lint::check(&agents, &names));
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
        Self { meta: loaded.frontmatter, agents, sources: loaded.sources, names, diagnostics }
    }

    /// Everything that is wrong or doubtful, in the order of the files.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Compares the calls of a remote agent's tools with what its server has, and adds what does not fit to the
    /// diagnostics. Tools are given as headings of playbooks; or else the reason why the server could not be asked.
    pub fn compare_tools(&mut self, agent: &str, tools: &Result<Vec<String>, String>) {
        let Some((index, owner)) = self.names.agent(agent).and_then(|at| Some((at, self.agents.get(at)?)))
        else {
            return;
        };
        match tools {
            Ok(headings) => {
                let text = headings
                    .iter()
                    .fold("# Server\n".to_owned(), |text, tool| format!("{text}\n## {tool}\n"));
                let server = Self::parse(vec![SourceFile::new("", text)]);
                let tools = server.agents.first().map_or(&[][..], |agent| &agent.playbooks);
                self.diagnostics.extend(lint::tools::check(&self.agents, &self.names, index, tools));
            }
            Err(reason) => {
                let span = owner.meta.entry("remote").map_or(owner.span, |entry| entry.span);
                self.diagnostics.push(Diagnostic::new(Code::Remote, span, reason.as_str()));
            }
        }
        self.diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    }

    /// The tree as JSON without places: equal for programs that mean the same.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut value = serde_json::to_value(&self.agents).unwrap_or_default();
        without_spans(&mut value);
        value
    }

    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// An agent by its name, whatever its case and separators.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<&Agent> {
        self.names.agent(name).and_then(|index| self.agents.get(index))
    }

    /// The playbook and the innermost step at a place of a file, for editors.
    #[must_use]
    pub fn at(&self, file: FileId, offset: u32) -> Option<(&Playbook, Option<&Step>)> {
        let holds = |span: Span| span.file == file && span.start <= offset && offset <= span.end;
        let playbooks = self.agents.iter().flat_map(|agent| &agent.playbooks);
        let playbook =
            playbooks.filter(|playbook| holds(playbook.span)).min_by_key(|found| found.span.range().len())?;
        let steps = playbook.all_steps().filter(|step| holds(step.span));
        Some((playbook, steps.min_by_key(|step| step.span.range().len())))
    }

    /// A playbook by `Name` or `Agent.Name`; the first agent that has it wins.
    #[must_use]
    pub fn playbook(&self, name: &str) -> Option<&Playbook> {
        if let Some((agent, inner)) = name.split_once('.')
            && let Some(index) = self.names.agent(agent)
        {
            let playbook = self.names.playbook(index, inner)?;
            return self.agents.get(index)?.playbooks.get(playbook);
        }
        let found = |index: usize| Some((index, self.names.playbook(index, name)?));
        let (agent, playbook) = (0..self.agents.len()).find_map(found)?;
        self.agents.get(agent)?.playbooks.get(playbook)
    }
}

fn without_spans(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| key != "span" && key != "name_span");
            map.values_mut().for_each(without_spans);
        }
        Value::Array(items) => items.iter_mut().for_each(without_spans),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
