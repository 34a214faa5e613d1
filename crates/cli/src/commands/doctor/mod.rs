mod deep;
mod journey;
mod steps;

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::data_dir::DataDirArg;
use crate::failure::Failure;
use steps::Steps;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Publishes a conversation of a user made up for it, finds it again, and leaves nothing behind."
)]
pub(crate) struct Doctor {
    /// Also read the whole database in the data folder and compare rows with their indexes.
    #[arg(long)]
    deep: bool,
    /// Only look at the data folder; no server is needed.
    #[arg(long, requires = "deep")]
    offline: bool,
    #[command(flatten)]
    data: DataDirArg,
}

impl Doctor {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let mut steps = Steps::new(&context.out);
        if !self.offline {
            Box::pin(journey::travel(context, &mut steps)).await?;
        }
        let integrity = if self.deep { deep::look(&self.data, &mut steps).await? } else { None };
        if context.out.is_json() {
            context
                .out
                .json(&json!({"ok": steps.failures() == 0, "steps": steps.list(), "integrity": integrity}))?;
        } else if let Some(report) = &integrity {
            context.out.line(deep::table(&context.out, report))?;
        }
        match steps.failures() {
            0 => Ok(()),
            1 => Err(Failure::failed("1 check failed").into()),
            count => Err(Failure::failed(format!("{count} checks failed")).into()),
        }
    }
}
