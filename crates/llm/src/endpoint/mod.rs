//! A model endpoint for tests: a real HTTP server on loopback that answers as it is told and remembers what it was
//! asked. It speaks OpenAI's protocol; [`Reply::Body`] makes it speak any other.

mod reply;
mod serve;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use reply::Reply;

use crate::retry::Retry;
use crate::settings::{Endpoint, Settings};

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All text of the prompt, whichever protocol it came in.
    pub fn prompt(&self) -> String {
        let mut out = String::new();
        for key in ["system", "systemInstruction", "messages", "contents"] {
            collect(&self.body[key], &mut out);
        }
        out
    }
}

/// Texts in a request: strings under `content`, `text` or `system`.
fn collect(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
        Value::Object(fields) => {
            for key in ["text", "content", "parts"] {
                if let Some(child) = fields.get(key) {
                    collect(child, out);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

type Responder = Box<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// What the endpoint does and what it saw.
#[derive(Default)]
struct State {
    script: Mutex<VecDeque<Reply>>,
    responder: Mutex<Option<Responder>>,
    seen: Mutex<Vec<Seen>>,
}

impl State {
    fn next(&self, seen: &Seen) -> Reply {
        lock(&self.seen).push(seen.clone());
        if let Some(reply) = lock(&self.script).pop_front() {
            return reply;
        }
        let responder = lock(&self.responder);
        responder.as_ref().map_or_else(|| Reply::Text("OK".to_owned()), |respond| respond(seen))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The endpoint; it stops when dropped.
pub struct TestEndpoint {
    address: SocketAddr,
    state: Arc<State>,
    task: JoinHandle<()>,
}

impl TestEndpoint {
    /// Starts on a free port.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let task = tokio::spawn(serve::accept(listener, Arc::clone(&state)));
        Ok(Self { address, state, task })
    }

    /// Starts with answers that are given in order; when they are used up, it answers `OK`.
    pub async fn scripted(replies: impl IntoIterator<Item = Reply>) -> io::Result<Self> {
        let endpoint = Self::start().await?;
        endpoint.script(replies);
        Ok(endpoint)
    }

    /// Adds answers to the script.
    pub fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        lock(&self.state.script).extend(replies);
    }

    /// Decides by the request what to answer when the script is used up.
    pub fn respond(&self, respond: impl Fn(&Seen) -> Reply + Send + Sync + 'static) {
        *lock(&self.state.responder) = Some(Box::new(respond));
    }

    /// `http://127.0.0.1:port`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn requests(&self) -> Vec<Seen> {
        lock(&self.state.seen).clone()
    }

    pub fn count(&self) -> usize {
        lock(&self.state.seen).len()
    }

    /// The characters of all prompts it got.
    pub fn prompt_characters(&self) -> usize {
        lock(&self.state.seen).iter().map(|seen| seen.prompt().chars().count()).sum()
    }

    /// Settings under which every role asks this endpoint, as `test/scripted`, and gives up soon.
    pub fn settings(&self) -> Settings {
        let mut settings =
            Settings { default_model: Some("test/scripted".to_owned()), ..Settings::default() };
        let endpoint = Endpoint { base_url: format!("{}/v1", self.url()), key: None };
        settings.endpoints.insert("test".to_owned(), endpoint);
        settings.http.total = Duration::from_secs(2);
        settings.http.body = Duration::from_secs(1);
        settings.http.silence = Duration::from_millis(500);
        settings.retry = Retry {
            first_pause: Duration::from_millis(2),
            deadline: Duration::from_secs(5),
            ..Retry::default()
        };
        settings
    }
}

impl Drop for TestEndpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}
