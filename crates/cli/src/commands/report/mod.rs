mod words;

use clap::Args;
use reflexio_api_types::{
    AnalyticsQuery, HealthQuery, NonNegative, PlaybookAnalyticsResponse, PlaybookHealthResponse,
    PlaybookReviewResponse, UpToThousand, VersionAnalyticsResponse,
};
use serde::Serialize;

use super::filters::Span;
use crate::context::Context;

/// Proposals that are named; `agent-playbooks list --status pending` shows all.
const NAMED: i64 = 5;

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// What counts as recent.
    #[arg(long, value_name = "DAYS", default_value_t = 7, value_parser = clap::value_parser!(i64).range(1..=1000),
        conflicts_with = "since")]
    days: i64,
    #[command(flatten)]
    span: Span,
    /// Only playbooks of this name.
    #[arg(long, alias = "name", value_name = "NAME")]
    playbook_name: Option<String>,
    /// Only those of this agent version; several with commas between them are set beside each other.
    #[arg(long, alias = "version", value_name = "VERSION")]
    agent_version: Option<String>,
    /// So many new user playbooks are expected in 24 hours.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    min_daily: Option<i64>,
}

/// All that the report is made of.
#[derive(Debug, Serialize)]
pub(super) struct Parts {
    pub(super) playbooks: PlaybookAnalyticsResponse,
    pub(super) versions: VersionAnalyticsResponse,
    pub(super) review: PlaybookReviewResponse,
    pub(super) health: PlaybookHealthResponse,
}

impl Report {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        let query = self.query();
        let health = HealthQuery { min_daily: self.min_daily.map(NonNegative), pending_days: None };
        let parts = Parts {
            playbooks: client.playbook_analytics(&query).await?,
            versions: client.version_analytics(&query).await?,
            review: client.playbook_review(&query).await?,
            health: client.playbook_health(&health).await?,
        };
        Ok(context.out.result(&parts, || words::words(&context.out, self.filtered(), &parts))?)
    }

    fn query(&self) -> AnalyticsQuery {
        AnalyticsQuery {
            days: self.span.start().is_none().then_some(UpToThousand(self.days)),
            start_time: self.span.start(),
            end_time: self.span.end(),
            playbook_name: self.playbook_name.clone(),
            agent_version: self.agent_version.clone(),
            limit: Some(UpToThousand(NAMED)),
        }
    }

    /// What the report is narrowed to.
    fn filtered(&self) -> Option<String> {
        let parts: Vec<&str> =
            self.playbook_name.iter().chain(&self.agent_version).map(String::as_str).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
