//! The programs that runs can be made of, and how their text is kept with a run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use playbook_lang::{Library, Program, SourceFile};
use playbook_run::Tools;
use playbook_run::engine::{Playbooks, Tool};
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
    pub tools: Tools,
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
    /// What the servers of the program offered when the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool>,
}

impl Source {
    fn compile(&self, tools: &Tools) -> Result<Arc<Playbooks>, String> {
        let source = |file: &PlaybookFile| SourceFile::new(file.name.as_str(), file.text.as_str());
        let library = Library(self.imports.iter().map(source).collect());
        let program = Program::parse_with(self.files.iter().map(source).collect(), &library);
        Playbooks::compile(program, tools.known(&self.tools)).map_err(|error| error.to_string())
    }
}

/// The fingerprint of a program, and what its servers offered.
type Version = (String, Vec<Tool>);

/// Programs, and what was compiled of them.
pub(crate) struct Programs {
    pub(super) settings: PlaybookSettings,
    compiled: Mutex<HashMap<Version, Arc<Playbooks>>>,
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
        let key = |version: &str| (version.to_owned(), source.tools.clone());
        if let Some(code) = version.and_then(|version| known().get(&key(version)).cloned()) {
            return Ok(code);
        }
        let code = source.compile(&self.settings.tools)?;
        let mut compiled = known();
        if compiled.len() >= MOST_COMPILED {
            compiled.clear();
        }
        compiled.insert(key(code.fingerprint()), Arc::clone(&code));
        Ok(code)
    }

    /// The program together with what its servers offer now, for a run that begins.
    pub(super) async fn begin(&self, source: &mut Source) -> Result<Arc<Playbooks>, String> {
        let code = self.compile(None, source)?;
        let offered = self.settings.tools.offered(code.program()).await;
        for (agent, reason) in offered.silent {
            tracing::warn!(agent, reason, "a run begins without knowing the tools of this agent");
        }
        if offered.tools.is_empty() {
            return Ok(code);
        }
        source.tools = offered.tools;
        self.compile(None, source)
    }

    pub(super) fn note_change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}
