use std::time::Duration;

use clap::Args;
use reflexio_api_types::LiftResponse;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Align, Output, Panel, Progress, Table};

/// How often to look whether a measurement is over.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(crate) struct Lift {
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,
    /// Show the latest measurement instead of making a new one.
    #[arg(long)]
    last: bool,
}

impl Lift {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        if self.last {
            let measured = client.lift(self.id).await?;
            return Ok(context.out.result(&measured, || shown(&context.out, &measured))?);
        }
        client.measure_lift(self.id).await?;
        let progress = Progress::new(&context.out, "replaying with and without it", None);
        let measured = loop {
            let measured = client.lift(self.id).await?;
            if measured.state.is_over() {
                break measured;
            }
            progress.add(1);
            tokio::time::sleep(LOOK).await;
        };
        drop(progress);
        if measured.lift.is_none() {
            let why = measured.decision.clone().unwrap_or_else(|| "nothing came of it".to_owned());
            return Err(Failure::failed(format!("the lift could not be measured: {why}")).into());
        }
        Ok(context.out.result(&measured, || shown(&context.out, &measured))?)
    }
}

fn shown(out: &Output, measured: &LiftResponse) -> String {
    let number = |lift: f64| format!("{lift:+.2}");
    let interval = measured.low.zip(measured.high).map(|(low, high)| format!("{low:+.2} to {high:+.2}"));
    let mut text = Panel::new(out)
        .row("agent playbook", measured.agent_playbook_id)
        .maybe("lift", measured.lift.map(number))
        .maybe("95 % interval", interval)
        .row("windows", measured.windows.len())
        .maybe("in words", measured.decision.as_ref())
        .render();
    if !measured.windows.is_empty() {
        let mut table =
            Table::new(out, &[("window", Align::Right), ("lift", Align::Right), ("why", Align::Rest)]);
        for window in &measured.windows {
            table.row([window.window.to_string(), number(window.lift), window.judgement.rationale.clone()]);
        }
        text.push_str("\n\n");
        text.push_str(&table.render());
    }
    text
}
