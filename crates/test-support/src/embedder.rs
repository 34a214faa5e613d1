use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use reflexio_app::{Connect, Pace};
use reflexio_embed::remote::{ApiKey, Provider, Remote, Settings};
use reflexio_embed::{Embedder, Error, QueryCache, Queue, QueueOptions};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What a remote embedder does with requests.
#[derive(Debug, Clone, PartialEq)]
pub enum Manner {
    /// Vectors of so many dimensions, made of the words of a text.
    Vectors(usize),
    /// The same, but a request with this word in one of its texts is refused with 400.
    Refusing {
        word: &'static str,
        dimension: usize,
    },
    Status(u16),
    /// Whatever this is, it is no vectors.
    Answer(&'static str),
    Never,
}

/// An OpenAI-compatible embedder on a loopback port, which behaves as it is told.
pub struct RemoteEmbedder {
    address: SocketAddr,
    state: Arc<Mutex<Behaviour>>,
    serving: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Behaviour {
    manner: Manner,
    /// How many texts came, and in how many requests.
    texts: usize,
    requests: usize,
}

impl RemoteEmbedder {
    pub async fn start(manner: Manner) -> Self {
        let embedder = Self::down(manner).await;
        embedder.come_up().await;
        embedder
    }

    /// Nobody answers before it comes up.
    pub async fn down(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(Behaviour { manner, texts: 0, requests: 0 }));
        Self { address, state, serving: Mutex::default() }
    }

    pub async fn come_up(&self) {
        let listener = TcpListener::bind(self.address).await.expect("the port is still free");
        let router = Router::new().fallback(answer).with_state(Arc::clone(&self.state));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = Some(serving);
    }

    pub fn behave(&self, manner: Manner) {
        lock(&self.state).manner = manner;
    }

    /// How many requests came.
    pub fn requests(&self) -> usize {
        lock(&self.state).requests
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connects to it as the program does, but does not wait long before it tries again.
    pub fn connect(&self) -> impl Connect + use<> {
        let settings = Settings::new(Provider::OpenAi, "words", Some(ApiKey::new("sk-secret")));
        let settings = settings.with_base(&self.url());
        Remotely(Settings { first_pause: Duration::from_millis(1), ..settings })
    }
}

impl Drop for RemoteEmbedder {
    fn drop(&mut self) {
        if let Some(serving) = self.serving.lock().unwrap_or_else(PoisonError::into_inner).take() {
            serving.abort();
        }
    }
}

struct Remotely(Settings);

#[async_trait]
impl Connect for Remotely {
    async fn connect(&self) -> Result<Arc<dyn Embedder>, Error> {
        let remote = Remote::probe(self.0.clone()).await?;
        let queue = Queue::start(Arc::new(remote), QueueOptions::default());
        Ok(Arc::new(QueryCache::new(Arc::new(queue), 100)))
    }

    fn pace(&self) -> Pace {
        let [first_pause, longest_pause, look_every] = [5, 50, 50].map(Duration::from_millis);
        Pace { first_pause, longest_pause, look_every }
    }
}

fn lock(state: &Mutex<Behaviour>) -> MutexGuard<'_, Behaviour> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(state): State<Arc<Mutex<Behaviour>>>, body: String) -> (StatusCode, String) {
    let body: Value = serde_json::from_str(&body).unwrap_or_default();
    let texts: Vec<&str> = body["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let manner = {
        let mut state = lock(&state);
        state.requests += 1;
        state.texts += texts.len();
        state.manner.clone()
    };
    match manner {
        Manner::Vectors(dimension) => (StatusCode::OK, vectors(&texts, dimension)),
        Manner::Refusing { word, .. } if texts.iter().any(|text| text.contains(word)) => {
            (StatusCode::BAD_REQUEST, json!({"error": {"message": "a text is not to my taste"}}).to_string())
        }
        Manner::Refusing { dimension, .. } => (StatusCode::OK, vectors(&texts, dimension)),
        Manner::Status(status) => {
            let status = StatusCode::from_u16(status).expect("a status");
            (status, json!({"error": {"message": "no"}}).to_string())
        }
        Manner::Answer(text) => (StatusCode::OK, text.to_owned()),
        Manner::Never => std::future::pending().await,
    }
}

fn vectors(texts: &[&str], dimension: usize) -> String {
    let data: Vec<Value> = (0..)
        .zip(texts)
        .map(|(index, text): (usize, _)| json!({"index": index, "embedding": vector(text, dimension)}))
        .collect();
    json!({ "data": data }).to_string()
}

/// Texts that share words point in like directions.
fn vector(text: &str, dimension: usize) -> Vec<f32> {
    let mut vector = vec![0.01; dimension];
    let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        let hash = word.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        vector[hash % dimension] += 1.0;
    }
    vector
}
