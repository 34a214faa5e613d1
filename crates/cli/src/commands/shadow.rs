use clap::{Args, Subcommand, ValueEnum};
use reflexio_api_types::{
    GetShadowComparisonsQuery, Positive, RegularVsShadow, RunShadowComparisonsRequest, ShadowComparisonView,
    ShadowRateView,
};

use super::filters::{Limit, Span};
use crate::context::Context;
use crate::output::{Align, Output, Table, short_seconds};

/// Characters of the bar that shows a rate.
const BAR: usize = 30;

#[derive(Debug, Subcommand)]
pub(crate) enum Shadow {
    /// Show comparisons of answers with their alternatives, the newest first.
    List(List),
    /// Show how often the shadow answers of each agent version won.
    Rates(Rates),
    /// Compare answers that were published before.
    Run(Run),
}

#[derive(Debug, Args)]
pub(crate) struct Which {
    /// Only those of this user.
    #[arg(long, value_name = "USER")]
    user_id: Option<String>,
    /// Only those of this session.
    #[arg(long, value_name = "SESSION")]
    session_id: Option<String>,
    /// Only those of this agent version.
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    #[command(flatten)]
    span: Span,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    which: Which,
    /// Only those with this verdict.
    #[arg(long)]
    verdict: Option<Verdict>,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Debug, Args)]
pub(crate) struct Rates {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    which: Which,
    /// Also compare those again that were compared already.
    #[arg(long)]
    again: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Verdict {
    RegularIsBetter,
    RegularIsSlightlyBetter,
    ShadowIsBetter,
    ShadowIsSlightlyBetter,
    Tied,
}

impl From<Verdict> for RegularVsShadow {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::RegularIsBetter => RegularVsShadow::RegularIsBetter,
            Verdict::RegularIsSlightlyBetter => RegularVsShadow::RegularIsSlightlyBetter,
            Verdict::ShadowIsBetter => RegularVsShadow::ShadowIsBetter,
            Verdict::ShadowIsSlightlyBetter => RegularVsShadow::ShadowIsSlightlyBetter,
            Verdict::Tied => RegularVsShadow::Tied,
        }
    }
}

impl Shadow {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let (client, out) = (context.client()?, &context.out);
        match self {
            Shadow::List(list) => {
                let query = GetShadowComparisonsQuery {
                    verdict: list.verdict.map(RegularVsShadow::from),
                    ..list.which.query(list.limit.positive())
                };
                let found = client.shadow_comparisons(&query).await?.comparisons;
                Ok(out.result(&found, || table(out, &found))?)
            }
            Shadow::Rates(rates) => {
                let rates = client.shadow_comparisons(&rates.which.query(Positive(1))).await?.rates;
                Ok(out.result(&rates, || chart(out, &rates))?)
            }
            Shadow::Run(run) => {
                let answer = client.run_shadow_comparisons(&run.request()).await?;
                let queued = answer.queued;
                Ok(out.done(&answer, || format!("the answers of {queued} request(s) will be compared"))?)
            }
        }
    }
}

impl Which {
    fn query(&self, limit: Positive) -> GetShadowComparisonsQuery {
        GetShadowComparisonsQuery {
            user_id: self.user_id.clone(),
            session_id: self.session_id.clone(),
            agent_version: self.agent_version.clone(),
            verdict: None,
            start_time: self.span.start(),
            end_time: self.span.end(),
            limit: Some(limit),
            offset: None,
        }
    }
}

impl Run {
    fn request(&self) -> RunShadowComparisonsRequest {
        RunShadowComparisonsRequest {
            user_id: self.which.user_id.clone(),
            session_id: self.which.session_id.clone(),
            agent_version: self.which.agent_version.clone(),
            start_time: self.which.span.start(),
            end_time: self.which.span.end(),
            again: self.again,
        }
    }
}

fn table(out: &Output, found: &[ShadowComparisonView]) -> String {
    if found.is_empty() {
        return NOTHING.to_owned();
    }
    let columns = [
        ("turn", Align::Right),
        ("time", Align::Left),
        ("user", Align::Left),
        ("version", Align::Left),
        ("verdict", Align::Left),
        ("reason", Align::Rest),
    ];
    let mut table = Table::new(out, &columns);
    for row in found {
        table.row([
            row.interaction_id.to_string(),
            short_seconds(row.created_at),
            row.user_id.clone(),
            row.agent_version.clone(),
            words(row.verdict).to_owned(),
            row.reason.clone(),
        ]);
    }
    table.render()
}

const NOTHING: &str = "nothing was compared; publish answers with shadow_content";

fn words(verdict: RegularVsShadow) -> &'static str {
    match verdict {
        RegularVsShadow::RegularIsBetter => "regular",
        RegularVsShadow::RegularIsSlightlyBetter => "regular, slightly",
        RegularVsShadow::ShadowIsBetter => "shadow",
        RegularVsShadow::ShadowIsSlightlyBetter => "shadow, slightly",
        RegularVsShadow::Tied => "tied",
    }
}

fn chart(out: &Output, rates: &[ShadowRateView]) -> String {
    if rates.is_empty() {
        return NOTHING.to_owned();
    }
    let columns = [
        ("version", Align::Left),
        ("wins", Align::Right),
        ("ties", Align::Right),
        ("losses", Align::Right),
        ("rate", Align::Right),
        ("95 %", Align::Left),
        ("shadow wins", Align::Left),
    ];
    let mut table = Table::new(out, &columns);
    for rate in rates {
        let percent = |share: Option<f64>| {
            share.map_or_else(|| "–".to_owned(), |share| format!("{:.0}", share * 100.0))
        };
        let span = rate.win_rate.map_or_else(String::new, |_| {
            format!("{}–{} %", percent(rate.win_rate_low), percent(rate.win_rate_high))
        });
        table.row([
            rate.agent_version.clone(),
            rate.wins.to_string(),
            rate.ties.to_string(),
            rate.losses.to_string(),
            rate.win_rate.map_or_else(|| "–".to_owned(), |_| format!("{} %", percent(rate.win_rate))),
            span,
            bar(rate),
        ]);
    }
    table.render()
}

/// The rate as a bar, and what lies between it and the ends of its interval in a lighter tone. The mark in the middle
/// is where neither answer wins more often.
fn bar(rate: &ShadowRateView) -> String {
    let place = |share: Option<f64>| (share.unwrap_or(0.0) * BAR as f64).round() as usize;
    let (low, filled, high) = (place(rate.win_rate_low), place(rate.win_rate), place(rate.win_rate_high));
    let cell = |at: usize| match at {
        _ if at < filled && at < low => '█',
        _ if at < filled => '▓',
        _ if at < high => '▒',
        _ if at == BAR / 2 => '┊',
        _ => '·',
    };
    (0..BAR).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use reflexio_types::ShadowTally;

    use super::*;

    #[test]
    fn a_bar_shows_the_rate_and_how_sure_it_is() {
        let bar = |wins, losses| {
            let tally =
                ShadowTally { shadow_is_better: wins, regular_is_better: losses, ..Default::default() };
            bar(&tally.into())
        };
        assert_eq!(bar(0, 0), "···············┊··············");
        assert_eq!(bar(8, 2), "███████████████▓▓▓▓▓▓▓▓▓▒▒▒▒··");
        assert_eq!(bar(900, 100), "██████████████████████████▓▒··");
        assert_eq!(bar(0, 50), "▒▒·············┊··············");
    }
}
