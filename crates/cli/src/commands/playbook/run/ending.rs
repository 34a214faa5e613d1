//! What is told when a run ends or comes to rest.

use playbook_lang::explain;
use playbook_run::engine::{ModelRequest, Outcome, Playbooks, Speaker, State, Value};
use playbook_run::{Awaited, Pause, Unanswered};
use serde::Serialize;

use super::super::counted;
use crate::exit::Code;
use crate::failure::Failure;
use crate::output::Output;

/// The end of a run, or of what this process can do for it.
#[derive(Debug, Serialize)]
pub(super) struct Ending {
    run: String,
    outcome: &'static str,
    /// What a playbook that was asked for returned.
    result: Option<Value>,
    reason: Option<String>,
    conversation: Vec<Said>,
    variables: serde_json::Map<String, serde_json::Value>,
    model_calls: u64,
    tokens: u64,
    cost_usd: f64,
    steps: u64,
    /// No playbook is in the middle of something.
    #[serde(skip)]
    is_at_rest: bool,
}

#[derive(Debug, Serialize)]
struct Said {
    from: &'static str,
    text: String,
    playbook: Option<String>,
    step: Option<String>,
}

impl Ending {
    pub(super) fn new(run: &str, state: &State, pause: Option<&Pause>) -> Self {
        let (outcome, result, reason) = match pause {
            None => ("interrupted", None, None),
            Some(Pause::Over(outcome)) => told(outcome),
            Some(Pause::Waiting { awaited: Awaited::Approval { text, .. }, .. }) => {
                ("waiting", None, Some(format!("somebody must approve: {text}")))
            }
            Some(Pause::Waiting { .. }) => ("waiting", None, None),
            Some(Pause::NeedsModel { why, .. }) => ("needs_model", None, Some(why.to_string())),
        };
        let conversation = state.transcript().iter().map(|message| Said {
            from: if message.from == Speaker::User { "user" } else { "agent" },
            text: message.text.clone(),
            playbook: message.playbook.clone(),
            step: message.step.as_deref().map(str::to_owned),
        });
        let variables = state.variables().flat_map(|(_, variables)| variables);
        let variables =
            variables.filter_map(|(name, value)| Some((name.to_string(), serde_json::to_value(value).ok()?)));
        let spent = state.spent();
        Self {
            run: run.to_owned(),
            outcome,
            result,
            reason,
            conversation: conversation.collect(),
            variables: variables.collect(),
            // The one that could not be made was counted when it was wanted.
            model_calls: spent.model_calls - u64::from(matches!(pause, Some(Pause::NeedsModel { .. }))),
            tokens: spent.tokens,
            cost_usd: spent.cost_micros as f64 / 1e6,
            steps: spent.steps,
            is_at_rest: state.depth() == 0,
        }
    }

    /// The document, or a line beside what was said.
    pub(super) fn tell(&self, out: &Output) -> std::io::Result<()> {
        if out.is_json() {
            return out.json(self);
        }
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let mut words = format!("run {}: {}", self.run, self.outcome.replace('_', " "));
        if let Some(result) = self.result.as_ref().filter(|result| **result != Value::None) {
            words += &format!(", result {}", serde_json::to_string(result).unwrap_or_default());
        }
        words += &format!(", {}", counted(count(self.steps), "step"));
        words += &format!(", {}", counted(count(self.model_calls), "model call"));
        if self.cost_usd > 0.0 {
            words += &format!(", ${:.4}", self.cost_usd);
        }
        out.note(words);
        Ok(())
    }

    pub(super) fn verdict(&self, code: &Playbooks, pause: &Pause) -> anyhow::Result<()> {
        let failure = match pause {
            Pause::Over(Outcome::Done { .. } | Outcome::Ended | Outcome::HandedOff { .. }) => return Ok(()),
            Pause::Over(Outcome::Failed { reason }) => Failure::failed(format!("the run failed: {reason}")),
            Pause::Over(Outcome::Partial { .. }) => {
                let reason = self.reason.as_deref().unwrap_or_default();
                Failure::failed(format!("the run stopped at a limit: {reason}"))
                    .hint("raise it with --max-…; what was done so far is in the result")
            }
            // The program listens, and nothing was begun that is not finished.
            Pause::Waiting { awaited: Awaited::User, .. } if self.is_at_rest => return Ok(()),
            Pause::Waiting { .. } => {
                Failure::new(Code::NeedsInput, "the run waits for an answer, and there is nobody to give one")
                    .hint(how_to_resume(&self.run))
            }
            Pause::NeedsModel { request, why } => needs_model(code, request, why, &self.run),
        };
        Err(failure.into())
    }
}

fn told(outcome: &Outcome) -> (&'static str, Option<Value>, Option<String>) {
    match outcome {
        Outcome::Done { result } => ("done", Some(result.clone()), None),
        Outcome::Ended => ("ended", None, None),
        Outcome::Partial { limit, most, at } => ("partial", None, Some(format!("{most} {limit}, at {at}"))),
        Outcome::HandedOff { reason } => ("handed_off", None, Some(reason.clone())),
        Outcome::Failed { reason } => ("failed", None, Some(reason.clone())),
    }
}

pub(super) fn how_to_resume(run: &str) -> String {
    format!("`reflexio playbook run --resume {run}` goes on at the same step")
}

/// Which steps cannot be done, and why they need a model.
fn needs_model(code: &Playbooks, request: &ModelRequest, why: &Unanswered, run: &str) -> Failure {
    let title = request.context.playbook.as_ref().map(|playbook| playbook.title.as_str());
    let explained = explain(code.program());
    let playbook = explained.iter().find(|found| Some(found.playbook.as_str()) == title);
    let details = request.context.steps.iter().map(|step| {
        let plain = step.id.split('[').next().unwrap_or(&step.id);
        let reason = playbook.and_then(|found| found.steps.iter().find(|info| info.id == plain));
        match reason {
            Some(info) => format!("step {} {}: {}", step.id, step.instruction, info.why),
            None => format!("step {} {}", step.id, step.instruction),
        }
    });
    let questions =
        request.context.questions.iter().map(|asked| format!("condition {} {}", asked.id, asked.question));
    let triggers =
        request.context.triggers.iter().map(|trigger| format!("trigger {} {}", trigger.id, trigger.text));
    let details = details.chain(questions).chain(triggers).collect();
    let place = title.map_or_else(|| "what a message starts".to_owned(), |title| format!("`{title}`"));
    let resume = how_to_resume(run);
    match why {
        Unanswered::NoModel(reason) => {
            Failure::failed(format!("{place} needs a model here, and there is none: {reason}"))
                .details(details)
                .hint(format!("set a key such as OPENAI_API_KEY, or give --model; then {resume}"))
        }
        Unanswered::Later(reason) | Unanswered::Failed(reason) | Unanswered::Unaffordable(reason) => {
            Failure::failed(format!("the model cannot be asked: {reason}")).details(details).hint(resume)
        }
    }
}
