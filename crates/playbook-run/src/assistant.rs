//! A playbook as the assistant that an optimiser replays: a conversation and rules go in, the next answer comes out.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use playbook_engine::{
    Event, Learned, LearnedFrom, Message, Outcome, Playbooks, Settings, Speaker, Start, Value,
};
use serde::{Deserialize, Serialize};

use crate::ask::Answerer;
use crate::command::CommandTools;
use crate::driver::{Around, Driver, Error, Pause};
use crate::host::{Host, Verdict};
use crate::journal::MemoryJournal;
use crate::recording::Recording;

/// What is replayed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantRequest {
    pub messages: Vec<ChatMessage>,
    /// Rules to try; they are shown as learned notes and are never more than that.
    #[serde(default)]
    pub playbooks: Vec<GivenPlaybook>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// `user`, or anything else for the assistant.
    pub role: String,
    #[serde(default)]
    pub content: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GivenPlaybook {
    #[serde(default)]
    pub id: serde_json::Value,
    pub content: String,
    #[serde(default)]
    pub trigger: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AssistantError {
    /// Give a conversation that can be answered.
    #[error("{0}")]
    Request(String),
    /// Say less: the program is over.
    #[error("the program ended without an answer to the last message: {}", ended(.0))]
    Over(Outcome),
    /// Say something else, or let a playbook wait for it.
    #[error("no playbook answers the last message")]
    Silent,
    /// Set up a model, or try again.
    #[error("a step needs a model: {0}")]
    Model(String),
    #[error(transparent)]
    Run(#[from] Error),
}

/// Runs the user's side of a conversation through a program, and gives what its agents say to the last message. Tools
/// give what they gave in `recording`; those that are not in it are asked only if there is a command for them.
pub async fn assist(
    code: Arc<Playbooks>,
    start: Start,
    request: &AssistantRequest,
    model: &dyn Answerer,
    recording: Recording,
    tools: &CommandTools,
    now: u64,
) -> Result<String, AssistantError> {
    let is_user = |message: &&ChatMessage| message.role.eq_ignore_ascii_case("user");
    let said: Vec<&ChatMessage> = request.messages.iter().filter(is_user).collect();
    if said.is_empty() {
        return Err(AssistantError::Request("`messages` holds no message of the user".to_owned()));
    }
    let learned = request.playbooks.iter().map(learned).collect();
    let host = Replay { learned, recording: Mutex::new(recording), tools };
    let settings = Settings { recalls: !request.playbooks.is_empty(), ..start.settings.clone() };
    let journal = MemoryJournal::default();
    let now = || now;
    let around = Around { journal: &journal, model, host: &host, now: &now };
    let mut driver = Driver::start(code, Start { settings, ..start }, around).await?;
    for message in said {
        if let Some(outcome) = rested(driver.until_quiet().await?)? {
            return Err(AssistantError::Over(outcome));
        }
        driver.tell(Event::Message { text: message.content.clone() }).await?;
    }
    let over = rested(driver.until_quiet().await?)?;
    let transcript = driver.state().transcript();
    let answers = transcript.iter().rev().take_while(|message| message.from == Speaker::Agent);
    let mut answers: Vec<&str> = answers.map(|message| message.text.as_str()).collect();
    answers.reverse();
    if answers.is_empty() {
        return Err(over.map_or(AssistantError::Silent, AssistantError::Over));
    }
    Ok(answers.join("\n\n"))
}

/// How the run ended, if it did: then it hears nothing more.
fn rested(pause: Pause) -> Result<Option<Outcome>, AssistantError> {
    match pause {
        Pause::NeedsModel { why, .. } => Err(AssistantError::Model(why.to_string())),
        Pause::Over(outcome) => Ok(Some(outcome)),
        Pause::Waiting { .. } => Ok(None),
    }
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done { .. } | Outcome::Ended => "it was done".to_owned(),
        Outcome::Partial { limit, most, at } => format!("the limit of {most} {limit} was reached at {at}"),
        Outcome::HandedOff { reason } => format!("it was handed to a person: {reason}"),
        Outcome::Failed { reason } => format!("it failed: {reason}"),
    }
}

fn learned(given: &GivenPlaybook) -> Learned {
    let text = match given.trigger.as_deref().filter(|trigger| !trigger.trim().is_empty()) {
        Some(trigger) => format!("{trigger}: {}", given.content),
        None => given.content.clone(),
    };
    let rule = given.id.as_str().map_or_else(|| given.id.to_string(), str::to_owned);
    Learned { rule, text, from: LearnedFrom::Agent }
}

struct Replay<'a> {
    learned: Vec<Learned>,
    recording: Mutex<Recording>,
    tools: &'a CommandTools,
}

#[async_trait]
impl Host for Replay<'_> {
    async fn say(&self, _message: &Message) {}

    async fn tool(&self, name: &str, args: &[(String, Value)]) -> Result<Value, String> {
        let recorded = self.recording.lock().unwrap_or_else(PoisonError::into_inner).next(name, args);
        match recorded {
            Some(result) => result,
            None => self.tools.call(name, args).await.map_err(|reason| {
                format!(
                    "a replay uses recorded results, and `{name}` has none for these arguments ({reason})"
                )
            }),
        }
    }

    async fn recall(&self, _playbook: &str, _step: &str, _query: &str) -> Vec<Learned> {
        self.learned.clone()
    }

    /// Nobody is there to ask, and what was approved was approved for another conversation.
    async fn approve(&self, _who: Option<&str>, _text: &str) -> Option<Verdict> {
        Some(Verdict { is_granted: false, by: "a replay".to_owned() })
    }
}
