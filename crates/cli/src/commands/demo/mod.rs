//! A newcomer's first minute: a server in a temporary folder that learns from bundled conversations, with nothing to set up.

mod play;
mod server;
mod tell;

use std::path::PathBuf;

use clap::Args;
use reflexio_client::{Client, Options};

use super::serve::signals::Signals;
use crate::context::Context;
use crate::failure::Failure;
use server::DemoServer;

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// The port to listen on; a free one if missing.
    #[arg(long, default_value_t = 0, conflicts_with = "stop")]
    port: u16,
    /// Stop the server of an earlier demo and remove its folder.
    #[arg(long, value_name = "FOLDER")]
    stop: Option<PathBuf>,
}

impl Demo {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        if let Some(folder) = &self.stop {
            server::stop(folder).await?;
            let value = serde_json::json!({ "stopped": folder });
            return Ok(context.out.done(&value, || format!("stopped, and removed {}", folder.display()))?);
        }
        // From here on an interrupt stops the server too, however far the demo is.
        let mut signals = Signals::new()?;
        tokio::select! {
            played = self.play(context) => played,
            signal = signals.next() => {
                Err(Failure::failed(format!("{signal}: the server was stopped and its folder removed")).into())
            }
        }
    }

    async fn play(&self, context: &Context) -> anyhow::Result<()> {
        let server = DemoServer::start(self.port).await?;
        let client = Client::new(Options::new(server.url.clone()))?;
        let found = play::play(&context.out, &client).await?;
        tell::tell(&context.out, &server, &found)?;
        server.leave_running();
        Ok(())
    }
}
