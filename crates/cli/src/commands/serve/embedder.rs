use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;

use async_trait::async_trait;
use clap::Args;
use reflexio_app::{Connect, EmbedderChoice};
use reflexio_embed::remote::{ApiKey, Provider, Remote, Settings};
use reflexio_embed::{Embedder, Error, QueryCache, Queue, QueueOptions};

use crate::failure::Failure;
use crate::local_model::LocalModel;

/// Vectors of so many recent queries are kept: 6 MB.
const KEPT_QUERIES: usize = 4096;
/// Calls to a remote embedder that run at the same time.
const REMOTE_CALLS: usize = 4;

/// What turns texts into vectors.
#[derive(Debug, Args)]
pub(super) struct EmbedderArgs {
    /// What makes vectors for searching by meaning: local (all-MiniLM-L6-v2 in this process), none, or
    /// openai/MODEL, gemini/MODEL, ollama/MODEL.
    #[arg(long = "embedder", value_name = "EMBEDDER", env = "REFLEXIO_EMBEDDER", default_value = "local")]
    name: String,
    /// Where a remote embedder answers, if not at its provider's; any OpenAI-compatible server will do.
    #[arg(long = "embedder-url", value_name = "URL", env = "REFLEXIO_EMBEDDER_URL")]
    url: Option<String>,
    /// The key for it; OPENAI_API_KEY or GEMINI_API_KEY if missing.
    #[arg(long = "embedder-key", value_name = "KEY", env = "REFLEXIO_EMBEDDER_KEY", hide_env_values = true)]
    key: Option<String>,
    #[arg(long, hide = true, env = "OPENAI_API_KEY", hide_env_values = true)]
    openai_key: Option<String>,
    #[arg(long, hide = true, env = "GEMINI_API_KEY", hide_env_values = true)]
    gemini_key: Option<String>,
    /// Where `make model` put the local model.
    #[arg(long, value_name = "FOLDER", env = "REFLEXIO_MODEL_DIR")]
    model_dir: Option<PathBuf>,
}

impl EmbedderArgs {
    /// Whether the local model is missing is known at once; whether a remote embedder answers is not.
    pub(super) fn choice(&self) -> anyhow::Result<EmbedderChoice> {
        match self.name.trim() {
            "" | "none" => Ok(EmbedderChoice::None("the server was started with --embedder none".to_owned())),
            "local" => Ok(self.local()),
            name => Ok(EmbedderChoice::Connect(Arc::new(RemoteModel(self.remote(name)?)))),
        }
    }

    fn local(&self) -> EmbedderChoice {
        match LocalModel::find(self.model_dir.clone()) {
            Ok(model) => EmbedderChoice::Connect(Arc::new(model)),
            Err(reason) => EmbedderChoice::None(reason),
        }
    }

    fn remote(&self, name: &str) -> anyhow::Result<Settings> {
        let wrong = || {
            Failure::usage(format!("`{name}` is no embedder"))
                .hint("use local, none, openai/MODEL, gemini/MODEL or ollama/MODEL")
        };
        let (provider, model) =
            name.split_once('/').filter(|(_, model)| !model.is_empty()).ok_or_else(wrong)?;
        let (provider, key) = match provider {
            "openai" => (Provider::OpenAi, &self.openai_key),
            "gemini" => (Provider::Gemini, &self.gemini_key),
            "ollama" => (Provider::Ollama, &None),
            _ => return Err(wrong().into()),
        };
        let given = |key: &Option<String>| key.clone().filter(|key| !key.trim().is_empty());
        let settings =
            Settings::new(provider, model, given(&self.key).or_else(|| given(key)).map(ApiKey::new));
        Ok(match given(&self.url) {
            Some(url) => settings.with_base(&url),
            None => settings,
        })
    }
}

#[async_trait]
impl Connect for LocalModel {
    async fn connect(&self) -> Result<Arc<dyn Embedder>, Error> {
        let model = self.clone();
        let model = tokio::task::spawn_blocking(move || model.open()).await;
        let model = model.map_err(|_| Error::Closed)??;
        tracing::info!(model = model.id(), kernel = ?model.isa(), "searching by meaning");
        let cores = available_parallelism().map_or(1, usize::from);
        Ok(queued(Arc::new(model), cores))
    }
}

struct RemoteModel(Settings);

#[async_trait]
impl Connect for RemoteModel {
    async fn connect(&self) -> Result<Arc<dyn Embedder>, Error> {
        let remote = Remote::probe(self.0.clone()).await?;
        tracing::info!(model = remote.id(), dimension = remote.dimension(), "searching by meaning");
        Ok(queued(Arc::new(remote), REMOTE_CALLS))
    }
}

fn queued(embedder: Arc<dyn Embedder>, workers: usize) -> Arc<dyn Embedder> {
    let queue = Queue::start(embedder, QueueOptions { workers, ..QueueOptions::default() });
    Arc::new(QueryCache::new(Arc::new(queue), KEPT_QUERIES))
}
