//! A program of the server as the assistant that the optimiser replays.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use playbook_lang::AgentKind;
use playbook_run::engine::{ModelRequest, Outcome, Playbooks, Start, Tool};
use playbook_run::{
    Answered, Answerer, Asker, AssistantError, AssistantRequest, ChatMessage, CommandTools, GivenPlaybook,
    Recording, Unanswered, assist, start_with,
};
use reflexio_assistant::{Assistant, Error, Message, Payload, Playbook, Result};
use reflexio_llm::{Error as ModelError, Models, Options};
use reflexio_store::SharedStore;
use reflexio_types::{OrgId, PlaybookRunId, SessionId, Timestamp};

use super::past::{Past, millis, recorded_run};
use super::programs::{Programs, Source};
use super::source_of;
use crate::App;

/// A program that can answer for an assistant.
pub(crate) struct ReplayedProgram {
    pub(crate) name: String,
    pub(super) code: Arc<Playbooks>,
    start: Start,
    params: Vec<String>,
}

impl ReplayedProgram {
    /// A conversation that asks a model more often ends there.
    pub(crate) fn most_calls(&self) -> u64 {
        self.start.settings.budget.model_calls
    }

    /// Models that playbooks of it name.
    pub(crate) fn named_models(&self) -> impl Iterator<Item = &str> {
        let agents = self.code.program().agents.iter();
        agents.flat_map(|agent| &agent.playbooks).filter_map(|found| found.meta.text("model"))
    }

    /// As much as a model is usually asked at once: the program, what was said, and the rule.
    pub(crate) fn usual_prompt(&self, said: &[Message], rule: &str) -> String {
        let program = self.code.program().sources().iter().map(|(_, file)| file.text.as_str());
        let said = said.iter().map(|message| message.content.as_str());
        program.chain(said).chain([rule]).collect::<Vec<_>>().join("\n")
    }
}

impl Programs {
    /// Whether there is any tool that a program may call: a command of the operator, or what a server offers.
    pub(crate) fn has_tools(&self, program: &ReplayedProgram) -> bool {
        let mut agents = program.code.program().agents.iter();
        !self.settings.tools.commands.tools().is_empty() || agents.any(|agent| agent.kind == AgentKind::Mcp)
    }

    /// The program of this name, or what to do about the configuration that names it. Nothing is asked or called.
    pub(crate) fn replayed(&self, name: &str, params: &[String]) -> Result<ReplayedProgram> {
        let refuse = |why: String| {
            Error::Misconfigured(format!("`assistant_script_path` names the playbook `{name}`, {why}"))
        };
        let served: Vec<&str> = self.settings.programs.iter().map(|program| program.name.as_str()).collect();
        if served.is_empty() {
            return Err(refuse(
                "but this server has none; its operator can serve some with `--playbooks FOLDER`".to_owned(),
            ));
        }
        let program = self.find(name).ok_or_else(|| {
            refuse(format!("which this server does not have; it has `{}`", served.join("`, `")))
        })?;
        let code = self
            .compile(None, &source_of(program, false))
            .map_err(|problem| refuse(format!("which cannot run: {problem}")))?;
        let mut playbooks = code.program().agents.iter().flat_map(|agent| &agent.playbooks);
        if !playbooks.any(|found| found.meta.get("learn").and_then(serde_json::Value::as_bool) != Some(false))
        {
            return Err(refuse(
                "which takes no learned rules (`learn: false`), so no wording could make a difference"
                    .to_owned(),
            ));
        }
        let start = start_with(&code, None, params).map_err(|error| {
            Error::Misconfigured(format!(
                "`assistant_script_args` {error}; for a playbook they are `name=value`"
            ))
        })?;
        Ok(ReplayedProgram { name: name.to_owned(), code, start, params: params.to_vec() })
    }
}

/// A program that answers with the model of an org. Tools are never called: they give what they gave in the run that is
/// replayed, or else in the last runs.
pub(crate) struct Replayer {
    pub(super) program: ReplayedProgram,
    pub(super) asker: Asker,
    pub(super) org: OrgId,
    pub(super) store: SharedStore,
    /// What tools gave in the last runs.
    pub(super) recording: Recording,
    /// All replays take place then, whenever they are made: nothing but the rules may differ between two.
    pub(super) at: Timestamp,
}

#[async_trait]
impl Assistant for Replayer {
    async fn respond(&self, payload: &Payload) -> Result<String> {
        let model = Watched { asker: &self.asker, failure: Mutex::default() };
        let request = request_of(payload);
        let (code, start) = (Arc::clone(&self.program.code), self.program.start.clone());
        let recording = self.recording_for(payload).await?;
        let tools = CommandTools::default();
        let answer = assist(code, start, &request, &model, recording, &tools, millis(self.at)).await;
        // Whatever the program made of it: an answer that lacks a model's words says nothing about the rules.
        if let Some(error) = model.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(Error::Model(error));
        }
        let has_answered = payload.messages.len() > 1;
        match answer {
            Ok(answer) => Ok(answer),
            Err(AssistantError::Over(Outcome::Done { .. } | Outcome::Ended)) if has_answered => {
                Ok("(The assistant has ended the conversation.)".to_owned())
            }
            Err(AssistantError::Over(Outcome::HandedOff { reason })) if has_answered => {
                Ok(format!("(The assistant has handed the conversation to a person: {reason})"))
            }
            Err(AssistantError::Silent) if has_answered => Ok("(The assistant does not answer.)".to_owned()),
            Err(error) => Err(Error::Refused(format!("`{}`: {error}", self.program.name))),
        }
    }

    fn label(&self) -> String {
        let ReplayedProgram { name, code, params, .. } = &self.program;
        format!("playbook {name}@{} {}", code.fingerprint(), params.join(" ")).trim_end().to_owned()
    }
}

impl Replayer {
    /// What tools give in this conversation.
    async fn recording_for(&self, payload: &Payload) -> Result<Recording> {
        let mut recording = self.recording.clone();
        if let Some(session) = &payload.session {
            let run = PlaybookRunId::new(session.as_str());
            let entries = recorded_run(&self.store, &self.org, &self.program.name, &run, self.at).await;
            recording.prefer(&entries.map_err(|error| Error::Failed(error.to_string()))?.unwrap_or_default());
        }
        Ok(recording)
    }
}

impl App {
    /// The program as an assistant, as of a moment.
    pub(crate) async fn replayer(
        &self,
        org: &OrgId,
        program: ReplayedProgram,
        models: Models,
        options: Options,
        at: Timestamp,
    ) -> crate::Result<Replayer> {
        let asker = Asker::new(models, None, options);
        let asker = asker.map_err(|error| crate::Error::Internal(Box::new(error)))?;
        let past = Past::of(&self.store, org, &program.name, at).await?;
        let program = self.with_tools(program, past.tools)?;
        let recording = past.recording;
        Ok(Replayer { program, asker, org: org.clone(), store: Arc::clone(&self.store), recording, at })
    }

    /// The program as it was when servers had told which tools they have.
    fn with_tools(&self, program: ReplayedProgram, tools: Vec<Tool>) -> crate::Result<ReplayedProgram> {
        let Some(served) = self.playbooks.find(&program.name).filter(|_| !tools.is_empty()) else {
            return Ok(program);
        };
        let source = Source { tools, ..source_of(served, false) };
        let code = self.playbooks.compile(None, &source).map_err(crate::Error::InvalidPlaybook)?;
        Ok(ReplayedProgram { code, ..program })
    }

    /// How many windows come from no run of the program, so that nobody recorded what its tools gave.
    pub(crate) async fn unrecorded<'a>(
        &self,
        org: &OrgId,
        program: &ReplayedProgram,
        sessions: impl Iterator<Item = Option<&'a SessionId>> + Send,
    ) -> crate::Result<usize> {
        let mut unrecorded = 0;
        for session in sessions {
            let run = session.map(|session| PlaybookRunId::new(session.as_str()));
            let found = match run {
                Some(run) => self.store.playbook_run(org, &run).await?,
                None => None,
            };
            unrecorded += usize::from(found.is_none_or(|found| found.run.program != program.name));
        }
        Ok(unrecorded)
    }
}

/// Asks, and remembers why nobody answered.
struct Watched<'a> {
    asker: &'a Asker,
    failure: Mutex<Option<ModelError>>,
}

#[async_trait]
impl Answerer for Watched<'_> {
    async fn answer(&self, request: &ModelRequest) -> Result<Answered, Unanswered> {
        self.asker.ask(request).await.map_err(|error| {
            let why = Unanswered::from(error.clone());
            // With an answer that cannot be used the program deals itself, as it does with its users.
            if !matches!(why, Unanswered::Failed(_)) {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            why
        })
    }
}

fn request_of(payload: &Payload) -> AssistantRequest {
    let message =
        |message: &Message| ChatMessage { role: message.role.clone(), content: message.content.clone() };
    let rule = |rule: &Playbook| GivenPlaybook {
        id: rule.id.into(),
        content: rule.content.clone(),
        trigger: Some(rule.trigger.clone()),
    };
    AssistantRequest {
        messages: payload.messages.iter().map(message).collect(),
        playbooks: payload.playbooks.iter().map(rule).collect(),
    }
}
