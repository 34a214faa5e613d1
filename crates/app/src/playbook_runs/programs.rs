//! The programs that runs can be made of, and how their text is kept with a run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use playbook_lang::{Library, Program, SourceFile};
use playbook_run::CommandTools;
use playbook_run::engine::Playbooks;
use serde::{Deserialize, Serialize};

/// A program, by the name that callers use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookProgram {
    pub name: String,
    pub files: Vec<PlaybookFile>,
    /// What those files import.
    pub imports: Vec<PlaybookFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookFile {
    pub name: String,
    pub text: String,
}

/// What an operator gives the server to run.
#[derive(Clone, Default)]
pub struct PlaybookSettings {
    pub programs: Vec<PlaybookProgram>,
    pub tools: CommandTools,
}

/// Everything about a run that is not in its journal. It is stored, so fields are only ever added.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Source {
    pub(super) files: Vec<PlaybookFile>,
    #[serde(default)]
    pub(super) imports: Vec<PlaybookFile>,
    /// Whether the conversation is published.
    #[serde(default)]
    pub(super) publishes: bool,
}

impl Source {
    pub(super) fn compile(&self, tools: &CommandTools) -> Result<Arc<Playbooks>, String> {
        let source = |file: &PlaybookFile| SourceFile::new(file.name.as_str(), file.text.as_str());
        let library = Library(self.imports.iter().map(source).collect());
        let program = Program::parse_with(self.files.iter().map(source).collect(), &library);
        Playbooks::compile(program, tools.tools()).map_err(|error| error.to_string())
    }
}

/// Programs, and what was compiled of them.
pub(crate) struct Programs {
    pub(super) settings: PlaybookSettings,
    compiled: Mutex<HashMap<String, Arc<Playbooks>>>,
    /// Counts what was stored, for whoever watches runs.
    pub(super) changes: tokio::sync::watch::Sender<u64>,
}

/// Runs go on with the version they began with, so there can be some.
const MOST_COMPILED: usize = 64;

impl Programs {
    pub(crate) fn new(settings: PlaybookSettings) -> Self {
        Self { settings, compiled: Mutex::default(), changes: tokio::sync::watch::Sender::new(0) }
    }

    pub(super) fn find(&self, name: &str) -> Option<&PlaybookProgram> {
        self.settings.programs.iter().find(|program| program.name == name)
    }

    /// The program of a source, compiled once as long as it is used.
    pub(super) fn compile(&self, version: Option<&str>, source: &Source) -> Result<Arc<Playbooks>, String> {
        let known = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = version.and_then(|version| known().get(version).cloned()) {
            return Ok(code);
        }
        let code = source.compile(&self.settings.tools)?;
        let mut compiled = known();
        if compiled.len() >= MOST_COMPILED {
            compiled.clear();
        }
        compiled.insert(code.fingerprint().to_owned(), Arc::clone(&code));
        Ok(code)
    }

    pub(super) fn note_change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}
