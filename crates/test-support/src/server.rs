use std::sync::Arc;
use std::time::Duration;

use reflexio_app::{
    App, Connect, EmbedderChoice, MasterKey, NewKey, Options as AppOptions, WorkerSettings, Workers,
};
use reflexio_embed::{Embedder, MiniLm, Precision};
use reflexio_llm::Settings;
use reflexio_server::Options as ServerOptions;
use reflexio_store_sqlite::SqliteStore;
use reflexio_types::{OrgId, Scope, Scopes};
use reqwest::{Client, Method};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::FixedClock;

/// The moment at which a test server lives: 2026-11-15T12:00:00Z.
const NOW: i64 = 1_794_744_000;

/// Longer than anything here takes on a slow machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A real server on a loopback port, with a real SQLite file in a folder of its own.
pub struct TestServer {
    pub url: String,
    pub app: Arc<App>,
    pub clock: Arc<FixedClock>,
    key: Option<String>,
    client: Client,
    serving: JoinHandle<()>,
    background: Vec<JoinHandle<()>>,
    workers: Option<Workers>,
    _folder: Arc<TempDir>,
}

/// An embedder that is there.
pub struct Ready(pub Arc<dyn Embedder>);

#[async_trait::async_trait]
impl Connect for Ready {
    async fn connect(&self) -> Result<Arc<dyn Embedder>, reflexio_embed::Error> {
        Ok(self.0.clone())
    }
}

/// What the server answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl TestServer {
    pub async fn start() -> Self {
        Self::start_with(|_| {}, ServerOptions::default()).await
    }

    pub async fn start_with(change: impl FnOnce(&mut AppOptions), options: ServerOptions) -> Self {
        let folder = Arc::new(TempDir::new().expect("a temporary folder"));
        Self::start_in(folder, change, options).await
    }

    /// A server that searches by meaning with the real model; nothing, with a loud word, where it is missing.
    pub async fn start_with_model() -> Option<Self> {
        let folder = std::env::var_os("REFLEXIO_MODEL_DIR").map(std::path::PathBuf::from);
        let beside = || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
        let path = folder.unwrap_or_else(beside).join(MiniLm::file_name(Precision::Int8));
        if !path.exists() {
            eprintln!("SKIPPED: {} is missing; `make model` fetches it", path.display());
            return None;
        }
        let model: Arc<dyn Embedder> = Arc::new(MiniLm::open(&path).expect("a whole model"));
        let server = Self::start_with_embedder(Ready(model)).await;
        Some(server)
    }

    /// A server with this embedder, which works in the background as it does in production.
    pub async fn start_with_embedder(connect: impl Connect + 'static) -> Self {
        let choose = |options: &mut AppOptions| options.embedder = EmbedderChoice::Connect(Arc::new(connect));
        let mut server = Self::start_with(choose, ServerOptions::default()).await;
        let app = server.app.clone();
        server.background.push(tokio::spawn(async move { app.keep_embedding().await }));
        server
    }

    /// A server that learns, with the built-in learner unless models are given.
    pub async fn start_learning(change: impl FnOnce(&mut AppOptions)) -> Self {
        Self::start_with(change, ServerOptions::default()).await.with_workers()
    }

    /// As when the machine fails: nothing is ended in order, and another server that learns takes over the same files
    /// at the same time of day.
    pub async fn crash_and_restart(self, change: impl FnOnce(&mut AppOptions)) -> Self {
        let (folder, now) = (Arc::clone(&self._folder), self.app.now());
        drop(self);
        let server = Self::start_in(folder, change, ServerOptions::default()).await;
        server.clock.set(now.0);
        server.with_workers()
    }

    fn with_workers(mut self) -> Self {
        let settings = WorkerSettings { poll: Duration::from_millis(50), ..WorkerSettings::default() };
        self.workers = Some(self.app.start_workers(&settings));
        self
    }

    /// Waits until every row of the caller's org has its vector.
    pub async fn embedded(&self) {
        let none_waits = |status: &Value| {
            status["kinds"].as_array().expect("kinds").iter().all(|kind| kind["waiting"] == 0)
        };
        self.embeddings_until("all rows are embedded", |status| {
            status["index"] == "ready" && none_waits(status)
        })
        .await;
    }

    /// Looks at `/api/embeddings` until it says something.
    pub async fn embeddings_until(&self, what: &str, says: impl Fn(&Value) -> bool) -> Value {
        let started = tokio::time::Instant::now();
        loop {
            let status = self.get("/api/embeddings").await.ok();
            if says(&status) {
                return status;
            }
            assert!(started.elapsed() < DEADLINE, "waited too long until {what}: {status}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn start_in(
        folder: Arc<TempDir>,
        change: impl FnOnce(&mut AppOptions),
        options: ServerOptions,
    ) -> Self {
        let store =
            SqliteStore::open(&folder.path().join("reflexio.db"), &Default::default()).expect("a store");
        let clock = Arc::new(FixedClock::at(NOW));
        let mut app_options = AppOptions {
            store: Arc::new(store),
            clock: clock.clone(),
            master_key: None,
            api_key: None,
            embedder: EmbedderChoice::None("tests search by words".to_owned()),
            models: Arc::new(|_| Settings::default()),
            costs: Default::default(),
            assistants: Default::default(),
            injections: Default::default(),
            playbooks: Default::default(),
        };
        change(&mut app_options);
        let app = Arc::new(App::new(app_options));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let served = app.clone();
        let serving = tokio::spawn(async move {
            reflexio_server::run(listener, served, options, std::future::pending()).await.expect("serving");
        });
        Self {
            url,
            app,
            clock,
            key: None,
            client: client(),
            serving,
            background: Vec::new(),
            workers: None,
            _folder: folder,
        }
    }

    /// The path of the database file, for tests that look at the bytes.
    pub fn database(&self) -> std::path::PathBuf {
        self._folder.path().join("reflexio.db")
    }

    pub fn master_key(text: &str) -> MasterKey {
        MasterKey::derive(text)
    }

    /// Makes a key; from then on callers need one.
    pub async fn create_key(&self, org: &str, scopes: &[Scope]) -> NewKey {
        let scopes = Scopes::new(scopes.to_vec());
        self.app.create_key(OrgId::new(org), "test".to_owned(), scopes).await.expect("a key")
    }

    /// Sends this key with every call.
    pub fn use_key(&mut self, secret: &str) {
        self.key = Some(secret.to_owned());
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None, self.key.as_deref()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string().into_bytes()), self.key.as_deref()).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body.to_string().into_bytes()), self.key.as_deref()).await
    }

    pub async fn delete(&self, path: &str, body: Value) -> Answer {
        let body = (!body.is_null()).then(|| body.to_string().into_bytes());
        self.send(Method::DELETE, path, body, self.key.as_deref()).await
    }

    pub async fn post_bytes(&self, path: &str, body: Vec<u8>) -> Answer {
        self.send(Method::POST, path, Some(body), self.key.as_deref()).await
    }

    pub async fn send_as(
        &self,
        key: Option<&str>,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        self.send(method, path, body.map(|body| body.to_string().into_bytes()), key).await
    }

    /// A plain request for tests that need headers or bytes.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    async fn send(&self, method: Method, path: &str, body: Option<Vec<u8>>, key: Option<&str>) -> Answer {
        let mut request = self.request(method, path);
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let text = response.text().await.expect("a body");
        Answer { status, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
    }
}

/// In a build of the whole workspace reqwest comes with TLS but without a provider for it, and insists on one.
fn client() -> Client {
    // Fails only when another test of this process did it before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::new()
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.workers.take());
        self.serving.abort();
        self.background.iter().for_each(JoinHandle::abort);
    }
}

impl Answer {
    /// The body of a successful answer.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }
}
