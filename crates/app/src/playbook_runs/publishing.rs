//! A run publishes its conversation as any agent does, so that it is learned from and judged.

use playbook_run::engine::{Message, Playbooks, Speaker, State};
use reflexio_store::StoredPlaybookRun;
use reflexio_types::{Caller, LearningIntent, RequestId, SessionId, ToolUse, Turn};
use serde_json::{Map, Value};

use super::programs::Source;
use crate::publish::{Publish, TurnDraft, Wait};
use crate::{App, Error, Result};

/// A turn of an agent says here which step said it.
const STEP: &str = "playbook_step";

impl App {
    /// Publishes what was said since the last time. Doing it twice stores it once.
    pub(super) async fn publish_run(
        &self,
        caller: &Caller,
        stored: &StoredPlaybookRun,
        code: &Playbooks,
        state: &State,
    ) -> Result<()> {
        let publishes = serde_json::from_str::<Source>(&stored.source).is_ok_and(|source| source.publishes);
        let messages = state.transcript();
        if !publishes || messages.is_empty() {
            return Ok(());
        }
        let request = |count: usize| RequestId::new(format!("{}-{count}", stored.run.id));
        let mut from = messages.len();
        while from > 0 && self.store.request(&caller.org, &request(from)).await?.is_none() {
            from -= 1;
        }
        if from == messages.len() {
            return Ok(());
        }
        let turns = messages[from..].iter().map(|message| self.turn(message)).collect();
        let agent = code.program().agents.first().map_or("agent", |agent| agent.class.as_str());
        let version = stored.run.version.get(..12).unwrap_or(&stored.run.version);
        let publish = Publish {
            request_id: Some(request(messages.len())),
            user_id: stored.run.user_id.clone(),
            session_id: Some(SessionId::new(stored.run.id.as_str())),
            source: stored.run.program.clone(),
            agent_version: Some(format!("{agent}@{version}")),
            experiment: None,
            intent: LearningIntent {
                session_finished: state.outcome().is_some(),
                ..LearningIntent::default()
            },
            wait: Wait::No,
            turns,
        };
        match self.publish(caller, publish).await {
            Ok(_) | Err(Error::DuplicateRequest(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn turn(&self, message: &Message) -> TurnDraft {
        let role = if message.from == Speaker::User { "User" } else { "Agent" };
        let mut turn = Turn::say(self.now(), role, &message.text);
        if let (Some(playbook), Some(step)) = (&message.playbook, &message.step) {
            let data = [("playbook", playbook.as_str()), ("step", &**step)];
            let tool_data: Map<String, Value> =
                data.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
            turn.tools_used.push(ToolUse {
                tool_name: STEP.to_owned(),
                tool_data,
                status: "done".to_owned(),
            });
        }
        TurnDraft { turn, image: None }
    }
}
