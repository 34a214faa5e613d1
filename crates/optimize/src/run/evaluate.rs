//! Scores of wordings: replays and comparisons that were not made yet, several at the same time.

use std::collections::{BTreeMap, BTreeSet};

use futures::FutureExt;
use gepa::{Dataset, Evaluation, EvaluationJob, ReflectionJob, Traces};
use reflexio_types::{RolloutJudgement, RolloutMessage};
use serde_json::{Value, json};

use super::{CONTENT, Excluded, NEUTRAL, Run, Stepped};
use crate::rollout::{roll_out, side_by_side};
use crate::{Book, Fault, Pair, Task, Trial, World};

/// Replays and comparisons at the same time.
const AT_ONCE: usize = 4;

/// A wording in a window.
type Key = (String, usize);

/// What has to be done before jobs can be answered.
#[derive(Default)]
struct Wanted {
    incumbents: BTreeSet<usize>,
    trials: BTreeSet<Key>,
}

/// What became of it; a reason where it failed.
struct Done {
    /// Replays that failed, whoever's they were: a judge who fails says nothing about the assistant.
    failed_replays: usize,
    failed_windows: BTreeMap<usize, String>,
    failed_trials: BTreeMap<Key, String>,
    trials: Vec<Trial>,
}

impl Run {
    pub(super) async fn evaluate(
        &mut self,
        jobs: &[EvaluationJob],
        task: &Task,
        book: &mut Book,
        world: &dyn World,
        stepped: &mut Stepped,
    ) -> Result<Vec<Evaluation>, Fault> {
        let wanted = self.wanted(jobs, task, book);
        let done = self.carry_out(&wanted, task, book, world, stepped).await?;
        self.note_failures(&wanted, &done, stepped)?;
        for trial in done.trials {
            let candidate = self.number_of(&trial.wording).unwrap_or_default();
            stepped.trials.push((candidate, trial.window));
            let judgement = &trial.judgement;
            stepped.events.push(json!({"trial_judged": {"candidate": candidate, "window": trial.window,
                "score": judgement.score, "verdict": judgement.verdict, "likert": judgement.likert,
                "rationale": judgement.rationale}}));
            book.note(trial);
        }
        Ok(jobs.iter().map(|job| self.evaluation(job, task, book, &wanted)).collect())
    }

    fn window_of(&self, job: &EvaluationJob, example: usize) -> usize {
        let windows = match job.split {
            gepa::Split::Train => &self.split.train,
            gepa::Split::Validation => &self.split.validation,
        };
        windows.get(example).copied().unwrap_or_default()
    }

    fn wanted(&self, jobs: &[EvaluationJob], task: &Task, book: &Book) -> Wanted {
        let mut wanted = Wanted::default();
        for job in jobs {
            let wording = job.candidate.text(CONTENT).unwrap_or_default();
            let itself = wording == task.incumbent;
            for window in job.examples.iter().map(|example| self.window_of(job, *example)) {
                let tried = itself || book.trial(wording, window).is_some();
                // The wording that is there needs no comparison; it is replayed only where there is something to learn.
                let replayed = !tried || (itself && job.traces == Traces::Capture);
                if replayed && book.incumbent(window).is_none() {
                    wanted.incumbents.insert(window);
                }
                if !tried {
                    wanted.trials.insert((wording.to_owned(), window));
                }
            }
        }
        wanted
    }

    async fn carry_out(
        &self,
        wanted: &Wanted,
        task: &Task,
        book: &mut Book,
        world: &dyn World,
        stepped: &mut Stepped,
    ) -> Result<Done, Fault> {
        let mut done = Done {
            failed_replays: 0,
            failed_windows: BTreeMap::new(),
            failed_trials: BTreeMap::new(),
            trials: Vec::new(),
        };
        let (incumbents, candidates) = self.replay(wanted, task, world).await?;
        let replays =
            incumbents.iter().map(|(_, replay)| replay).chain(candidates.iter().map(|(_, replay)| replay));
        done.failed_replays = replays.filter(|replay| replay.is_err()).count();
        for (window, rollout) in incumbents {
            match rollout {
                Ok(rollout) => {
                    book.note_incumbent(window, rollout);
                    stepped.incumbents.push(window);
                }
                Err(reason) => {
                    done.failed_windows.insert(window, reason);
                }
            }
        }
        let mut pairs = Vec::new();
        for (key, rollout) in candidates {
            match (rollout, done.failed_windows.get(&key.1)) {
                (Ok(rollout), None) => pairs.push((key, rollout)),
                (Err(reason), _) => _ = done.failed_trials.insert(key, reason),
                (Ok(_), Some(reason)) => _ = done.failed_trials.insert(key, reason.clone()),
            }
        }
        let mut judging = Vec::with_capacity(pairs.len());
        for (key, rollout) in &pairs {
            judging.push(judge(task, book, world, key.1, rollout).boxed());
        }
        let judged = side_by_side(judging, AT_ONCE).await;
        for (((wording, window), rollout), judged) in pairs.into_iter().zip(judged) {
            match judged {
                Ok(judgement) => done.trials.push(Trial { wording, window, rollout, judgement }),
                Err(Fault::Failed(reason)) => _ = done.failed_trials.insert((wording, window), reason),
                Err(fault) => return Err(fault),
            }
        }
        Ok(done)
    }

    /// Everything that is to be said anew, in a fixed order.
    async fn replay(
        &self,
        wanted: &Wanted,
        task: &Task,
        world: &dyn World,
    ) -> Result<(Vec<(usize, Replayed)>, Vec<(Key, Replayed)>), Fault> {
        let turns = self.policy.max_turns;
        let before = wanted.incumbents.iter().map(|window| (task.incumbent.as_str(), *window));
        let after = wanted.trials.iter().map(|(wording, window)| (wording.as_str(), *window));
        let mut replays = Vec::new();
        for (wording, window) in before.chain(after) {
            replays.push(roll_out(world, task, Some(wording), window, turns).boxed());
        }
        let replayed = side_by_side(replays, AT_ONCE).await;
        let mut replayed =
            replayed.into_iter().map(unless_fatal).collect::<Result<Vec<_>, Fault>>()?.into_iter();
        let incumbents = wanted.incumbents.iter().copied().zip(replayed.by_ref()).collect();
        let trials = wanted.trials.iter().cloned().zip(replayed).collect();
        Ok((incumbents, trials))
    }

    /// What failed is left out of the run. If nothing worked several times in a row, the fault is not in the wordings.
    fn note_failures(&mut self, wanted: &Wanted, done: &Done, stepped: &mut Stepped) -> Result<(), Fault> {
        let asked = wanted.incumbents.len() + wanted.trials.len();
        if asked > 0 && done.failed_replays == asked {
            self.failures_in_a_row += 1;
            let reason = done.failed_trials.values().chain(done.failed_windows.values()).next();
            if self.failures_in_a_row >= self.policy.failures_in_a_row {
                return Err(Fault::AssistantDown(reason.cloned().unwrap_or_default()));
            }
        } else if asked > 0 {
            self.failures_in_a_row = 0;
        }
        let windows = done.failed_windows.iter().map(|(window, reason)| (0, *window, reason));
        let trials = done.failed_trials.iter().map(|((wording, window), reason)| {
            (self.number_of(wording).unwrap_or_default(), *window, reason)
        });
        let excluded: Vec<Excluded> = windows
            .chain(trials)
            .map(|(candidate, window, reason)| Excluded { candidate, window, reason: reason.clone() })
            .collect();
        for one in &excluded {
            stepped.events.push(json!({"trial_excluded": one}));
        }
        self.excluded.extend(excluded);
        Ok(())
    }

    fn evaluation(&self, job: &EvaluationJob, task: &Task, book: &Book, wanted: &Wanted) -> Evaluation {
        let wording = job.candidate.text(CONTENT).unwrap_or_default();
        let windows: Vec<usize> = job.examples.iter().map(|example| self.window_of(job, *example)).collect();
        let known = |window: &usize| match wording == task.incumbent {
            true => book.incumbent(*window).is_some(),
            false => book.trial(wording, *window).is_some(),
        };
        // What failed says nothing: it counts as neither better nor worse.
        let score =
            |window: &usize| book.trial(wording, *window).map_or(NEUTRAL, |trial| trial.judgement.score);
        let mut evaluation = Evaluation::of_scores(windows.iter().map(score).collect());
        if job.traces == Traces::Capture {
            let trace = |window: &usize| if known(window) { json!(window) } else { Value::Null };
            let any = windows.iter().any(known);
            evaluation.trajectories =
                Some(if any { windows.iter().map(trace).collect() } else { Vec::new() });
        }
        let distinct: BTreeSet<usize> = windows.into_iter().collect();
        let fresh =
            distinct.into_iter().filter(|window| wanted.trials.contains(&(wording.to_owned(), *window)));
        evaluation.metric_calls = Some(fresh.count() as u64);
        evaluation
    }
}

/// A conversation, or why there is none.
type Replayed = Result<Vec<RolloutMessage>, String>;

fn unless_fatal(replayed: Result<Vec<RolloutMessage>, Fault>) -> Result<Replayed, Fault> {
    match replayed {
        Ok(rollout) => Ok(Ok(rollout)),
        Err(Fault::Failed(reason)) => Ok(Err(reason)),
        Err(fault) => Err(fault),
    }
}

async fn judge(
    task: &Task,
    book: &Book,
    world: &dyn World,
    window: usize,
    candidate: &[RolloutMessage],
) -> Result<RolloutJudgement, Fault> {
    let missing = || Fault::Broken(format!("window {window} was not replayed"));
    let incumbent = book.incumbent(window).ok_or_else(missing)?;
    let ideal = task.windows.get(window).map(|window| window.ideal.as_slice()).unwrap_or_default();
    let agent_context = task.agent_context.as_deref();
    world.judge(&Pair { incumbent, candidate, trigger: &task.trigger, agent_context, ideal }).await
}

/// Only which windows there is something to say about: the words stay in the book.
pub(super) fn dataset(job: &ReflectionJob) -> Option<Dataset> {
    let windows = job.evaluation.trajectories.iter().flatten().filter(|trace| !trace.is_null());
    let mut distinct: Vec<&Value> = Vec::new();
    for window in windows {
        if !distinct.contains(&window) {
            distinct.push(window);
        }
    }
    let records = distinct.into_iter().map(|window| vec![("window".to_owned(), window.clone())]).collect();
    Some(Dataset::from([(CONTENT.to_owned(), records)]))
}
