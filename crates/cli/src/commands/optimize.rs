use std::collections::BTreeSet;
use std::time::Duration;

use clap::Args;
use reflexio_api_types::{OptimizationResponse, OptimizationTrialView, StartOptimizationRequest};
use reflexio_client::Client;
use serde_json::Value;

use super::optimizations::panel;
use crate::context::Context;
use crate::output::{Output, Panel, Progress};

/// How often to look how far a run is.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(crate) struct Optimize {
    /// The agent playbook to look for a better wording of.
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,
    /// The id names a user playbook.
    #[arg(long)]
    user_playbook: bool,
    /// Follow the run until it is over.
    #[arg(long, short)]
    watch: bool,
    /// Only say what it would cost at most; nothing is started.
    #[arg(long, conflicts_with = "watch")]
    estimate: bool,
}

impl Optimize {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let client = context.client()?;
        let request = StartOptimizationRequest {
            agent_playbook_id: (!self.user_playbook).then_some(self.id),
            user_playbook_id: self.user_playbook.then_some(self.id),
            estimate_only: self.estimate,
        };
        let answer = client.start_optimization(&request).await?;
        for warning in &answer.warnings {
            context.out.warning(warning);
        }
        let Some(run) = &answer.optimization else {
            return Ok(context.out.result(&answer, || estimate(&context.out, &answer.estimate))?);
        };
        if self.watch {
            let ended = watch(context, &client, run.optimization_id).await?;
            return Ok(context.out.result(&ended, || panel(&context.out, &ended))?);
        }
        let id = run.optimization_id;
        context.out.done(&answer, || format!("started optimization {id}"))?;
        if !context.out.is_json() {
            context.out.note(format!("follow it with `reflexio optimizations watch {id}`"));
        }
        Ok(())
    }
}

/// Shows how far a run is until it is over.
pub(crate) async fn watch(
    context: &Context,
    client: &Client,
    id: i64,
) -> anyhow::Result<OptimizationResponse> {
    let progress = Progress::new(&context.out, "replaying and judging", Some(0));
    let mut told = BTreeSet::new();
    loop {
        let run = client.optimization(id).await?;
        for trial in untold(&mut told, &run.trials) {
            if !context.out.is_json() {
                context.out.note(line(trial));
            }
        }
        if run.optimization.state.is_over() {
            return Ok(run);
        }
        if let Some((done, total)) = run
            .job
            .as_ref()
            .and_then(|job| job.progress.as_ref())
            .and_then(|known| Some((known.done, known.total?)))
        {
            progress.set(done, total);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Comparisons that were made since the last look. They come in the order of wordings and windows, not in that of time.
fn untold<'a>(
    told: &mut BTreeSet<(u32, u32)>,
    trials: &'a [OptimizationTrialView],
) -> Vec<&'a OptimizationTrialView> {
    let judged = trials.iter().filter(|trial| trial.judgement.is_some());
    judged.filter(|trial| told.insert((trial.candidate, trial.window))).collect()
}

fn line(trial: &OptimizationTrialView) -> String {
    let Some(judgement) = &trial.judgement else { return String::new() };
    let better = match judgement.verdict.as_str() {
        "candidate" => "better",
        "incumbent" => "worse",
        _ => "the same",
    };
    format!(
        "wording {} in window {}: {better} ({:.2}). {}",
        trial.candidate, trial.window, judgement.score, judgement.rationale
    )
}

fn estimate(out: &Output, estimate: &Value) -> String {
    let number = |key: &str| estimate.get(key).map(Value::to_string).unwrap_or_default();
    let cost = estimate.get("cost_usd").and_then(Value::as_f64);
    let playbook = estimate.get("playbook");
    Panel::new(out)
        .row("source windows", format!("{}, of which {} are held out", number("windows"), number("held_out")))
        .row("proposals", format!("{} to {}", number("proposals_at_least"), number("proposals_at_most")))
        .row("assistant calls", format!("at most {}", number("assistant_calls")))
        .maybe("its model calls", playbook.map(playbook_calls))
        .row("judge calls", format!("at most {}", number("judge_calls")))
        .row("reflection calls", format!("at most {}", number("reflection_calls")))
        .row("tokens", format!("about {} in, {} out", number("prompt_tokens"), number("output_tokens")))
        .maybe("cost of models", cost.map(|cost| cost_in_words(cost, playbook)))
        .render()
}

/// How often a playbook as the assistant asks a model is known from earlier runs only.
fn playbook_calls(playbook: &Value) -> String {
    let number = |key: &str| playbook.get(key).and_then(Value::as_f64).unwrap_or_default();
    let because = match number("measured_in") {
        0.0 => "assumed, since the playbook has not run yet".to_owned(),
        1.0 => "as in its last run".to_owned(),
        runs => format!("as in its last {runs} runs"),
    };
    let (calls, each, most) = (number("calls"), number("per_answer"), number("most_per_conversation"));
    format!("about {calls}: {each:.1} for an answer, {because}; at most {most} in one conversation")
}

fn cost_in_words(cost: f64, playbook: Option<&Value>) -> String {
    match playbook.and_then(|playbook| playbook.get("cost_usd")).and_then(Value::as_f64) {
        None => format!("at most ${cost:.2}"),
        Some(own) => format!(
            "about ${cost:.2}, of which ${own:.2} for the playbook; `budget_config.per_run_usd` sets a limit"
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_comparison_is_told_once_in_whatever_order_they_come() {
        let side = json!([{"role": "user", "content": "Hi"}]);
        let judgement = json!({"score": 0.9, "verdict": "candidate", "likert": 5, "rationale": "r", "failure_modes": [],
            "regressions": [], "winning_behaviors": [], "orders_agree": true, "judged_by": "m"});
        let trial = |window: u32| -> OptimizationTrialView {
            serde_json::from_value(json!({"candidate": 1, "window": window, "incumbent_rollout": side,
                "candidate_rollout": side, "judgement": judgement}))
            .expect("a trial")
        };
        let mut told = BTreeSet::new();
        let mut look = |windows: &[u32]| -> Vec<u32> {
            let trials: Vec<_> = windows.iter().map(|window| trial(*window)).collect();
            untold(&mut told, &trials).into_iter().map(|trial| trial.window).collect()
        };
        assert_eq!(look(&[2]), [2]);
        assert_eq!(look(&[0, 1, 2]), [0, 1]);
        assert!(look(&[0, 1, 2]).is_empty());
    }

    #[test]
    fn a_cost_with_a_playbook_is_no_bound_and_says_so() {
        let playbook = json!({"per_answer": 3.0, "measured_in": 0, "calls": 63, "most_per_conversation": 200, "cost_usd": 0.3});
        assert_eq!(cost_in_words(0.5, None), "at most $0.50");
        let words = cost_in_words(0.5, Some(&playbook));
        assert!(words.starts_with("about $0.50, of which $0.30") && words.contains("per_run_usd"), "{words}");
        let words = playbook_calls(&playbook);
        assert!(
            words.starts_with("about 63: 3.0 for an answer, assumed")
                && words.ends_with("200 in one conversation")
        );
    }
}
