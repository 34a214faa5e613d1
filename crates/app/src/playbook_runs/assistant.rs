//! A program as the assistant that an optimiser replays.

use std::collections::BTreeMap;

use playbook_run::engine::{Settings, Start, Tool};
use playbook_run::{Answerer, Asker, AssistantError, AssistantRequest, NoModel, Recording, assist};
use reflexio_llm::{Options, Purpose, Role};
use reflexio_store::{Page, PlaybookRunFilter};
use reflexio_types::{Caller, Scope};

use super::programs::Source;
use super::source_of;
use crate::access::Access;
use crate::{App, Error, Result};

/// Past runs whose tool results a replay may use.
const RUNS_RECORDED: usize = 20;

impl App {
    /// What the agents of a program say to the last message, with rules shown as learned notes. Tools are not called:
    /// they give what they gave in past runs.
    pub async fn playbook_assistant(
        &self,
        caller: &Caller,
        name: &str,
        request: &AssistantRequest,
    ) -> Result<String> {
        caller.needs(Scope::Write)?;
        let program = self.playbooks.find(name).ok_or_else(|| Error::not_found("playbook", &name))?;
        let (recording, tools) = self.recording(caller, name).await?;
        let source = Source { tools, ..source_of(program, false) };
        let code = self.playbooks.compile(None, &source).map_err(Error::InvalidPlaybook)?;
        let model: Box<dyn Answerer> = match self.models(&caller.org, Role::Playbook).await? {
            Some(models) => {
                let purpose = Purpose { config: Some(format!("playbook:{name}")), ..Purpose::default() };
                let asker = Asker::new(models, None, Options::with_purpose(purpose));
                Box::new(asker.map_err(|error| Error::Internal(Box::new(error)))?)
            }
            None => Box::new(NoModel),
        };
        let start = Start { settings: Settings::default(), variables: BTreeMap::new(), ..Start::default() };
        let tools = playbook_run::CommandTools::default();
        let answer = assist(code, start, request, &*model, recording, &tools, self.now_ms()).await;
        answer.map_err(|error| match error {
            AssistantError::Request(reason) => Error::InvalidPlaybook(reason),
            AssistantError::Run(error) => Error::InvalidPlaybook(error.to_string()),
            AssistantError::Model(reason) => Error::NoAnswer(reason),
        })
    }

    /// What tools gave, and what servers offered in the newest run: the arguments of calls are named after that.
    async fn recording(&self, caller: &Caller, name: &str) -> Result<(Recording, Vec<Tool>)> {
        let filter = PlaybookRunFilter { program: Some(name.to_owned()), ..PlaybookRunFilter::default() };
        let (mut runs, _) =
            self.store.playbook_runs(&caller.org, &filter, Page::first(RUNS_RECORDED)).await?;
        runs.reverse();
        let (mut recording, mut tools) = (Recording::default(), Vec::new());
        for run in runs {
            recording.add(&self.entries_of(&caller.org, &run.id).await?);
            let stored = self.store.playbook_run(&caller.org, &run.id).await?;
            let source = stored.map(|stored| serde_json::from_str::<Source>(&stored.source)).transpose();
            let source = source.map_err(|error| Error::Internal(Box::new(error)))?;
            tools = source.map(|source| source.tools).filter(|tools| !tools.is_empty()).unwrap_or(tools);
        }
        Ok((recording, tools))
    }
}
