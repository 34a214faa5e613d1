//! A program as the assistant of whoever asks over HTTP.

use playbook_run::engine::Start;
use playbook_run::{Answerer, Asker, AssistantError, AssistantRequest, CommandTools, NoModel, assist};
use reflexio_llm::{Options, Purpose, Role};
use reflexio_types::{Caller, Scope};

use super::past::Past;
use super::programs::Source;
use super::source_of;
use crate::access::Access;
use crate::{App, Error, Result};

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
        let past = Past::of(&self.store, &caller.org, name, self.now()).await?;
        let source = Source { tools: past.tools, ..source_of(program, false) };
        let code = self.playbooks.compile(None, &source).map_err(Error::InvalidPlaybook)?;
        let model: Box<dyn Answerer> = match self.models(&caller.org, Role::Playbook).await? {
            Some(models) => {
                let purpose = Purpose { config: Some(format!("playbook:{name}")), ..Purpose::default() };
                let asker = Asker::new(models, None, Options::with_purpose(purpose));
                Box::new(asker.map_err(|error| Error::Internal(Box::new(error)))?)
            }
            None => Box::new(NoModel),
        };
        let (start, tools) = (Start::default(), CommandTools::default());
        let answer = assist(code, start, request, &*model, past.recording, &tools, self.now_ms()).await;
        answer.map_err(|error| match error {
            AssistantError::Model(reason) => Error::NoAnswer(reason),
            AssistantError::Request(_)
            | AssistantError::Over(_)
            | AssistantError::Silent
            | AssistantError::Run(_) => Error::InvalidPlaybook(error.to_string()),
        })
    }
}
