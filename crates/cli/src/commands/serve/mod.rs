mod address;
mod assistants;
mod banner;
mod costs;
mod embedder;
mod logging;
mod meter;
#[cfg(feature = "otlp")]
mod otlp;
mod playbooks;
mod ready;
pub(crate) mod signals;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use metrics_exporter_prometheus::PrometheusHandle;
use reflexio_app::{
    App, EmbedderChoice, InjectionSettings, MasterKey, ModelSettings, WorkerSettings, Workers,
};
use reflexio_llm::GateSettings;
use reflexio_server::RateLimit;
use reflexio_types::{Config, SystemClock};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::context::Context;
use crate::data_dir::{DataDir, DataDirArg};
use crate::lock::ServerLock;
use crate::models;
use ready::ReadyFile;

/// How long requests may take to finish after the server was asked to stop.
const GRACE: Duration = Duration::from_secs(30);
/// How long windows that are being learned from may take then; the rest is given back.
const LEARNING_GRACE: Duration = Duration::from_secs(5);
/// How long threads may take to end after that.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// The port to listen on; 0 takes a free one.
    #[arg(long, env = "REFLEXIO_PORT", default_value_t = 8081)]
    port: u16,
    /// The address to listen on. Any but a loopback address needs a key.
    #[arg(long, env = "REFLEXIO_HOST", default_value = "127.0.0.1")]
    host: String,
    #[command(flatten)]
    data: DataDirArg,
    /// Write the address of the server into this file as soon as it listens.
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    log_format: LogFormat,
    /// What to log: a level, or targets with levels (reflexio=debug,tower=warn).
    #[arg(long, value_name = "FILTER", env = "REFLEXIO_LOG", default_value = "info")]
    log: String,
    /// The largest request body that is accepted.
    #[arg(long, value_name = "BYTES", env = "REFLEXIO_MAX_BODY_BYTES", default_value_t = 10 * 1024 * 1024)]
    max_body_bytes: usize,
    /// How often a caller may ask: 600/m or 20/s. Callers on this machine are never limited.
    #[arg(long, value_name = "RATE", env = "REFLEXIO_RATE_LIMIT")]
    rate_limit: Option<RateLimit>,
    /// Send traces to this OpenTelemetry collector, over HTTP.
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,
    /// Seals provider secrets in the database; any long text, and always the same one.
    #[arg(long, value_name = "KEY", env = "REFLEXIO_MASTER_KEY", hide_env_values = true)]
    master_key: Option<String>,
    #[command(flatten)]
    embedder: embedder::EmbedderArgs,
    /// How many users are learned from at the same time; 0 only stores what is published.
    #[arg(long, value_name = "COUNT", env = "REFLEXIO_LEARNING_WORKERS", default_value_t = 8)]
    learning_workers: usize,
    /// How many calls a model provider gets at the same time; as many as users are learned from, and at least 8, if
    /// missing.
    #[arg(long, value_name = "COUNT", env = "REFLEXIO_MODEL_CALLS")]
    model_calls: Option<NonZeroUsize>,
    /// A command line that `command:` models may run, such as `claude -p`; one that ends in ` *` also with more arguments. May
    /// be given several times.
    #[arg(long, value_name = "LINE", env = "REFLEXIO_ALLOW_COMMAND", value_delimiter = ';')]
    allow_command: Vec<String>,
    #[command(flatten)]
    assistants: assistants::AssistantArgs,
    #[command(flatten)]
    costs: costs::CostArgs,
    /// How long is kept what aggregations, reruns, upgrades and imports changed; so long they can be undone.
    #[arg(long, value_name = "DAYS", env = "REFLEXIO_RUN_CHANGE_DAYS", default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(1..))]
    run_change_days: u32,
    /// How long it is kept which rules agents got for their prompts.
    #[arg(long, value_name = "DAYS", env = "REFLEXIO_INJECTION_DAYS", default_value_t = 180,
        value_parser = clap::value_parser!(u32).range(1..))]
    injection_days: u32,
    #[command(flatten)]
    playbooks: playbooks::PlaybookArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Human,
    Json,
}

pub(crate) fn run(serve: &Serve, context: &Context) -> anyhow::Result<()> {
    let folder = serve.data.folder()?;
    folder.create()?;
    let _lock = ServerLock::take(&folder)?;
    let logging = logging::start(serve, context)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve.serve(context, &folder));
    // The store is closed when the last task that holds it is gone.
    runtime.shutdown_timeout(LAST_GRACE);
    logging.stop();
    served
}

impl Serve {
    async fn serve(&self, context: &Context, folder: &DataDir) -> anyhow::Result<()> {
        let ready = self.ready_file.as_deref().map(ReadyFile::new).transpose()?;
        let listener = address::bind(&self.host, self.port).await?;
        let address = listener.local_addr()?;
        let first_run = !folder.database().exists();
        let app = self.app(context, folder)?;
        let keys_required = app.keys_required().await?;
        address::refuse_open_door(address, keys_required, folder)?;
        let url = address::url(address);
        if self.log_format == LogFormat::Human && !context.out.quiet {
            let learning = self.learning_words();
            banner::print(&context.out, &url, folder, keys_required, learning, first_run);
        }
        tracing::info!(%url, data_dir = %folder.path().display(), "listening");
        let meter = meter::install()?;
        let _ready = ready.map(|file| file.write(&url)).transpose()?;
        let served = self.until_asked_to_stop(listener, app, meter).await;
        tracing::info!("stopped");
        served.context("the server failed")
    }

    fn app(&self, context: &Context, folder: &DataDir) -> anyhow::Result<Arc<App>> {
        let store = folder.open_for_serving()?;
        let set = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Ok(Arc::new(App::new(reflexio_app::Options {
            store: Arc::new(store),
            clock: Arc::new(SystemClock),
            master_key: set(&self.master_key).as_deref().map(MasterKey::derive),
            api_key: context.api_key.clone(),
            embedder: self.embedder()?,
            models: self.models(),
            costs: self.costs.settings(),
            assistants: self.assistants.operator()?,
            injections: InjectionSettings { days: self.injection_days },
            playbooks: self.playbooks.settings()?,
        })))
    }

    fn embedder(&self) -> anyhow::Result<EmbedderChoice> {
        let choice = self.embedder.choice()?;
        if let EmbedderChoice::None(reason) = &choice {
            tracing::warn!(reason, "searching by words only");
        }
        Ok(choice)
    }

    fn models(&self) -> ModelSettings {
        let concurrency = GateSettings::default().concurrency.max(self.learning_workers);
        let concurrency = self.model_calls.map_or(concurrency, NonZeroUsize::get);
        let allowed: Vec<String> = self.allow_command.iter().map(|line| line.trim().to_owned()).collect();
        Arc::new(move |config| {
            let mut settings = models::settings(config);
            settings.commands.allowed.clone_from(&allowed);
            settings.gate.concurrency = concurrency;
            settings
        })
    }

    fn workers(&self, app: &Arc<App>) -> Option<Workers> {
        let settings = WorkerSettings {
            slots: self.learning_workers,
            run_change_days: self.run_change_days,
            ..WorkerSettings::default()
        };
        (self.learning_workers > 0).then(|| app.start_workers(&settings))
    }

    fn learning_words(&self) -> &'static str {
        let settings = models::settings(&Config::default());
        match (self.learning_workers, settings.default_model.is_some() || !settings.keys.is_empty()) {
            (0, _) => "off: conversations are stored and queued",
            (_, true) => "with the model of the environment, or the one in the configuration",
            (_, false) => "built in, without a model; set a provider's key to use one",
        }
    }

    async fn until_asked_to_stop(
        &self,
        listener: TcpListener,
        app: Arc<App>,
        meter: PrometheusHandle,
    ) -> std::io::Result<()> {
        let options = reflexio_server::Options {
            max_body_bytes: self.max_body_bytes,
            rate_limit: self.rate_limit,
            metrics: Some(meter.clone()),
        };
        let mut signals = signals::Signals::new()?;
        let (tell, told) = watch::channel(false);
        let embedding = tokio::spawn({
            let app = Arc::clone(&app);
            async move { futures::join!(app.warm_words(), app.keep_embedding()) }
        });
        // The lock on the folder says that nobody else works on it.
        if let Err(error) = app.take_over_jobs().await {
            tracing::error!(%error, "jobs of the last run could not be taken over; they wait for their leases");
        }
        let workers = self.workers(&app);
        let serving = reflexio_server::run(listener, Arc::clone(&app), options, asked_to_stop(told));
        let served = tokio::select! {
            served = serving => served,
            () = meter::keep_up(meter) => Ok(()),
            () = async {
                let name = signals.next().await;
                tracing::info!(signal = name, "finishing requests under way");
                // Fails only when the server is gone already.
                let _ = tell.send(true);
                tokio::select! {
                    () = tokio::time::sleep(GRACE) => tracing::warn!("some requests did not finish in time"),
                    name = signals.next() => tracing::warn!(signal = name, "not waiting for requests under way"),
                }
            } => Ok(()),
        };
        embedding.abort();
        if let Some(workers) = workers {
            workers.stop(LEARNING_GRACE).await;
        }
        app.suspend().await;
        served
    }
}

async fn asked_to_stop(mut told: watch::Receiver<bool>) {
    // An error means that nobody can ask any more, which is the same.
    let _ = told.wait_for(|stop| *stop).await;
}
