use std::collections::BTreeMap;
use std::time::Duration;

use reflexio_api_types::{StallStateResponse, StorageStatsResponse, VersionResponse, WhoamiResponse};
use reflexio_client::Client;
use serde::Serialize;

use crate::context::Context;
use crate::output::Panel;

const PATIENCE: Duration = Duration::from_secs(10);

/// Everything `status` shows.
#[derive(Debug, Serialize)]
struct Status {
    url: String,
    version: VersionResponse,
    whoami: WhoamiResponse,
    storage: StorageStatsResponse,
    /// By state; nothing on a server that shows no metrics to this caller.
    jobs: Option<BTreeMap<String, u64>>,
    learning: StallStateResponse,
}

pub(crate) async fn run(context: &Context) -> anyhow::Result<()> {
    let status = Status::ask(&context.impatient_client(PATIENCE)?).await?;
    Ok(context.out.result(&status, || status.panel(context))?)
}

impl Status {
    async fn ask(client: &Client) -> anyhow::Result<Self> {
        Ok(Self {
            url: client.base_url().to_owned(),
            version: client.version().await?,
            whoami: client.whoami().await?,
            storage: client.storage_stats(None).await?,
            jobs: client.metrics().await.ok().map(|text| job_counts(&text)).filter(|jobs| !jobs.is_empty()),
            learning: client.stall_state().await?,
        })
    }

    fn panel(&self, context: &Context) -> String {
        let stats = &self.storage;
        let auth = match &self.whoami.key_id {
            Some(key) => format!("key {key}, may {}", self.whoami.scopes.join(", ")),
            None => "none needed from this machine".to_owned(),
        };
        let jobs = self.jobs.as_ref().map(|jobs| {
            let words = jobs.iter().map(|(state, count)| format!("{count} {state}"));
            words.collect::<Vec<_>>().join(", ")
        });
        Panel::new(&context.out)
            .row("server", format_args!("{} at {}", self.version.server_version, self.url))
            .row("auth", auth)
            .row("org", &self.whoami.org_id)
            .row("storage", &self.whoami.storage_label)
            .row(
                "interactions",
                format_args!("{} in {} requests", stats.interaction_count, stats.request_count),
            )
            .row("profiles", stats.profile_count)
            .row(
                "playbooks",
                format_args!("{} user, {} agent", stats.user_playbook_count, stats.agent_playbook_count),
            )
            .row("jobs", jobs.unwrap_or_else(|| "not shown to this caller".to_owned()))
            .row("learning", self.learning_words())
            .render()
    }

    fn learning_words(&self) -> String {
        if !self.learning.stalled {
            return "not paused".to_owned();
        }
        let since = self.learning.stalled_at.as_deref().unwrap_or("an unknown time");
        let why = self.learning.error_message.as_deref().unwrap_or("a model provider refused our key");
        format!("paused since {since}: {why}")
    }
}

/// Reads `reflexio_jobs{state="queued"} 3` lines.
fn job_counts(metrics: &str) -> BTreeMap<String, u64> {
    let read = |line: &str| {
        let (labels, count) = line.strip_prefix("reflexio_jobs{")?.split_once("} ")?;
        let state = labels.split_once("state=\"")?.1.split_once('"')?.0;
        Some((state.to_owned(), count.trim().parse::<f64>().ok()? as u64))
    };
    metrics.lines().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_counted_by_state() {
        let text = "# TYPE reflexio_jobs gauge\nreflexio_jobs{state=\"queued\"} 3\nreflexio_jobs{state=\"dead\"} 0\nother 1\n";
        let expected = BTreeMap::from([("queued".to_owned(), 3), ("dead".to_owned(), 0)]);
        assert_eq!(job_counts(text), expected);
    }
}
