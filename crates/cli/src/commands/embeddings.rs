use std::time::Duration;

use clap::Subcommand;
use reflexio_api_types::{EmbeddingCounts, EmbeddingStatusResponse};
use reflexio_client::Client;

use super::delete::counted;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Panel, Progress};

/// How often the server is asked while rows wait.
const ASK_EVERY: Duration = Duration::from_millis(500);

#[derive(Debug, Subcommand)]
pub(crate) enum Embeddings {
    /// Show how many rows can be found by meaning.
    Status,
    /// Make all vectors anew, for example after they were damaged; searches go on meanwhile.
    Rebuild {
        /// Wait until it is done.
        #[arg(long)]
        wait: bool,
    },
}

impl Embeddings {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        match self {
            Embeddings::Status => {
                let status = client.embeddings().await?;
                Ok(context.out.result(&status, || panel(context, &status))?)
            }
            Embeddings::Rebuild { wait } => {
                let answer = client.rebuild_embeddings().await?;
                if *wait {
                    until_done(context, &client).await?;
                }
                let done = if *wait { "made anew" } else { "to be made anew in the background" };
                let words = || format!("{} {done}", counted(answer.rows, "vector"));
                Ok(context.out.done(&answer, words)?)
            }
        }
    }
}

async fn until_done(context: &Context, client: &Client) -> anyhow::Result<()> {
    let mut status = client.embeddings().await?;
    let mut left = waiting(&status);
    let progress = Progress::new(&context.out, "embedding", Some(left));
    while left > 0 {
        if status.model.is_none() {
            return Err(nobody_embeds(&status).into());
        }
        tokio::time::sleep(ASK_EVERY).await;
        status = client.embeddings().await?;
        let now = waiting(&status);
        progress.add(left.saturating_sub(now));
        left = now;
    }
    Ok(())
}

/// Waiting would be in vain.
fn nobody_embeds(status: &EmbeddingStatusResponse) -> Failure {
    let reason = status.trouble.as_deref().unwrap_or("the server has no embedder");
    Failure::failed(format!("{} without a vector: {reason}", counted(waiting(status), "row")))
        .hint("the rows keep waiting; `reflexio embeddings status` shows when they get their vectors")
}

fn waiting(status: &EmbeddingStatusResponse) -> u64 {
    status.kinds.iter().map(|counts| counts.waiting).sum()
}

fn panel(context: &Context, status: &EmbeddingStatusResponse) -> String {
    let model = match (&status.model, status.dimension) {
        (Some(model), Some(dimension)) => format!("{model}, {dimension} dimensions"),
        _ => "none: only words are searched".to_owned(),
    };
    let index = match status.index.as_str() {
        "ready" => format!(
            "ready, {} in {:.1} MB of memory",
            counted(status.indexed_rows, "vector"),
            status.index_bytes as f64 / 1e6
        ),
        "loading" => format!("loading, {} so far", counted(status.indexed_rows, "vector")),
        other => other.to_owned(),
    };
    let mut panel = Panel::new(&context.out).row("model", model).row("index", index);
    for counts in &status.kinds {
        panel = panel.row(&counts.kind.replace('_', " "), line(counts));
    }
    panel.maybe("trouble", status.trouble.as_ref()).render()
}

fn line(counts: &EmbeddingCounts) -> String {
    let mut line = counted(counts.rows, "row");
    if counts.waiting > 0 {
        line.push_str(&format!(", {} waiting", counts.waiting));
    }
    if counts.refused > 0 {
        line.push_str(&format!(", {} refused by the model", counts.refused));
    }
    line
}
