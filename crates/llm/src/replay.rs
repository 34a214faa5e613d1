//! Answers of real models, kept in a file and played back: tests of prompts without a network.
//!
//! A recording holds the requests as they are, so that a person can read what was asked; pictures by their hash. Keys
//! and addresses are not part of a request.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::request::{Answer, Finish, Request, Usage};
use crate::target::Target;
use crate::transport::Transport;

/// What a recording holds: requests by their key.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Recording {
    calls: BTreeMap<String, Call>,
}

/// One request and its answers, in the order in which they came.
#[derive(Debug, Serialize, Deserialize)]
struct Call {
    model: String,
    request: Value,
    answers: Vec<Recorded>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Recorded {
    text: String,
    truncated: bool,
    /// Prompt, output and cached tokens.
    usage: Option<(u64, u64, u64)>,
}

impl From<&Answer> for Recorded {
    fn from(answer: &Answer) -> Self {
        let usage = answer.usage.map(|usage| (usage.prompt_tokens, usage.output_tokens, usage.cached_tokens));
        Self { text: answer.text.clone(), truncated: answer.finish == Finish::Truncated, usage }
    }
}

impl From<Recorded> for Answer {
    fn from(recorded: Recorded) -> Self {
        let usage = recorded.usage.map(|(prompt_tokens, output_tokens, cached_tokens)| Usage {
            prompt_tokens,
            output_tokens,
            cached_tokens,
        });
        let finish = if recorded.truncated { Finish::Truncated } else { Finish::Complete };
        Self { text: recorded.text, finish, usage }
    }
}

fn key(model: &str, request: &Value) -> String {
    let text = json!({"model": model, "request": request}).to_string();
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

/// Asks another transport and keeps what it answers.
pub struct Recorder {
    inner: Arc<dyn Transport>,
    path: PathBuf,
    recording: Mutex<Recording>,
}

impl Recorder {
    /// Continues the recording at `path`, or begins it.
    pub fn new(inner: Arc<dyn Transport>, path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let recording = if path.exists() { load(&path)? } else { Recording::default() };
        Ok(Self { inner, path, recording: Mutex::new(recording) })
    }

    fn keep(&self, model: &str, request: Value, answer: &Answer) -> io::Result<()> {
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key(model, &request);
        let new = || Call { model: model.to_owned(), request, answers: Vec::new() };
        recording.calls.entry(key).or_insert_with(new).answers.push(answer.into());
        let text = serde_json::to_string_pretty(&*recording)? + "\n";
        // In two steps, so that a killed test leaves the old recording and not half of one.
        let beside = self.path.with_extension("part");
        std::fs::write(&beside, text)?;
        std::fs::rename(beside, &self.path)
    }
}

#[async_trait]
impl Transport for Recorder {
    async fn ask(&self, target: &Target, request: &Request, listener: Option<&Listener>) -> Result<Answer> {
        let answer = self.inner.ask(target, request, listener).await?;
        self.keep(&target.label, request.canonical(), &answer)
            .map_err(|error| Error::Misconfigured(format!("the recording cannot be written: {error}")))?;
        Ok(answer)
    }
}

/// Answers from a recording and asks nobody.
pub struct Replayer {
    recording: Recording,
    /// How often each request was asked.
    asked: Mutex<HashMap<String, usize>>,
}

impl Replayer {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { recording: load(path)?, asked: Mutex::default() })
    }
}

#[async_trait]
impl Transport for Replayer {
    /// The answers of a request come in the order in which they were recorded; the last one again and again.
    async fn ask(&self, target: &Target, request: &Request, _: Option<&Listener>) -> Result<Answer> {
        let request = request.canonical();
        let key = key(&target.label, &request);
        let Some(call) = self.recording.calls.get(&key) else {
            let message =
                format!("no answer of `{}` is recorded for request {key}; record it again", target.label);
            return Err(Error::Misconfigured(message));
        };
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = asked.entry(key).or_default();
        let answer = call.answers.get(*count).or_else(|| call.answers.last()).cloned();
        *count += 1;
        answer
            .map(Answer::from)
            .ok_or_else(|| Error::Misconfigured("a recorded request has no answer".to_owned()))
    }
}

fn load(path: &Path) -> io::Result<Recording> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}
