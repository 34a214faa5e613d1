use clap::{Args, ValueEnum};
use reflexio_api_types::{
    AgentPlaybookImpactResponse, ComparisonView, ImpactPeers, ImpactQuery, ShareView, WordingImpactView,
};

use super::delete::counted;
use super::user_playbooks::headline;
use crate::context::Context;
use crate::output::{Align, Output, Table, percent, range, short_seconds};

/// `reflexio agent-playbooks impact`.
#[derive(Debug, Args)]
pub(crate) struct Impact {
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,
    /// With which sessions to compare.
    #[arg(long, value_name = "WHICH", default_value = "with-rules")]
    compared_with: Peers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Peers {
    /// Sessions for which other rules were retrieved.
    WithRules,
    /// All other sessions of the same agent versions.
    All,
}

impl From<Peers> for ImpactPeers {
    fn from(peers: Peers) -> Self {
        match peers {
            Peers::WithRules => ImpactPeers::WithRules,
            Peers::All => ImpactPeers::All,
        }
    }
}

impl Impact {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let query = ImpactQuery { compared_with: Some(self.compared_with.into()) };
        let impact = context.client()?.agent_playbook_impact(self.id, query).await?;
        Ok(context.out.result(&impact, || words(&context.out, &impact))?)
    }
}

fn words(out: &Output, impact: &AgentPlaybookImpactResponse) -> String {
    let (bold, dim) = (out.style().bold(), out.style().dim());
    let title = format!("agent playbook {}: {}", impact.agent_playbook_id, headline(&impact.content, None));
    let mut parts = vec![bold.apply_to(title).to_string(), used(impact)];
    if impact.retrievals > 0 {
        parts.push(String::new());
        parts.push(sessions(out, &impact.comparison));
        parts.push(String::new());
        parts.push(bold.apply_to(&impact.comparison.summary).to_string());
        parts.push(judged_by(&impact.comparison));
        if impact.wordings.len() > 1 {
            parts.push(String::new());
            parts.push(wordings(out, &impact.wordings));
        }
        if impact.incomplete {
            parts.push("only the latest 200,000 judged sessions were looked at".to_owned());
        }
        parts.push(String::new());
        parts.push(dim.apply_to(&impact.caveat).to_string());
    }
    parts.join("\n")
}

fn used(impact: &AgentPlaybookImpactResponse) -> String {
    let (Some(since), true) = (impact.since, impact.retrievals > 0) else {
        return "no agent got it yet: agents get rules from /api/context, or from searches that name a session"
            .to_owned();
    };
    format!(
        "used {} in {}, first {}; agent {}",
        times(impact.retrievals),
        counted(impact.sessions, "session"),
        short_seconds(since),
        impact.agent_versions.join(", ")
    )
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn judged_by(comparison: &ComparisonView) -> String {
    format!(
        "{} by their told outcome, {} by their evaluation",
        counted(comparison.told_sessions, "session"),
        comparison.judged_sessions
    )
}

fn sessions(out: &Output, comparison: &ComparisonView) -> String {
    let mut table = Table::new(
        out,
        &[
            ("sessions", Align::Left),
            ("succeeded", Align::Right),
            ("share", Align::Right),
            ("95 %", Align::Left),
            ("0 to 100 %", Align::Rest),
        ],
    );
    for (name, share) in [("with the rule", &comparison.with), ("without it", &comparison.without)] {
        table.row([
            name.to_owned(),
            format!("{} of {}", share.count, share.total),
            share.share.map(percent).unwrap_or_default(),
            bounds(share),
            plot(share),
        ]);
    }
    table.render()
}

fn bounds(share: &ShareView) -> String {
    match (share.low, share.high) {
        (Some(low), Some(high)) => format!("{} to {}", percent(low), percent(high)),
        _ => String::new(),
    }
}

fn plot(share: &ShareView) -> String {
    match (share.low, share.share, share.high) {
        (Some(low), Some(value), Some(high)) => range(low, value, high),
        _ => String::new(),
    }
}

fn wordings(out: &Output, rows: &[WordingImpactView]) -> String {
    let columns = [
        ("wording", Align::Left),
        ("used", Align::Right),
        ("sessions", Align::Right),
        ("succeeded", Align::Right),
        ("first used", Align::Left),
        ("compared with none", Align::Rest),
    ];
    let mut table = Table::new(out, &columns);
    for row in rows {
        let now = if row.is_current { " (now)" } else { "" };
        let with = &row.comparison.with;
        table.row([
            format!("{}{now}", row.revision),
            row.retrievals.to_string(),
            row.sessions.to_string(),
            format!("{} of {}", with.count, with.total),
            short_seconds(row.first_used_at),
            row.comparison.summary.clone(),
        ]);
    }
    table.render()
}
