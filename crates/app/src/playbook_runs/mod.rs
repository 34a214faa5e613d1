//! Markdown playbooks on the server: programs of the operator, run durably. How they run is in `playbook_run`.

mod assistant;
mod handler;
mod host;
mod journal;
mod past;
mod programs;
mod publishing;
mod replay;
mod state;
mod task;

use playbook_run::engine::{Budget, Entry, Event, Run, Settings, Start, Value};
use reflexio_store::{NewPlaybookRun, Page, PlaybookRunFilter, StoredPlaybookRun};
use reflexio_types::{Caller, PlaybookRun, PlaybookRunId, PlaybookRunStatus, Scope, UserId};

pub(crate) use handler::Playing;
pub(crate) use past::Past;
pub(crate) use programs::Programs;
pub use programs::{PlaybookFile, PlaybookProgram, PlaybookSettings};
pub(crate) use replay::ReplayedProgram;
pub use state::{PlaybookMessage, PlaybookState};

use crate::access::Access;
use crate::{App, Error, Result, ids};
use programs::Source;
use task::Tell;

/// More are read page by page.
const MOST_ENTRIES: usize = 1_000;

/// How a run begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StartPlaybook {
    pub program: String,
    pub user_id: Option<UserId>,
    /// The playbook to start; without one, those that begin by themselves.
    pub playbook: Option<String>,
    /// Parameters of what starts, and variables.
    pub args: Vec<(String, serde_json::Value)>,
    pub variables: Vec<(String, serde_json::Value)>,
    /// The first message of the user.
    pub message: Option<String>,
    pub max_model_calls: Option<u64>,
    pub max_cost_micros: Option<u64>,
    pub max_seconds: Option<u64>,
    /// Whether the conversation is published, and learned from.
    pub publishes: bool,
    /// Whether what was learned before is shown to the model.
    pub recalls: bool,
}

/// A program that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybookInfo {
    pub name: String,
    pub version: String,
    /// `Agent.Playbook`, in the order of the files.
    pub playbooks: Vec<String>,
    /// Why it cannot run.
    pub problem: Option<String>,
}

impl App {
    pub fn playbook_programs(&self, caller: &Caller) -> Result<Vec<PlaybookInfo>> {
        caller.needs(Scope::Read)?;
        let info = |program: &PlaybookProgram| {
            let compiled = self.playbooks.compile(None, &source_of(program, false));
            let (version, playbooks, problem) = match compiled {
                Ok(code) => {
                    let all = code.program().agents.iter().flat_map(|agent| {
                        agent
                            .playbooks
                            .iter()
                            .map(move |found| format!("{}.{}", agent.class, found.name.value))
                    });
                    (code.fingerprint().to_owned(), all.collect(), None)
                }
                Err(problem) => (String::new(), Vec::new(), Some(problem)),
            };
            PlaybookInfo { name: program.name.clone(), version, playbooks, problem }
        };
        Ok(self.playbooks.settings.programs.iter().map(info).collect())
    }

    /// Begins a run and queues what lets it go on, in one transaction.
    pub async fn start_playbook_run(&self, caller: &Caller, wanted: StartPlaybook) -> Result<PlaybookRun> {
        caller.needs(Scope::Write)?;
        let program = self
            .playbooks
            .find(&wanted.program)
            .ok_or_else(|| Error::not_found("playbook", &wanted.program))?;
        let mut source = source_of(program, wanted.publishes);
        let code = self.playbooks.begin(&mut source).await.map_err(Error::InvalidPlaybook)?;
        let mut run = Run::new(std::sync::Arc::clone(&code));
        let begun = run.advance(self.now_ms(), Event::Start(Box::new(start_of(&wanted))));
        let begun = begun.map_err(|refusal| Error::InvalidPlaybook(refusal.to_string()))?;
        let now = self.now();
        let row = PlaybookRun {
            id: ids::playbook_run_id(),
            user_id: wanted.user_id.unwrap_or_else(|| UserId::new("anonymous")),
            program: program.name.clone(),
            version: code.fingerprint().to_owned(),
            status: PlaybookRunStatus::Running,
            reason: None,
            entries: begun.entries.len() as u64,
            created_at: now,
            updated_at: now,
        };
        let mut jobs = vec![task::job(&row, Tell::Nothing)?];
        if let Some(text) = wanted.message {
            jobs.push(task::job(&row, Tell::Message { text })?);
        }
        let journal = begun.entries.iter().map(written).collect::<Result<_>>()?;
        let source = serde_json::to_string(&source).map_err(|error| Error::Internal(Box::new(error)))?;
        let new = NewPlaybookRun { run: row.clone(), source, journal, jobs };
        self.store.create_playbook_run(&caller.org, new).await?;
        self.playbooks.note_change();
        self.wake_workers();
        Ok(row)
    }

    /// The user says something. It is answered when its turn comes.
    pub async fn tell_playbook_run(
        &self,
        caller: &Caller,
        id: &PlaybookRunId,
        text: String,
    ) -> Result<PlaybookRun> {
        self.tell_run(caller, id, Tell::Message { text }).await
    }

    /// Somebody decides about an approval the run waits for.
    pub async fn decide_playbook_run(
        &self,
        caller: &Caller,
        id: &PlaybookRunId,
        is_granted: bool,
        by: String,
    ) -> Result<PlaybookRun> {
        self.tell_run(caller, id, Tell::Approval { is_granted, by }).await
    }

    async fn tell_run(&self, caller: &Caller, id: &PlaybookRunId, tell: Tell) -> Result<PlaybookRun> {
        caller.needs(Scope::Write)?;
        let run = self.stored_run(caller, id).await?.run;
        if run.status.is_over() {
            return Err(Error::PlaybookOver { id: id.to_string(), status: run.status });
        }
        self.store.enqueue(&caller.org, vec![task::job(&run, tell)?], self.now()).await?;
        self.wake_workers();
        Ok(run)
    }

    pub async fn cancel_playbook_run(&self, caller: &Caller, id: &PlaybookRunId) -> Result<PlaybookRun> {
        caller.needs(Scope::Write)?;
        let run = self.store.cancel_playbook_run(&caller.org, id, self.now()).await?;
        self.playbooks.note_change();
        run.ok_or_else(|| Error::not_found("playbook run", id))
    }

    /// The newest first, and whether more follow.
    pub async fn playbook_runs(
        &self,
        caller: &Caller,
        filter: &PlaybookRunFilter,
        page: Page,
    ) -> Result<(Vec<PlaybookRun>, bool)> {
        caller.needs(Scope::Read)?;
        Ok(self.store.playbook_runs(&caller.org, filter, page).await?)
    }

    /// How a run stands, or how it stood after so many entries of its journal.
    pub async fn playbook_state(
        &self,
        caller: &Caller,
        id: &PlaybookRunId,
        at: Option<u64>,
    ) -> Result<PlaybookState> {
        caller.needs(Scope::Read)?;
        let stored = self.stored_run(caller, id).await?;
        let mut entries = self.entries_of(&caller.org, id).await?;
        if let Some(at) = at {
            if at == 0 || at > entries.len() as u64 {
                let text =
                    format!("`at` must be between 1 and {}, the entries of the journal", entries.len());
                return Err(Error::InvalidPlaybook(text));
            }
            entries.truncate(usize::try_from(at).unwrap_or(usize::MAX));
        }
        let code = self.code_of(&stored)?;
        let state = Run::look_back(code, &entries).map_err(|error| Error::Internal(Box::new(error)))?;
        Ok(PlaybookState::new(stored.run, entries.len() as u64, &state))
    }

    /// Entries of the journal after the first ones, at most a thousand, each with its position.
    pub async fn playbook_journal(
        &self,
        caller: &Caller,
        id: &PlaybookRunId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, serde_json::Value)>> {
        caller.needs(Scope::Read)?;
        let entries = self.store.playbook_journal(&caller.org, id, after, limit.min(MOST_ENTRIES)).await?;
        if entries.is_empty() {
            self.stored_run(caller, id).await?;
        }
        let read = |(at, entry): (usize, String)| {
            let value = serde_json::from_str(&entry).map_err(|error| Error::Internal(Box::new(error)))?;
            Ok((after + at as u64 + 1, value))
        };
        entries.into_iter().enumerate().map(read).collect()
    }

    /// Counts up whenever something of a run was stored by this process.
    pub fn playbook_changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.playbooks.changes.subscribe()
    }

    pub async fn playbook_run(&self, caller: &Caller, id: &PlaybookRunId) -> Result<PlaybookRun> {
        caller.needs(Scope::Read)?;
        Ok(self.stored_run(caller, id).await?.run)
    }

    async fn stored_run(&self, caller: &Caller, id: &PlaybookRunId) -> Result<StoredPlaybookRun> {
        let stored = self.store.playbook_run(&caller.org, id).await?;
        stored.ok_or_else(|| Error::not_found("playbook run", id))
    }

    fn code_of(&self, stored: &StoredPlaybookRun) -> Result<std::sync::Arc<playbook_run::engine::Playbooks>> {
        let source: Source =
            serde_json::from_str(&stored.source).map_err(|error| Error::Internal(Box::new(error)))?;
        self.playbooks.compile(Some(&stored.run.version), &source).map_err(Error::InvalidPlaybook)
    }

    async fn entries_of(&self, org: &reflexio_types::OrgId, id: &PlaybookRunId) -> Result<Vec<Entry>> {
        let entries = self.store.playbook_journal(org, id, 0, usize::MAX).await?;
        let read =
            |entry: String| serde_json::from_str(&entry).map_err(|error| Error::Internal(Box::new(error)));
        entries.into_iter().map(read).collect()
    }

    fn now_ms(&self) -> u64 {
        past::millis(self.now())
    }
}

fn source_of(program: &PlaybookProgram, publishes: bool) -> Source {
    Source { files: program.files.clone(), imports: program.imports.clone(), publishes, tools: Vec::new() }
}

fn start_of(wanted: &StartPlaybook) -> Start {
    let usual = Budget::default();
    let budget = Budget {
        model_calls: wanted.max_model_calls.unwrap_or(usual.model_calls),
        cost_micros: wanted.max_cost_micros.unwrap_or(usual.cost_micros),
        wall_ms: wanted.max_seconds.map_or(usual.wall_ms, |seconds| seconds.saturating_mul(1_000)),
        ..usual
    };
    let values = |pairs: &[(String, serde_json::Value)]| {
        pairs.iter().map(|(name, value)| (name.clone(), Value::from(value.clone()))).collect()
    };
    Start {
        playbook: wanted.playbook.clone(),
        args: values(&wanted.args),
        variables: values(&wanted.variables),
        settings: Settings { budget, recalls: wanted.recalls, ..Settings::default() },
        ..Start::default()
    }
}

fn written(entry: &Entry) -> Result<String> {
    serde_json::to_string(entry).map_err(|error| Error::Internal(Box::new(error)))
}
