//! New wordings, written from what happened under an old one.

use gepa::{Proposal, ProposalJob, Record};
use reflexio_types::RolloutMessage;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::{CONTENT, Refused, Run, Stepped};
use crate::judge::told;
use crate::{Book, Fault, Improvement, Task, World, guard};

/// A wording that cannot be used is written once more.
const ATTEMPTS: u32 = 2;
/// Characters of one message.
const EACH: usize = 1_500;

impl Run {
    pub(super) async fn propose(
        &mut self,
        jobs: &[ProposalJob],
        task: &Task,
        book: &Book,
        world: &dyn World,
        stepped: &mut Stepped,
    ) -> Result<Vec<Option<Proposal>>, Fault> {
        let mut proposals = Vec::with_capacity(jobs.len());
        for job in jobs {
            let parent = job.candidate.text(CONTENT).unwrap_or_default();
            let records = records(job, parent, task, book);
            let text = self.improved(parent, &records, task, world, stepped).await?;
            if let Some(text) = &text {
                let parents = self.number_of(parent).into_iter().collect();
                let (number, new) = self.note_wording(text, parents);
                if new {
                    stepped.wordings.push(number);
                }
            }
            proposals.push(
                text.map(|text| Proposal { texts: BTreeMap::from([(CONTENT.to_owned(), text)]), cost: 0.0 }),
            );
        }
        Ok(proposals)
    }

    /// A wording that can be tried; nothing if none came of it.
    async fn improved(
        &mut self,
        parent: &str,
        records: &[Record],
        task: &Task,
        world: &dyn World,
        stepped: &mut Stepped,
    ) -> Result<Option<String>, Fault> {
        let mut refused: Option<(String, String)> = None;
        for _ in 0..ATTEMPTS {
            let improvement = Improvement {
                current: parent,
                trigger: &task.trigger,
                agent_context: task.agent_context.as_deref(),
                records,
                refused: refused.as_ref().map(|(text, reason)| (text.as_str(), reason.as_str())),
                // Counts what was proposed before: the same parent in the same windows may get another child.
                attempt: u32::try_from(self.wordings.len() + self.refused.len()).unwrap_or(u32::MAX),
            };
            let written = match world.improve(&improvement).await {
                Ok(written) => written.trim().to_owned(),
                Err(Fault::Failed(reason)) => {
                    self.refuse(String::new(), reason, stepped);
                    return Ok(None);
                }
                Err(fault) => return Err(fault),
            };
            let Some(reason) = self.objection(task, parent, &written) else { return Ok(Some(written)) };
            self.refuse(written.clone(), reason.clone(), stepped);
            refused = Some((written, reason));
        }
        Ok(None)
    }

    fn objection(&self, task: &Task, parent: &str, written: &str) -> Option<String> {
        let tried = self.number_of(written).map(|number| format!("it was tried before, as number {number}"));
        guard::objection(task, parent, written).or(tried)
    }

    fn refuse(&mut self, content: String, reason: String, stepped: &mut Stepped) {
        let refused = Refused { content, reason };
        stepped.events.push(json!({"proposal_refused": &refused}));
        self.refused.push(refused);
    }
}

/// What happened in the windows of a job, in the order in which somebody reads it.
fn records(job: &ProposalJob, wording: &str, task: &Task, book: &Book) -> Vec<Record> {
    let windows = job.dataset.get(CONTENT).into_iter().flatten();
    let number = |record: &Record| record.iter().find_map(|(_, value)| value.as_u64());
    windows
        .filter_map(|record| self::record(usize::try_from(number(record)?).ok()?, wording, task, book))
        .collect()
}

fn record(window: usize, wording: &str, task: &Task, book: &Book) -> Option<Record> {
    let text = |rollout: &[RolloutMessage]| Value::String(told(rollout, EACH));
    let incumbent = book.incumbent(window)?;
    let mut record: Record = Vec::new();
    let mut tell = |title: &str, value: Value| record.push((title.to_owned(), value));
    match book.trial(wording, window) {
        None => tell("Conversation under the present wording", text(incumbent)),
        Some(trial) => {
            tell("Conversation under the present wording", text(&trial.rollout));
            tell("The same conversation under the wording in use", text(incumbent));
            let judgement = &trial.judgement;
            let feedback = json!({
                "better": judgement.verdict.as_str(),
                "score from 0 to 1": judgement.score,
                "why": judgement.rationale,
                "what went wrong": judgement.failure_modes,
                "what got worse": judgement.regressions,
                "what got better": judgement.winning_behaviors,
                "missing instruction": judgement.missing_instruction,
                "suggested change": judgement.recommended_mutation,
            });
            tell("Feedback", without_nothing(feedback));
        }
    }
    let ideal = task.windows.get(window).map(|window| window.ideal.as_slice()).unwrap_or_default();
    if !ideal.is_empty() {
        tell("What an expert would have answered", json!(ideal));
    }
    Some(record)
}

/// Empty points would only make the prompt longer.
fn without_nothing(feedback: Value) -> Value {
    let Value::Object(mut points) = feedback else { return feedback };
    points.retain(|_, point| !point.is_null() && point.as_array().is_none_or(|list| !list.is_empty()));
    Value::Object(points)
}
